package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.Engine.Role;
import dev.queencell.broker.engine.Metering.LastMinute;
import dev.queencell.broker.engine.Metering.QueueDepth;
import dev.queencell.broker.engine.Metering.QueueMinute;
import dev.queencell.broker.engine.Metering.TenantCounts;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.QueueCounts;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ManagementApiTest {
  private static final String PUSH = "/api/v1/push";

  private final FixtureEngine engine = new FixtureEngine();
  private final ApiFixture api = new ApiFixture(engine, false);

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void configurePassesOptionsOnAndEchoesAllOfThem() throws Exception {
    var answer =
        api.post(
            "/api/v1/configure",
            "{\"queue\":\"q\",\"namespace\":\"n\",\"options\":{\"leaseTime\":5,\"task\":null,\"replace\":true,\"ttl\":null}}");
    assertEquals(200, answer.status());
    var json = answer.json();
    assertEquals(true, json.get("configured").booleanValue());
    assertTrue(json.get("partitionId").isNull());
    assertEquals("segments", json.get("storage").stringValue());
    assertEquals(19, json.get("options").size());
    assertEquals(3600, json.get("options").get("dedupWindowSeconds").intValue());
    var asked = engine.asked.take();
    assertEquals("configure q n  false", asked.what());
    assertEquals("{\"leaseTime\":5,\"ttl\":null}", asked.details().toString());
    api.post("/api/v1/configure", "{\"queue\":\"\",\"mode\":\"replace\",\"leaseTime\":9}");
    asked = engine.asked.take();
    assertEquals("configure  null null true", asked.what());
    assertEquals("{\"leaseTime\":9}", asked.details().toString());
  }

  @Test
  void configureRefusesWhatTheContractRefuses() {
    assertEquals(400, configure("").status());
    assertEquals(400, configure("[]").status());
    assertEquals("{\"error\":\"bad body: queue is missing\"}", configure("{}").body());
    assertEquals(
        "{\"error\":\"bad body: queue must be a string\"}", configure("{\"queue\":5}").body());
    assertEquals(
        "{\"error\":\"mode must be \\\"merge\\\" or \\\"replace\\\", got \\\"Replace\\\"\"}",
        configure("{\"queue\":\"q\",\"mode\":\"Replace\"}").body());
    assertEquals(400, configure("{\"queue\":\"q\",\"options\":[]}").status());
    assertEquals(
        "retentionSinkHold",
        configure("{\"queue\":\"q\",\"options\":{\"retentionSinkHold\":\"a b\"}}")
            .json()
            .get("invalid")
            .stringValue());
    assertEquals(
        "retentionSinkHoldMaxSeconds",
        configure("{\"queue\":\"q\",\"options\":{\"retentionSinkHoldMaxSeconds\":59}}")
            .json()
            .get("invalid")
            .stringValue());
    assertEquals(
        "{\"error\":\"options.leaseTime must be a whole number\"}",
        configure("{\"queue\":\"q\",\"options\":{\"leaseTime\":\"x\"}}").body());
    assertEquals(413, configure("{\"queue\":\"" + "x".repeat(1 << 20) + "\"}").status());
  }

  @Test
  void queuesAreListedShownMeasuredAndDeleted() throws Exception {
    var list = api.get("/api/v1/resources/queues?stats=cached").json().get("queues");
    assertEquals(2, list.size());
    assertEquals(10, list.get(0).get("messages").get("total").intValue());
    assertEquals(1, list.get(0).get("partitions").intValue());
    assertEquals(900, list.get(0).get("retainedBytes").intValue());
    assertEquals(2, list.get(0).get("segments").get("segments").intValue());
    var detail = api.get("/api/v1/resources/queues/a%2Fb").json();
    assertEquals("a/b", detail.get("name").stringValue());
    assertEquals(21, detail.get("options").size());
    assertEquals(6, detail.get("partitions").get(0).get("stats").get("completed").intValue());
    assertTrue(detail.get("partitions").get(0).get("oldestMessage").isString());
    assertEquals(5, detail.get("totals").get("deadLetter").intValue());
    assertEquals(900, detail.get("retainedBytes").intValue());
    assertEquals(4, detail.get("totals").get("pending").intValue());
    engine.asked.clear();
    var depth = api.get("/api/v1/resources/queues/a/depth?group=g").json();
    assertEquals("g", engine.asked.take().details());
    assertEquals("g", depth.get("group").stringValue());
    assertEquals(4, depth.get("pending").intValue());
    assertEquals(3, depth.get("processing").intValue());
    assertEquals(1, depth.get("ready").intValue());
    assertEquals(1, depth.get("partitionsReady").intValue());
    for (var path : List.of("missing", "missing/depth", "x".repeat(256))) {
      var missing = api.get("/api/v1/resources/queues/" + path);
      assertEquals(404, missing.status());
      assertEquals("{\"error\":\"Queue not found\"}", missing.body());
    }
    assertEquals(
        "{\"deleted\":true,\"queue\":\"a\",\"existed\":true}",
        api.delete("/api/v1/resources/queues/a").body());
    var gone = api.delete("/api/v1/resources/queues/missing");
    assertEquals(200, gone.status());
    assertEquals(
        "{\"deleted\":false,\"queue\":\"missing\",\"existed\":false,"
            + "\"message\":\"Queue not found, nothing was deleted\"}",
        gone.body());
  }

  @Test
  void healthTellsTheRole() {
    var owner = api.get("/health");
    assertEquals(200, owner.status());
    assertEquals(
        "{\"status\":\"healthy\",\"database\":\"connected\",\"engine\":\"segments-rust\","
            + "\"version\":\"1.2.3\",\"role\":\"owner\"}",
        owner.body());
    engine.role = Role.STANDBY;
    assertEquals("standby", api.get("/health").json().get("role").stringValue());
    assertEquals(200, api.get("/health").status());
    engine.role = Role.LOADING;
    assertEquals(503, api.get("/health").status());
    engine.role = Role.OWNER;
    engine.databaseAnswers = false;
    var away = api.get("/health");
    assertEquals(503, away.status());
    assertEquals("unhealthy", away.json().get("status").stringValue());
    assertEquals("disconnected", away.json().get("database").stringValue());
  }

  @Test
  void metricsComeAsJsonAndAsPrometheusText() {
    var json = api.get("/metrics").json();
    assertEquals(10, json.get("requests").get("total").intValue());
    assertEquals("owner", json.get("role").stringValue());
    assertEquals("1.2.3", json.get("build").get("version").stringValue());
    assertTrue(json.get("memory").get("rss").longValue() > 0);
    var page = api.get("/metrics/prometheus");
    assertEquals(
        "text/plain; version=0.0.4; charset=utf-8",
        page.header("Content-Type").toLowerCase(java.util.Locale.ROOT));
    assertEquals("no-cache", page.header("Cache-Control"));
    for (var line :
        List.of(
            "queen_process_push_requests_total 1.0",
            "queen_process_push_messages_total 2.0",
            "queen_process_pop_requests_total 3.0",
            "queen_process_pop_messages_total 4.0",
            "queen_process_ack_requests_total 6.0",
            "queen_process_ack_messages_total 7.0",
            "queen_parked_long_polls 16.0",
            "queencell_commits_total 11.0")) {
      assertTrue(page.body().contains("\n" + line + "\n"), line + " in\n" + page.body());
    }
    assertTrue(page.body().contains("queen_uptime_seconds "), page.body());
    assertTrue(page.body().contains("queen_process_resident_memory_bytes "));
    assertTrue(
        Stream.of(page.body().split("\n"))
            .anyMatch(l -> l.startsWith("queencell_http_request_body_bytes_total")));
  }

  @Test
  void metricsTellOfTheDatabaseAndOfTheProcess() {
    var json = api.get("/metrics").json();
    assertEquals(
        "{\"poolSize\":5,\"idleConnections\":2,\"waitingRequests\":0,\"version\":\"18.0\","
            + "\"settings\":{\"fsync\":\"on\"}}",
        json.get("database").toString());
    assertTrue(json.get("cpu").get("user").longValue() > 0);
    var page = api.get("/metrics/prometheus").body();
    for (var family :
        List.of(
            "queen_db_pool_size 5.0",
            "queen_db_pool_active 3.0",
            "queen_maintenance_mode_enabled 0.0",
            "queen_cluster_push_messages_total{scope=\"cluster\"} 2.0",
            "queen_queue_metrics_age_seconds -1.0")) {
      assertTrue(page.contains("\n" + family + "\n"), family + " in\n" + page);
    }
    assertTrue(page.contains("jvm_threads_live_threads"), page);
    assertTrue(page.contains("queencell_jvm_allocated_bytes_total"), page);
  }

  @Test
  void everyTenantHasSeriesAndOfManyQueuesTheBusiestDo() {
    var tenant = new UUID(7, 7);
    engine.metering.tenants =
        Map.of(
            tenant.toString(),
            new TenantCounts(1, 2, 3, 4, 5, 6),
            "other",
            new TenantCounts(10, 20, 30, 40, 50, 60));
    var queues = new ArrayList<QueueMinute>();
    for (int i = 0; i < QueueSeries.QUEUES_MAX + 3; i++) {
      var counts = new QueueCounts();
      counts.set(QueueCount.PUSH_MESSAGES, 1_000 - i);
      counts.set(QueueCount.POPS, 2);
      counts.set(QueueCount.LAG_MILLIS, 10);
      counts.set(QueueCount.LAG_MILLIS_MAX, 8);
      queues.add(new QueueMinute(tenant, "q" + i, counts));
    }
    engine.metering.lastMinute = new LastMinute(5, queues);
    var page = api.get("/metrics/prometheus").body();
    for (var line :
        List.of(
            "queencell_tenant_push_messages_total{tenant=\"%s\"} 2.0".formatted(tenant),
            "queencell_tenant_dead_letters_total{tenant=\"other\"} 60.0",
            "queen_cluster_ack_total{result=\"failed\",scope=\"cluster\"} 55.0",
            "queen_cluster_dlq_total{scope=\"cluster\"} 66.0",
            "queen_queue_push_messages_per_minute{queue=\"q0\",tenant=\"%s\"} 1000.0"
                .formatted(tenant),
            "queen_queue_push_messages_per_minute{queue=\"other\",tenant=\"other\"} 2397.0",
            "queen_queue_pop_lag_milliseconds{queue=\"q7\",stat=\"avg\",tenant=\"%s\"} 5.0"
                .formatted(tenant),
            "queen_queue_metrics_age_seconds 5.0")) {
      assertTrue(page.contains("\n" + line + "\n"), line + " in\n" + page);
    }
    assertEquals(
        QueueSeries.QUEUES_MAX + 1,
        page.lines().filter(l -> l.startsWith("queen_queue_push_messages_per_minute{")).count());
    // Nothing has happened for a while: rates of then are no rates of now.
    engine.metering.lastMinute = new LastMinute(500, queues);
    assertFalse(api.get("/metrics/prometheus").body().contains("per_minute{"));
  }

  @Test
  void metricsTellOfDeadLettersAndOfWorksByTheirKind() {
    var depths = new ArrayList<QueueDepth>();
    var tenant = new UUID(7, 7);
    for (int i = 0; i < QueueSeries.QUEUES_MAX + 2; i++) {
      depths.add(new QueueDepth(tenant, "q" + i, 1_000 - i));
    }
    engine.metering.deadLetters = depths;
    var page = api.get("/metrics/prometheus").body();
    long all = depths.stream().mapToLong(QueueDepth::deadLetters).sum();
    for (var line :
        List.of(
            "queen_dlq_depth{scope=\"cluster\"} %.1f".formatted((double) all),
            "queen_dlq_depth_by_queue{queue=\"q0\",tenant=\"%s\"} 1000.0".formatted(tenant),
            "queen_dlq_depth_by_queue{queue=\"other\",tenant=\"other\"} 1599.0",
            "queen_batch_commits_total{op=\"push\"} 100.0",
            "queen_batch_requests_total{op=\"pop\"} 2000.0",
            "queen_batch_messages_total{op=\"ack\"} 30000.0",
            "queen_admission_waiting{lane=\"ack\"} 3.0",
            "queen_admission_admitted_total{lane=\"maint\"} 40.0",
            "queen_admission_wait_seconds_total{lane=\"push\"} 0.5",
            "queencell_autopilot_pops_total{mode=\"on\"} 3.0",
            "queencell_autopilot_partitions_total{mode=\"shadow\"} 20.0")) {
      assertTrue(page.contains("\n" + line + "\n"), line + " in\n" + page);
    }
    assertFalse(page.contains("op=\"maint\""), page);
    engine.metering.deadLetters = List.of();
    page = api.get("/metrics/prometheus").body();
    assertTrue(page.contains("queen_dlq_depth{scope=\"cluster\"} 0.0"), page);
    assertFalse(page.contains("queen_dlq_depth_by_queue{"), page);
  }

  @Test
  void statusShowsTheLimits() {
    var status = api.get("/status").json();
    assertEquals("ok", status.get("status").stringValue());
    assertEquals(16_777_216, status.get("limits").get("messageBytesMax").intValue());
    assertEquals(1 << 20, status.get("limits").get("bodyBytesMax").intValue());
  }

  @Test
  void aPreflightIsAnsweredAndAnOriginLetInOnlyWhereConfigured() {
    var preflight = api.send(api.request(PUSH).method("OPTIONS", BodyPublishers.noBody()));
    assertEquals(204, preflight.status());
    assertNull(preflight.header("Access-Control-Allow-Origin"));
    try (var open = new ApiFixture(engine, false, 1 << 20, 64L << 20, "https://console.example")) {
      var allowed = open.send(open.request(PUSH).method("OPTIONS", BodyPublishers.noBody()));
      assertEquals(204, allowed.status());
      assertEquals("https://console.example", allowed.header("Access-Control-Allow-Origin"));
      assertTrue(allowed.header("Access-Control-Allow-Methods").contains("POST"));
      assertEquals(
          "https://console.example",
          open.post(PUSH, "{\"items\":[]}").header("Access-Control-Allow-Origin"));
    }
  }

  private ApiFixture.Answer configure(String body) {
    return api.post("/api/v1/configure", body);
  }
}
