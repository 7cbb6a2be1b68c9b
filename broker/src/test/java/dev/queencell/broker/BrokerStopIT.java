package dev.queencell.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Brokers that are told to stop, or killed, with work under way: what was answered holds, for two
 * tenants with the same names.
 */
@Timeout(240)
class BrokerStopIT {
  private static final String MAIN = "dev.queencell.broker.BrokerMain";

  /** What the kit grants. */
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(15);

  private static final int TERMINATED = 128 + 15;
  private static final int PRODUCERS_PER_TENANT = 2;
  private static final UUID TENANT = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final UUID NEIGHBOUR = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");

  private static PostgresServer postgres;

  @TempDir Path spool;
  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeAll
  static void startPostgres() {
    postgres = PostgresServer.durable();
  }

  @AfterAll
  static void stopPostgres() {
    postgres.close();
  }

  private JavaProcess start() {
    return JavaProcess.ofClass(MAIN)
        .env("PORT", "0")
        .env("QUEENCELL_BROKER_URL", "http://127.0.0.1:1")
        .env("QUEEN_TENANCY_HEADER", "true")
        .env("QUEEN_KV_TRUSTED_PROXY", "true")
        .env("PG_HOST", postgres.host())
        .env("PG_PORT", Integer.toString(postgres.port()))
        .env("PG_USER", PostgresServer.USER)
        .env("PG_PASSWORD", postgres.password())
        .env("PG_DB", "postgres")
        .env("FILE_BUFFER_DIR", spool.toString())
        .start();
  }

