package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineConfig;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.spool.SpoolConfig;
import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** PostgreSQL goes away and comes back under an API with a spool. */
@Timeout(180)
class SpoolIT {
  private static final UUID ANN = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final UUID BOB = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");

  /** Longer than the engine keeps a commit in doubt before it tells who waits. */
  private static final Duration DOUBT_DEADLINE = Duration.ofSeconds(60);

  private static final int PRODUCERS = 8;

  @TempDir Path directory;
  private PostgresServer postgres;
  private CellEngine engine;
  private ApiFixture api;
  private WireClient ann;
  private WireClient bob;
  private WireNeighbour neighbour;

  @BeforeEach
  void start() {
    postgres = PostgresServer.durable();
    engine = open(postgres);
    Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
    api = new ApiFixture(engine, new GatesFixture(engine, directory));
    ann = new WireClient(api, ANN);
    bob = new WireClient(api, BOB);
    neighbour = WireNeighbour.beside(api, "q", "p", PopRequest.QUEUE_MODE);
  }

  @AfterEach
  void end() {
    neighbour.check(api);
    engine.close();
    api.close();
    postgres.close();
  }

  private static CellEngine open(PostgresServer postgres) {
    return CellEngine.open(
        new EngineConfig(
            postgres.jdbcUrl("postgres"),
            PostgresServer.USER,
            postgres.password(),
            ApiFixture.OWN_URL,
            2,
            1 << 20,
            1 << 20));
  }

  private void crash() {
    postgres.kill9();
    Await.until("the owner has noticed", () -> engine.role() == Engine.Role.LOADING);
  }

  private void comeBack() {
    postgres.start();
    Await.until("all is replayed", DOUBT_DEADLINE, () -> pending() == 0);
  }

  private int pending() {
    return api.get("/api/v1/status/buffers").json().get("pending").intValue();
  }

  private static String status(JsonNode rows) {
    return rows.get(0).get("status").stringValue();
  }

  @Test
  void whatIsPushedDuringAnOutageIsStoredInOrderWhenItEnds() {
    assertEquals("queued", status(ann.push("q", "p", "before")));
    crash();
    for (int i = 0; i < 20; i++) {
      assertEquals("buffered", status(ann.push("q", "p", "a" + i)));
      assertEquals("buffered", status(bob.push("q", "p", "b" + i)));
    }
    assertEquals(40, pending());
    assertEquals(503, ann.get("/api/v1/pop/queue/q").status());
    assertNotNull(ann.get("/api/v1/pop/queue/q").header("Retry-After"));

    comeBack();
    assertEquals("queued", status(ann.push("q", "p", "after")));
    var expected = new ArrayList<>(List.of("before"));
    for (int i = 0; i < 20; i++) {
      expected.add("a" + i);
    }
    expected.add("after");
    assertEquals(expected, WireClient.texts(ann.pop("q", "batch=100")));
    var bobs = bob.pop("q", "batch=100");
    assertEquals(20, bobs.size());
    assertEquals("b0", bobs.getFirst().text());
    assertEquals("b0", bobs.getFirst().transactionId());
  }

  @Test
  void theIdsThatWereAnsweredAreTheIdsThatAreDelivered() {
    crash();
    var body = "{\"items\":[{\"queue\":\"q\",\"payload\":\"nameless\"}]}";
    var row = api.postAs(ANN, "/api/v1/push", body).json().get(0);
    assertEquals("buffered", row.get("status").stringValue());
    comeBack();
    var message = ann.pop("q", "batch=10").getFirst();
    assertEquals(row.get("message_id"), message.json().get("id"));
    assertEquals(row.get("transaction_id"), message.json().get("transactionId"));
  }

  @Test
  void duplicatesAreDecidedWhenTheyAreReplayed() {
    ann.push("q", "p", "twice");
    crash();
    assertEquals("buffered", status(ann.push("q", "p", "twice")));
    assertEquals("buffered", status(ann.push("q", "p", "once", "once")));
    comeBack();
    assertEquals(List.of("twice", "once"), WireClient.texts(ann.pop("q", "batch=10")));
  }

  /** More than one replayed push long, so that the replay is under way when the push comes. */
  @Test
  void aPushToAPartitionWaitsBehindWhatIsSpooledOfIt() {
    crash();
    var expected = new ArrayList<String>();
    for (int i = 0; i < 30; i++) {
      var texts = new ArrayList<String>();
      for (int j = 0; j < 100; j++) {
        texts.add("%04d".formatted(i * 100 + j));
      }
      ann.push("q", "p", texts.toArray(String[]::new));
      expected.addAll(texts);
    }
    postgres.start();
    Await.until("the engine owns again", () -> engine.role() == Engine.Role.OWNER);
    ann.push("q", "p", "last");
    expected.add("last");
    Await.until("all is replayed", () -> pending() == 0);
    assertEquals(expected, WireClient.texts(ann.pop("q", "batch=5000")));
  }

