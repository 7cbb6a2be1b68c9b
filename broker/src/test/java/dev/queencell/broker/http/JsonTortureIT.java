package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.auth.AuthConfig;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineConfig;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads that parsers and printers change, from push to pop on the wire: bytes in, bytes out. */
class JsonTortureIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final List<String> PAYLOADS =
      List.of(
          "null",
          "true",
          "\"\"",
          "{}",
          "[]",
          " { \"a\" :\t[ 1 ,\r\n2 ] } ",
          "\"\\u0000\\u001f\\u007f\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
          "\"\\u00E9 \\u00e9 é e\\u0301\"",
          "\"\\ud83d\\ude00 😀 \\uD83D\\uDE00\"",
          "\"lone \\ud83d and \\ude00 and \\udead\\ud800\"",
          "\"\u2028\u2029\ufeff\ufffe\uffff\"",
          "{\"a\":1,\"a\":2,\"\":3,\"\":4}",
          "{\"\\u0061\":1,\"a\":2}",
          "{\"__proto__\":{\"x\":1},\"constructor\":null}",
          "9007199254740993",
          "-0",
          "-0.0",
          "1E400",
          "1e-400",
          "0.1000000000000000055511151231257827021181583404541015625",
          "123456789012345678901234567890123456789012345678901234567890",
          "[1.0,1.00,1e0,1E+0,10e-1]",
          "{\"data\":{\"payload\":\"]},\\\"data\\\":1\"}}",
          "\"</script>&lt;'\"");

  private static final int DEEP = 500;
  private static final int LARGEST_BYTES = 16 * 1024 * 1024;

  /** Tenants with plain queues of the same names. */
  private static final List<WireNeighbour> NEIGHBOURS = new ArrayList<>();

  private static CellEngine engine;
  private static ApiFixture api;
  private static HttpClient client;

  @BeforeAll
  static void start() {
    var cipher = PayloadCipher.of(List.of("5a".repeat(32)));
    engine =
        CellEngine.open(
            new EngineConfig(
                    DATABASE.jdbcUrl(),
                    DATABASE.user(),
                    DATABASE.password(),
                    ApiFixture.OWN_URL,
                    1,
                    8 << 20,
                    1 << 20)
                .with(cipher));
    Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
    api =
        new ApiFixture(
            engine,
            new GatesFixture(engine, null, GatesFixture.switches(), AuthConfig.OPEN, cipher));
    client = HttpClient.newHttpClient();
    var sealed = "{\"queue\":\"sealed\",\"options\":{\"encryptionEnabled\":true}}";
    assertEquals(200, api.post("/api/v1/configure", sealed).status());
    for (var queue : List.of("plain", "sealed", "refused")) {
      NEIGHBOURS.add(WireNeighbour.beside(api, queue, "Default", PopRequest.QUEUE_MODE));
    }
  }

  @AfterAll
  static void end() {
    NEIGHBOURS.forEach(neighbour -> neighbour.check(api));
    engine.close();
    api.close();
    client.close();
  }

  private static int push(String queue, byte[]... payloads) throws Exception {
    var body = new ByteArrayOutputStream();
    body.writeBytes("{\"items\":[".getBytes(UTF_8));
    for (int i = 0; i < payloads.length; i++) {
      var head = "%s{\"payload\":".formatted(i == 0 ? "" : ",");
      body.writeBytes(head.getBytes(UTF_8));
      body.writeBytes(payloads[i]);
      body.writeBytes(",\"queue\":\"%s\"}".formatted(queue).getBytes(UTF_8));
    }
    body.writeBytes("]}".getBytes(UTF_8));
    var request =
        api.request("/api/v1/push").POST(BodyPublishers.ofByteArray(body.toByteArray())).build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  private static byte[] pop(String queue) throws Exception {
    var request = api.request("/api/v1/pop/queue/" + queue + "?batch=1&autoAck=true").build();
    var answer = client.send(request, BodyHandlers.ofByteArray());
    assertEquals(200, answer.statusCode());
    return answer.body();
  }

  /** What stands between the key of the payload and the key behind it. */
  private static byte[] data(byte[] answer) {
    var text = new String(answer, java.nio.charset.StandardCharsets.ISO_8859_1);
    int from = text.indexOf(",\"data\":") + ",\"data\":".length();
    int to = text.lastIndexOf(",\"producerSub\":");
    return java.util.Arrays.copyOfRange(answer, from, to);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "sealed"})
  void everyPayloadComesBackByteForByte(String queue) throws Exception {
    var all = PAYLOADS.stream().map(text -> text.getBytes(UTF_8)).toArray(byte[][]::new);
    assertEquals(201, push(queue, all));
    for (var payload : PAYLOADS) {
      // Blanks around a value belong to the item that holds it.
      assertEquals(payload.strip(), new String(data(pop(queue)), UTF_8));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "sealed"})
  void deepNestingComesBackAndDeeperIsRefusedWhole(String queue) throws Exception {
    var deep = ("[".repeat(DEEP) + "{\"a\":0}" + "]".repeat(DEEP)).getBytes(UTF_8);
    assertEquals(201, push(queue, deep));
    assertArrayEquals(deep, data(pop(queue)));
    var tooDeep = ("[".repeat(100_000) + "]".repeat(100_000)).getBytes(UTF_8);
    assertEquals(400, push(queue, "1".getBytes(UTF_8), tooDeep));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "sealed"})
  void theLargestStringComesBackAndAByteMoreIsRefused(String queue) throws Exception {
    long seed = System.nanoTime();
    var random = new Random(seed);
    var payload = new byte[LARGEST_BYTES];
    payload[0] = '"';
    for (int i = 1; i < payload.length - 1; i++) {
      // Letters and digits, which do not compress to nothing.
      payload[i] = (byte) ('0' + random.nextInt(10));
    }
    payload[payload.length - 1] = '"';
    assertEquals(201, push(queue, payload));
    assertArrayEquals(payload, data(pop(queue)), "seed " + seed);
    var more = java.util.Arrays.copyOf(payload, payload.length + 1);
    more[more.length - 2] = '0';
    more[more.length - 1] = '"';
    assertEquals(400, push(queue, more));
  }

  @Test
  void whatIsNotJsonIsRefusedWhole() throws Exception {
    for (var payload :
        List.of("", "01", "+1", "1.", ".5", "NaN", "'a'", "\"\t\"", "\"\\x\"", "[1,]", "{a:1}")) {
      assertEquals(400, push("refused", "1".getBytes(UTF_8), payload.getBytes(UTF_8)), payload);
    }
    for (var bytes :
        List.of(
            new byte[] {'"', (byte) 0xff, '"'},
            new byte[] {'"', (byte) 0xc0, (byte) 0x80, '"'},
            new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'})) {
      assertEquals(400, push("refused", bytes));
    }
    assertTrue(api.get("/api/v1/pop/queue/refused").body().isEmpty());
  }
}
