package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The quotas that last: storage, the month, queues; conformance checks 9, 12 and 13. */
class QuotaIT {
  private static final String ONE = "{\"items\":[{\"queue\":\"q\",\"payload\":1}]}";
  private static final Map<String, String> QUICK =
      Map.of("QUEEN_PROXY_RECONCILE_MS", "50", "QUEEN_PROXY_METER_FLUSH_MS", "50");

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();
  @TempDir private Path folder;

  private static EdgeBench bench;
  private volatile String queues = "";
  private ProxyMain proxy;
  private TenantState.Tenant tenant;

  @BeforeAll
  static void start() {
    bench = new EdgeBench(DATABASE);
  }

  @AfterAll
  static void stop() {
    bench.close();
  }

  @BeforeEach
  void prepare() {
    bench.broker.reset();
    queues = "";
    bench.broker.answerWith(
        (ctx, seen) -> {
          if (seen.pathAndQuery().startsWith("/api/v1/resources/queues?")) {
            boolean mine = seen.header("x-queen-tenant").contains(tenant.brokerTenantUuid());
            RecordingBroker.json(ctx, 200, "{\"queues\":[" + (mine ? queues : "") + "]}");
          } else {
            usual(ctx, seen);
          }
        });
  }

  @AfterEach
  void stopProxies() {
    bench.closeProxies();
  }

  private static void usual(io.javalin.http.Context ctx, RecordingBroker.Seen seen)
      throws IOException {
    if (seen.pathAndQuery().startsWith("/api/v1/push")) {
      RecordingBroker.json(ctx, 201, "[{\"index\":0,\"status\":\"queued\"}]");
    } else {
      RecordingBroker.json(ctx, 200, "{\"messages\":[]}");
    }
  }

  private static String queue(String name, int partitions, Long retainedBytes) {
    return "{\"name\":\"%s\",\"partitions\":%d,\"retainedBytes\":%s}"
        .formatted(name, partitions, retainedBytes);
  }

  private EdgeClient.Call call(String method, String path) {
    return new EdgeClient(proxy.port()).call(method, path).host(tenant.host()).key(tenant.key());
  }

  private EdgeClient.Answer push() {
    return call("POST", "/api/v1/push").body(ONE).send();
  }

  private void awaitPush(int status, String code) {
    Await.until(
        "pushes answer " + status,
        Duration.ofSeconds(10),
        () -> {
          var answer = push();
          return answer.status() == status && (code == null || answer.code().equals(code));
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void overTheStorageCapPushesStopAndTheRestGoesOnUntilNineTenths(boolean enforce) {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"max_retained_bytes\": 1000}");
    queues = queue("q", 1, 1001L);
    var settings = new java.util.TreeMap<>(QUICK);
    settings.put("QUEEN_PROXY_ENFORCE", Boolean.toString(enforce));
    proxy = bench.proxy(settings);
    awaitPush(403, "storage_quota_exceeded");
    assertEquals(200, call("GET", "/api/v1/pop/queue/q").send().status());
    assertEquals(200, call("DELETE", "/api/v1/resources/queues/x").send().status());
    assertEquals(403, call("POST", "/api/v1/messages/p/t/retry").send().status());
    queues = queue("q", 1, 950L);
    double rounds = rounds();
    Await.until("it was looked at again", () -> rounds() > rounds + 2);
    assertEquals("storage_quota_exceeded", push().code(), "95 % is still blocked");
    queues = queue("q", 1, null);
    double unsaid = rounds();
    Await.until("it was looked at again", () -> rounds() > unsaid + 2);
    assertEquals("storage_quota_exceeded", push().code(), "no number changes nothing");
    queues = queue("q", 1, 900L);
    awaitPush(201, null);
  }

  private double rounds() {
    return EdgeBench.metric(proxy, "queencell_proxy_reconcile_rounds");
  }

  @Test
  void whatIsOnItsWayCountsBeforeTheBrokerSaysSo() {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"max_retained_bytes\": 10}");
    proxy = bench.proxy(Map.of());
    for (int i = 0; i < 10; i++) {
      assertEquals(201, push().status(), "byte " + (i + 1));
    }
    var refused = push();
    assertEquals(403, refused.status());
    assertEquals("storage_quota_exceeded", refused.code());
  }

  @Test
  void duplicatesTakeNoRoom() {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"max_retained_bytes\": 2}");
    bench.broker.answerWith(
        (ctx, seen) -> RecordingBroker.json(ctx, 201, "[{\"status\":\"duplicate\"}]"));
    proxy = bench.proxy(Map.of());
    for (int i = 0; i < 20; i++) {
      assertEquals(201, push().status());
    }
  }

