package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.auth.AuthConfig;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.maintenance.DatabaseSwitches;
import dev.queencell.broker.maintenance.Maintenance;
import dev.queencell.broker.store.Database;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The two pauses, over HTTP. */
@Timeout(120)
class MaintenanceIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final UUID ANN = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final UUID BOB = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");
  private static final String PUSH = "/api/v1/system/maintenance";
  private static final String POP = "/api/v1/system/maintenance/pop";

  @TempDir Path directory;
  private CellEngine engine;
  private ApiFixture api;
  private WireClient ann;
  private WireClient bob;

  /** Has what a pause must keep. */
  private WireNeighbour neighbour;

  @BeforeEach
  void start() {
    engine = ApiFixture.engineOn(DATABASE);
    api =
        new ApiFixture(
            engine,
            new GatesFixture(engine, directory, switches(), AuthConfig.OPEN, PayloadCipher.NONE));
    ann = new WireClient(api, ANN);
    bob = new WireClient(api, BOB);
    neighbour = WireNeighbour.beside(api, "q", "p", PopRequest.QUEUE_MODE);
  }

  @AfterEach
  void end() throws Exception {
    pause(POP, false);
    neighbour.check(api);
    engine.close();
    api.close();
    DATABASE.reset();
  }

  private static DatabaseSwitches switches() {
    return new DatabaseSwitches(
        new Database(DATABASE.jdbcUrl(), DATABASE.user(), DATABASE.password()));
  }

  private JsonNode pause(String what, boolean enabled) {
    return api.post(what, "{\"enabled\":" + enabled + "}").json();
  }

  private int pending() {
    return api.get("/api/v1/status/buffers").json().get("pending").intValue();
  }

  @Test
  void pausedPushesAreBufferedAndArriveOnceInOrderAfterwards() {
    ann.push("q", "p", "a");
    var on = pause(PUSH, true);
    assertEquals(
        "Maintenance mode ENABLED. All PUSHes routing to file buffer.",
        on.get("message").stringValue());
    assertTrue(on.get("maintenanceMode").booleanValue());
    for (var client : List.of(ann, bob)) {
      var rows = client.push("q", "p", "b", "c", "b");
      rows.forEach(row -> assertEquals("buffered", row.get("status").stringValue()));
    }
    // Pops, acknowledgements and transactions go on.
    var popped = ann.pop("q", "batch=10");
    assertEquals(List.of("a"), WireClient.texts(popped));
    assertTrue(ann.ack(popped.getFirst(), "completed").get("success").booleanValue());
    assertEquals(6, pending());

    var off = pause(PUSH, false);
    assertEquals(
        "Maintenance mode DISABLED. Background processor will drain buffer to DB.",
        off.get("message").stringValue());
    ann.push("q", "p", "d");
    Await.until("all is replayed", () -> pending() == 0);
    assertEquals(List.of("b", "c", "d"), WireClient.texts(ann.pop("q", "batch=10")));
    assertEquals(List.of("b", "c"), WireClient.texts(bob.pop("q", "batch=10")));
  }

  @Test
  void aPauseThatTheDiskRefusesIsAnErrorWithTheRows() throws IOException {
    pause(PUSH, true);
    var away = directory.resolveSibling(directory.getFileName() + "-away");
    Files.move(directory, away);
    var answer = api.postAs(ANN, "/api/v1/push", "{\"items\":[{\"queue\":\"q\",\"payload\":1}]}");
    Files.move(away, directory);
    assertEquals(500, answer.status());
    assertEquals("failed", answer.json().get(0).get("status").stringValue());
    assertFalse(api.get(PUSH).json().get("bufferHealthy").booleanValue());
  }

  @Test
  void thePageTellsAllThatIsSpooled() {
    pause(PUSH, true);
    ann.push("q", "p", "a", "b");
    var page = api.get(PUSH).json();
    assertTrue(page.get("maintenanceMode").booleanValue());
    assertFalse(page.get("popMaintenanceMode").booleanValue());
    assertEquals(2, page.get("bufferedMessages").intValue());
    assertTrue(page.get("bufferHealthy").booleanValue());
    var stats = page.get("bufferStats");
    assertEquals(2, stats.get("pendingCount").intValue());
    assertEquals(0, stats.get("failedCount").intValue());
    assertTrue(stats.get("dbHealthy").booleanValue());
    var failed = stats.get("failedFiles");
    for (var key : List.of("count", "totalBytes", "totalMB", "failoverCount", "qos0Count")) {
      assertEquals(0, failed.get(key).doubleValue(), key);
    }
    var metrics = api.get("/metrics/prometheus").body();
    assertTrue(metrics.contains("queen_file_buffer_pending 2.0"), metrics);
    assertTrue(metrics.contains("queen_maintenance_mode_enabled 1.0"), metrics);
    var shared = api.get("/api/v1/system/shared-state").json();
    assertTrue(shared.get("maintenance_mode").booleanValue());
    assertEquals("single_node_segments_broker", shared.get("reason").stringValue());
    assertEquals(0, api.get("/api/v1/status/buffers").json().get("worker").intValue());
  }

  @Test
  void pausedPopsAreAnsweredWithNothingAtOnceAlsoThoseThatWait() throws Exception {
    CompletableFuture<ApiFixture.Answer> parked =
        CompletableFuture.supplyAsync(
            () -> ann.get("/api/v1/pop/queue/idle?wait=true&timeout=100000"));
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() == 1);
    assertEquals(
        "Pop maintenance mode ENABLED. All POP operations will return empty arrays.",
        pause(POP, true).get("message").stringValue());
    assertEquals(204, parked.get().status());
    ann.push("q", "p", "a");
    assertEquals(204, ann.get("/api/v1/pop/queue/q?wait=true&timeout=100000").status());
    assertTrue(api.get(POP).json().get("popMaintenanceMode").booleanValue());

    pause(POP, false);
    assertEquals(
        "Pop maintenance mode is OFF. Normal operation.",
        api.get(POP).json().get("message").stringValue());
    assertEquals(List.of("a"), WireClient.texts(ann.pop("q", "batch=10")));
  }

  @Test
  void theSwitchesOutliveTheirBrokerAndReachTheOthers() throws Exception {
    try (var other = new Maintenance(switches())) {
      Await.until("it knows the switches", other::known);
      assertFalse(other.pushPaused());
      pause(PUSH, true);
      pause(POP, true);
      Await.until("it has heard of both", () -> other.pushPaused() && other.popPaused());
    }
    try (var later = new Maintenance(switches())) {
      Await.until("it knows the switches", later::known);
      assertTrue(later.pushSwitch() && later.popPaused());
    }
  }

  @Test
  void whatIsNoSwitchIsRefused() {
    for (var body : List.of("", "{}", "{\"enabled\":null}", "{\"enabled\":\"true\"}")) {
      for (var what : List.of(PUSH, POP)) {
        var answer = api.post(what, body);
        assertEquals(400, answer.status());
        assertEquals("{\"error\":\"enabled (boolean) is required\"}", answer.body());
      }
    }
    assertEquals(400, api.post("/internal/api/notify", "{}").status());
    assertEquals(
        "{\"status\":\"ok\"}", api.post("/internal/api/notify", "{\"queue\":\"q\"}").body());
    assertEquals(
        "no_peers",
        api.get("/internal/api/inter-instance/stats").json().get("reason").stringValue());
    for (var path : List.of("/api/v1/system/kv-timers", "/api/v1/system/ephemeral")) {
      assertEquals("no_such_route", api.get(path).json().get("code").stringValue());
    }
  }
}
