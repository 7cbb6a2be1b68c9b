package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.auth.AuthConfig;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineConfig;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Encrypted queues from push to pop, with keys that come and go. */
class EncryptionIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final UUID ANN = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final String KEY = "0f".repeat(32);
  private static final String NEXT_KEY = "a0".repeat(32);

  /** Longer than a segment that is not worth compressing, so that it would be found as it is. */
  private static final String PLAIN = "{\"secret\": \"of ann\", \"n\":1e3}";

  private static final String OWN =
      " FROM queen.segments s JOIN queen.partitions p ON p.id = s.partition_id"
          + " JOIN queen.queues q ON q.id = p.queue_id WHERE q.tenant = '"
          + ANN
          + "'";
  private static final String FRAMES = "SELECT s.frames" + OWN;
  private static final String COUNT = "SELECT count(*)::text" + OWN;

  private CellEngine engine;
  private ApiFixture api;
  private WireClient ann;

  /** Its queue of the same name is a plain one. */
  private WireNeighbour neighbour;

  @BeforeEach
  void startWithAKey() {
    start(KEY);
    neighbour = WireNeighbour.beside(api, "q", "Default", PopRequest.QUEUE_MODE);
  }

  private void start(String... keys) {
    var cipher = PayloadCipher.of(List.of(keys));
    engine =
        CellEngine.open(
            new EngineConfig(
                    DATABASE.jdbcUrl(),
                    DATABASE.user(),
                    DATABASE.password(),
                    ApiFixture.OWN_URL,
                    2,
                    1 << 20,
                    1 << 20)
                .with(cipher));
    Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
    api =
        new ApiFixture(
            engine,
            new GatesFixture(engine, null, GatesFixture.switches(), AuthConfig.OPEN, cipher));
    ann = new WireClient(api, ANN);
  }

  private void restart(String... keys) {
    stop();
    start(keys);
  }

  private void stop() {
    engine.close();
    api.close();
  }

  @AfterEach
  void end() throws Exception {
    neighbour.check(api);
    stop();
    DATABASE.reset();
  }

  private ApiFixture.Answer push(String queue, String payload) {
    return api.postAs(
        ANN,
        "/api/v1/push",
        "{\"items\":[{\"queue\":\"%s\",\"payload\":%s}]}".formatted(queue, payload));
  }

  private String popped(String queue) {
    return ann.get("/api/v1/pop/queue/" + queue + "?autoAck=true").body();
  }

  private String column(String sql) throws SQLException {
    try (var connection = DATABASE.connect();
        var rows = connection.createStatement().executeQuery(sql)) {
      rows.next();
      return new String(rows.getBytes(1), StandardCharsets.ISO_8859_1);
    }
  }

  private static void assertSealed(String stored) {
    assertTrue(stored.contains("{\"encrypted\":\""), stored);
    assertFalse(stored.contains("of ann"), stored);
  }

  @Test
  void theDatabaseHoldsTheEnvelopeAndConsumersGetTheBytes() throws SQLException {
    ann.configure("q", "{\"encryptionEnabled\":true}");
    assertEquals(201, push("q", PLAIN).status());
    assertSealed(column(FRAMES));
    assertTrue(popped("q").contains("\"data\":" + PLAIN + ","), "byte for byte");
    var listed = ann.get("/api/v1/messages?queue=q").json().get("messages").get(0);
    assertEquals(Json.mapper().readTree(PLAIN), listed.get("payload"));
    assertTrue(listed.get("isEncrypted").booleanValue());
  }

  @Test
  void transactionsSealToo() throws SQLException {
    ann.configure("q", "{\"encryptionEnabled\":true}");
    var body =
        "{\"operations\":[{\"type\":\"push\",\"items\":[{\"queue\":\"q\",\"payload\":%s}]}]}"
            .formatted(PLAIN);
    assertTrue(api.postAs(ANN, "/api/v1/transaction", body).json().get("success").booleanValue());
    assertSealed(column(FRAMES));
    assertTrue(popped("q").contains(PLAIN));
  }

  @Test
  void aDeadLetterStaysSealedAndOneOfAQueueEncryptedLaterBecomesSo() throws SQLException {
    assertEquals(201, push("q", PLAIN).status());
    ann.configure("q", "{\"encryptionEnabled\":true,\"retryLimit\":0}");
    var message = ann.pop("q", "batch=1").getFirst();
    assertTrue(ann.ack(message, "dlq").get("success").booleanValue());
    assertSealed(column("SELECT payload FROM queen.dead_letters"));
  }

  @Test
  void theSwitchTakesEffectWithTheNextPushAndOldMessagesOpenAnyway() {
    push("q", "1");
    ann.configure("q", "{\"encryptionEnabled\":true}");
    push("q", "2");
    ann.configure("q", "{\"encryptionEnabled\":false}");
    push("q", "3");
    var data = ann.pop("q", "batch=10").stream().map(m -> m.json().get("data").intValue()).toList();
    assertEquals(List.of(1, 2, 3), data);
  }

  @Test
  void withoutAKeyAnEncryptedQueueTakesNothingAndGivesEnvelopes() throws SQLException {
    ann.configure("q", "{\"encryptionEnabled\":true}");
    push("q", PLAIN);
    restart();
    var refused = push("q", PLAIN);
    assertEquals(201, refused.status());
    var row = refused.json().get(0);
    assertEquals("failed", row.get("status").stringValue());
    assertTrue(row.get("error").stringValue().contains("QUEEN_ENCRYPTION_KEY"), row.toString());
    var configured =
        api.postAs(
            ANN,
            "/api/v1/configure",
            "{\"queue\":\"new\",\"options\":{\"encryptionEnabled\":true}}");
    assertEquals(400, configured.status());
    assertTrue(configured.body().contains("QUEEN_ENCRYPTION_KEY"), configured.body());
    assertSealed(popped("q"));
    assertEquals("1", column(COUNT));
    // Switched off, it takes plain text again: by decision, not by accident.
    ann.configure("q", "{\"encryptionEnabled\":false}");
    assertEquals("queued", push("q", "1").json().get(0).get("status").stringValue());
  }

  @Test
  void aFormerKeyOpensWhatItSealed() {
    ann.configure("q", "{\"encryptionEnabled\":true}");
    push("q", "1");
    restart(NEXT_KEY, KEY);
    push("q", "2");
    restart(NEXT_KEY);
    var data = ann.pop("q", "batch=10").stream().map(m -> m.json().get("data")).toList();
    assertTrue(data.get(0).has("encrypted"), "sealed with the former key, which is not there");
    assertEquals(2, data.get(1).intValue());
  }

  @Test
  void anEnvelopeOfSomebodyElseIsAPayloadLikeAnyOther() {
    var foreign =
        "{\"encrypted\":\"AAAA\",\"iv\":\"AAAAAAAAAAAAAAAAAAAAAA==\","
            + "\"authTag\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}";
    push("q", foreign);
    assertTrue(popped("q").contains("\"data\":" + foreign + ","));
  }
}