  /** A refused push gives the new proxy nothing to remember the cluster by. */
  @Test
  void aBlockThatAProxyFoundEndsThoughNothingButPushesCome() {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"max_retained_bytes\": 1000}");
    queues = queue("q", 1, 5000L);
    proxy = bench.proxy(QUICK);
    awaitPush(403, "storage_quota_exceeded");
    bench.closeProxies();
    proxy = bench.proxy(QUICK);
    assertEquals("storage_quota_exceeded", push().code());
    queues = queue("q", 1, 100L);
    awaitPush(201, null);
  }

  @Test
  void aBlockOutlivesTheProxyAndTheAbsenceOfTheTenantState() throws Exception {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"max_retained_bytes\": 1000}");
    queues = queue("q", 1, 5000L);
    proxy = bench.proxy(QUICK);
    awaitPush(403, "storage_quota_exceeded");
    bench.closeProxies();
    var spool = Map.of("QUEEN_PROXY_SPOOL_DIR", folder.resolve("spool").toString());
    proxy = bench.proxy(spool);
    assertEquals("storage_quota_exceeded", push().code());
    assertEquals(200, call("GET", "/api/v1/pop/queue/q").send().status());
    var suspended = bench.state.tenant("bench");
    assertEquals(200, get(suspended).status());
    bench.state.tenantStatus(suspended, "suspended");
    Await.until("the suspension arrives", () -> get(suspended).status() == 403);
    // An answer that was asked for while the change came is not remembered; the next one is.
    assertEquals(403, get(suspended).status());
    bench.closeProxies();
    bench.state.process().pause();
    try {
      proxy = bench.proxy(spool);
      assertEquals("storage_quota_exceeded", push().code());
      assertEquals(200, call("GET", "/api/v1/pop/queue/q").send().status(), "known keys work");
      assertEquals("cluster_suspended", get(suspended).code());
      assertEquals(502, get(new TenantState.Tenant("other", "", "", "", "qk_x_y")).status());
    } finally {
      bench.state.process().resume();
    }
  }

  private EdgeClient.Answer get(TenantState.Tenant whose) {
    return new EdgeClient(proxy.port()).get("/x").host(whose.host()).key(whose.key()).send();
  }

  @Test
  void theMonthIsUsedUpByWhatTheBrokerTook() {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"monthly_msgs_quota\": 10, \"max_retained_bytes\": 1000}");
    proxy = bench.proxy(QUICK);
    for (int i = 0; i < 9; i++) {
      assertEquals(201, push().status());
    }
    Await.until("nine are metered", () -> bench.metered(tenant, "msgs", "push") == 9);
    assertEquals(201, push().status());
    awaitPush(403, "quota_exceeded");
    var refused = push().error();
    assertTrue(refused.contains("monthly_msgs_quota"), refused);
    assertTrue(refused.contains(YearMonth.now(ZoneOffset.UTC).plusMonths(1).toString()), refused);
    assertEquals(200, call("GET", "/api/v1/pop/queue/q").send().status());
    queues = queue("q", 1, 2000L);
    awaitPush(403, "storage_quota_exceeded");
    queues = queue("q", 1, 1L);
    awaitPush(403, "quota_exceeded");
    bench.state.overrides(tenant, "{\"monthly_msgs_quota\": 10000, \"max_retained_bytes\": 1000}");
    awaitPush(201, null);
  }

  @Test
  void aRestartForgetsNoQueueAndNoPartition() {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(tenant, "{\"max_queues\": 2, \"max_partitions_per_queue\": 2}");
    queues = queue("q1", 2, 1L) + "," + queue("q2", 1, 1L);
    bench.broker.answerWith(
        (ctx, seen) -> {
          if (seen.pathAndQuery().startsWith("/api/v1/resources/queues?")) {
            RecordingBroker.json(ctx, 200, "{\"queues\":[" + queues + "]}");
          } else if (seen.pathAndQuery().equals("/api/v1/resources/queues/q1")) {
            RecordingBroker.json(ctx, 200, "{\"partitions\":[{\"name\":\"a\"},{\"name\":\"b\"}]}");
          } else if (seen.pathAndQuery().equals("/api/v1/resources/queues/q2")) {
            RecordingBroker.json(ctx, 200, "{\"partitions\":[{\"name\":\"a\"}]}");
          } else {
            usual(ctx, seen);
          }
        });
    proxy = bench.proxy(Map.of());
    assertEquals(201, pushTo("q1", "b").status());
    assertEquals(403, pushTo("q1", "c").status());
    assertEquals(201, pushTo("q2", "b").status());
    assertEquals(403, pushTo("q2", "c").status());
    assertEquals(403, pushTo("q3", "a").status());
    assertEquals(403, call("POST", "/api/v1/configure").body("{\"queue\":\"q4\"}").send().status());
    assertEquals(
        201,
        call("DELETE", "/api/v1/resources/queues/q2").send().status() == 200
            ? pushTo("q3", "a").status()
            : 0);
  }

  private EdgeClient.Answer pushTo(String queue, String partition) {
    return call("POST", "/api/v1/push")
        .body(
            "{\"items\":[{\"queue\":\"%s\",\"partition\":\"%s\",\"payload\":1}]}"
                .formatted(queue, partition))
        .send();
  }

  @Test
  void everyAnswerTellsTheRateThatAppliesAndWhatIsLeft() {
    tenant = bench.state.tenant("bench");
    bench.state.overrides(
        tenant, "{\"max_req_per_sec\":1,\"req_burst\":3,\"max_msgs_per_sec\":1,\"msgs_burst\":2}");
    proxy = bench.proxy(Map.of());
    var first = push();
    assertEquals(201, first.status());
    assertEquals("\"requests\";q=3;w=3, \"messages\";q=2;w=2", first.header("ratelimit-policy"));
    assertEquals("\"requests\";r=2;t=0, \"messages\";r=1;t=0", first.header("ratelimit"));
    EdgeClient.Answer refused = push();
    for (int i = 0; i < 20 && refused.status() != 429; i++) {
      refused = push();
    }
    assertEquals(429, refused.status());
    assertTrue(refused.header("ratelimit").contains("r=0;t=1"), refused.header("ratelimit"));
    assertNotNull(refused.header("retry-after"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/kv | {\"ops\":[{\"op\":\"get\",\"key\":\"k\"},{\"op\":\"delete\"}]} | 200",
        "/api/v1/kv | {\"ops\":[{\"op\":\"get\"},{\"op\":\"put\"}]} | 403",
        "/api/v1/kv | nonsense | 403",
        "/api/v1/timers | {\"timers\":[{\"op\":\"cancel\"}]} | 200",
        "/api/v1/timers | {\"timers\":[{\"op\":\"cancel\"},{\"op\":\"schedule\"}]} | 403",
        "/streams/v1/cycle | {\"state_ops\":[1],\"push_items\":[]} | 200",
        "/streams/v1/cycle | {\"push_items\":[{\"queue\":\"q\",\"payload\":1}]} | 403",
      })
  void whilePushesAreBlockedABatchPassesThatOnlyShrinks(String path, String body, int status) {
    tenant = bench.state.tenant("bench");
    bench.state.clusterStatus(tenant, "push_blocked");
    proxy = bench.proxy(Map.of());
    var answer = call("POST", path).body(body).send();
    assertEquals(status, answer.status(), answer::text);
    if (status == 403) {
      assertEquals("push_blocked", answer.code());
      assertEquals(path.endsWith("timers"), answer.header("x-queen-timers-hint") != null);
    }
  }
}