  /**
   * Producers go on through a crash that lasts longer than doubts are kept. What was sent when the
   * session died may or may not have been committed; it is spooled, and must still come once.
   */
  @Test
  void aCommitInDoubtDoesNotBecomeTwoMessages() throws Exception {
    var answered = ConcurrentHashMap.<String>newKeySet();
    var failed = new AtomicInteger();
    var producing = new AtomicBoolean(true);
    var bufferedBy = ConcurrentHashMap.<Integer>newKeySet();
    var threads = new ArrayList<Thread>();
    for (int producer = 0; producer < PRODUCERS; producer++) {
      int number = producer;
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int i = 0; producing.get(); i++) {
                      var text = "%d-%06d".formatted(number, i);
                      var status = status(ann.push("q", "p" + number, text));
                      if (status.equals("failed")) {
                        failed.incrementAndGet();
                      } else {
                        answered.add(text);
                      }
                      if (status.equals("buffered")) {
                        bufferedBy.add(number);
                      }
                    }
                  }));
    }
    Await.until("some are stored", () -> answered.size() > 500);
    postgres.kill9();
    // Each had a push under way at the crash: the one that is answered as buffered first.
    Await.until("everybody was told", DOUBT_DEADLINE, () -> bufferedBy.size() == PRODUCERS);
    producing.set(false);
    for (var thread : threads) {
      thread.join();
    }
    assertEquals(0, failed.get(), "nothing with an id of its own fails");
    comeBack();

    Map<String, List<String>> byPartition = new HashMap<>();
    List<String> all = Collections.synchronizedList(new ArrayList<>());
    for (var messages = pop(); !messages.isEmpty(); messages = pop()) {
      for (var message : messages) {
        all.add(message.text());
        byPartition
            .computeIfAbsent(message.partitionId(), key -> new ArrayList<>())
            .add(message.text());
      }
    }
    assertEquals(Set.copyOf(answered), Set.copyOf(all));
    assertEquals(answered.size(), all.size(), "each exactly once");
    byPartition.values().forEach(texts -> assertEquals(texts.stream().sorted().toList(), texts));
  }

  private List<WireClient.Message> pop() {
    return ann.pop("q", "batch=5000&partitions=0&autoAck=true&subscriptionMode=all");
  }

  @Test
  void aStandbyHandsWhatItSpooledToTheOwner(@TempDir Path otherDirectory) {
    var deposed = new FixtureEngine();
    deposed.role = Engine.Role.LOADING;
    try (var other = new ApiFixture(deposed, new GatesFixture(deposed, otherDirectory))) {
      var client = new WireClient(other, ANN);
      assertEquals("buffered", status(client.push("q", "p", "kept by the deposed")));
      assertEquals(1, buffers(other).get("pending").intValue());
      deposed.ownerUrl = "http://127.0.0.1:" + api.port();
      deposed.role = Engine.Role.STANDBY;
      Await.until("it is handed over", () -> buffers(other).get("pending").intValue() == 0);
    }
    assertTrue(deposed.asked.isEmpty());
    assertEquals(List.of("kept by the deposed"), WireClient.texts(ann.pop("q", "batch=10")));
    assertEquals(List.of(), bob.pop("q", "batch=10"));
  }

  @Test
  void aStandbySendsAProducerOnOnlyBehindWhatItSpooledOfThePartition(@TempDir Path otherDirectory) {
    var deposed = new FixtureEngine();
    deposed.role = Engine.Role.LOADING;
    try (var other = new ApiFixture(deposed, new GatesFixture(deposed, otherDirectory))) {
      var client = new WireClient(other, ANN);
      for (int i = 0; i < 500; i++) {
        client.push("q", "p", "a" + i);
      }
      deposed.ownerUrl = "http://127.0.0.1:" + api.port();
      deposed.role = Engine.Role.STANDBY;
      var body = "{\"items\":[{\"queue\":\"q\",\"partition\":\"p\",\"payload\":1}]}";
      assertEquals(307, other.postAs(ANN, "/api/v1/push", body).status());
      assertEquals(0, buffers(other).get("pending").intValue());
    }
    assertEquals(500, ann.pop("q", "batch=1000").size());
  }

  @Test
  void withoutTheDatabaseAndWithAFullSpoolTheRowsSaySo(@TempDir Path otherDirectory) {
    var away = new FixtureEngine();
    away.role = Engine.Role.LOADING;
    var full = new SpoolConfig(otherDirectory, 0, 10, 10, 10);
    try (var other = new ApiFixture(away, new GatesFixture(away, full))) {
      var rows = new WireClient(other, ANN).push("q", "p", "1", "2");
      assertEquals(2, rows.size());
      assertEquals("failed", status(rows));
    }
  }

  private static JsonNode buffers(ApiFixture of) {
    return of.get("/api/v1/status/buffers").json();
  }

  @Test
  void recordsOfSomebodyElseAreRefusedByTheOwner() {
    var answer = api.postAs(BOB, "/internal/api/spool", "nothing of the kind");
    assertEquals(400, answer.status());
    assertEquals(
        Json.mapper().readTree("{\"error\":\"bad body: a record is cut off\"}"), answer.json());
  }
}