  /** A killed owner is taken for alive for a moment; who comes after it stands by until then. */
  private URI awaitOwner(JavaProcess broker) {
    var url = broker.awaitReady();
    Await.until(
        "it owns the database", () -> get(url, "/health").body().contains("\"role\":\"owner\""));
    return url;
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<String> get(URI base, String path) {
    return send(HttpRequest.newBuilder(base.resolve(path)));
  }

  private HttpResponse<String> post(URI base, String path, String body) {
    return send(HttpRequest.newBuilder(base.resolve(path)).POST(BodyPublishers.ofString(body)));
  }

  private static HttpRequest.Builder as(UUID tenant, URI base, String path) {
    return HttpRequest.newBuilder(base.resolve(path)).header("x-queen-tenant", tenant.toString());
  }

  private String push(URI base, UUID tenant, String queue, String text) {
    var body =
        "{\"items\":[{\"queue\":\"%s\",\"transactionId\":\"%s\",\"payload\":\"%s\"}]}"
            .formatted(queue, text, text);
    var answer = send(as(tenant, base, "/api/v1/push").POST(BodyPublishers.ofString(body)));
    return answer.statusCode() == 201
        ? Json.mapper().readTree(answer.body()).get(0).get("status").stringValue()
        : "refused";
  }

  private int pending(URI base) {
    var answer = get(base, "/api/v1/status/buffers").body();
    return Json.mapper().readTree(answer).get("pending").intValue();
  }

  private List<String> popAll(URI base, UUID tenant, String queue) {
    var texts = new ArrayList<String>();
    while (true) {
      var path = "/api/v1/pop/queue/" + queue + "?batch=5000&autoAck=true";
      var answer = send(as(tenant, base, path));
      if (answer.statusCode() == 204) {
        return texts;
      }
      assertEquals(200, answer.statusCode(), answer.body());
      Json.mapper()
          .readTree(answer.body())
          .get("messages")
          .forEach(message -> texts.add(message.get("data").stringValue()));
    }
  }

  @Test
  void whatWasAnsweredBeforeAStopIsThereAfterIt() throws Exception {
    var answered = ConcurrentHashMap.<String>newKeySet();
    var neighbours = ConcurrentHashMap.<String>newKeySet();
    try (var broker = start()) {
      var url = awaitOwner(broker);
      var producers = new ArrayList<Thread>();
      for (int producer = 0; producer < PRODUCERS_PER_TENANT; producer++) {
        var mine = "t" + producer;
        var theirs = "n" + producer;
        producers.add(Thread.ofVirtual().start(() -> produce(url, TENANT, mine, answered)));
        producers.add(Thread.ofVirtual().start(() -> produce(url, NEIGHBOUR, theirs, neighbours)));
      }
      Await.until("pushes are under way", () -> answered.size() > 100 && neighbours.size() > 100);
      broker.terminate();
      assertEquals(TERMINATED, broker.exitCode(STOP_DEADLINE));
      for (var producer : producers) {
        producer.join();
      }
    }
    try (var broker = start()) {
      var url = awaitOwner(broker);
      Await.until("nothing is spooled", () -> pending(url) == 0);
      assertKept(answered, "t", popAll(url, TENANT, "stop"));
      assertKept(neighbours, "n", popAll(url, NEIGHBOUR, "stop"));
    }
  }

  private static void assertKept(Set<String> answered, String mark, List<String> there) {
    assertEquals(there.size(), Set.copyOf(there).size(), "each once");
    assertTrue(there.stream().allMatch(text -> text.startsWith(mark)), "nobody else's");
    var missing = new HashSet<>(answered);
    missing.removeAll(there);
    assertEquals(Set.of(), missing);
  }

  /** Until the broker is gone. */
  private void produce(URI url, UUID tenant, String mark, Set<String> answered) {
    for (int i = 0; ; i++) {
      var text = mark + "-" + i;
      try {
        if (!push(url, tenant, "stop", text).equals("refused")) {
          answered.add(text);
        }
      } catch (java.io.UncheckedIOException e) {
        return;
      }
    }
  }

  @Test
  void whatWasSpooledSurvivesAKillAndSoDoesThePause() throws Exception {
    var pushed = new ArrayList<String>();
    try (var broker = start()) {
      var url = awaitOwner(broker);
      assertEquals(200, post(url, "/api/v1/system/maintenance", "{\"enabled\":true}").statusCode());
      for (int i = 0; i < 50; i++) {
        pushed.add("m" + i);
        assertEquals("buffered", push(url, TENANT, "kill", "m" + i));
      }
      assertEquals("buffered", push(url, NEIGHBOUR, "kill", "m0"));
      broker.kill9();
      Await.until("it is gone", () -> !broker.isAlive());
    }
    try (var broker = start()) {
      var url = awaitOwner(broker);
      assertEquals(51, pending(url));
      assertEquals("buffered", push(url, TENANT, "kill", "still paused"));
      pushed.add("still paused");
      post(url, "/api/v1/system/maintenance", "{\"enabled\":false}");
      Await.until("all is stored", () -> pending(url) == 0);
      assertEquals(pushed, popAll(url, TENANT, "kill"));
      assertEquals(List.of("m0"), popAll(url, NEIGHBOUR, "kill"));
    }
  }

  @Test
  void aDatabaseThatHangsDoesNotHoldUpTheStop() throws Exception {
    try (var broker = start()) {
      var url = awaitOwner(broker);
      push(url, TENANT, "hang", "before");
      postgres.pause();
      try {
        var hanging = Thread.ofVirtual().start(() -> produce(url, TENANT, "t", new HashSet<>()));
        broker.terminate();
        assertEquals(TERMINATED, broker.exitCode(STOP_DEADLINE));
        hanging.join();
      } finally {
        postgres.resume();
      }
    }
  }

  @Test
  void brokenKeysEndTheStartWithOneReasonAndNoKey() {
    var key = "0123456789abcdef";
    try (var broker =
        JavaProcess.ofClass(MAIN)
            .env("QUEEN_ENCRYPTION_KEY", key)
            .env("JWT_ALGORITHM", "HS1024")
            .start()) {
      assertEquals(1, broker.exitCode(Duration.ofSeconds(60)));
      var output = String.join("\n", broker.output());
      assertTrue(output.contains("exactly 64 hexadecimal characters"), output);
      assertTrue(output.contains("JWT_ALGORITHM is 'HS1024'"), output);
      assertTrue(!output.contains(key) && !output.contains("Exception"), output);
    }
    try (var broker = JavaProcess.ofClass(MAIN).env("JWT_ENABLED", "true").start()) {
      assertEquals(1, broker.exitCode(Duration.ofSeconds(60)));
      var output = String.join("\n", broker.output());
      assertTrue(output.contains("there is no usable key; it takes JWT_SECRET"), output);
    }
  }
}
