package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Settings;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what, on the real tenant state: conformance checks 1 to 7, 14, 15, 18 and 20. */
class EdgeIT {
  private static final String ONE = "{\"items\":[{\"queue\":\"orders\",\"payload\":1}]}";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static TenantState state;
  private static RecordingBroker broker;
  private ProxyMain proxy;
  private EdgeClient client;

  @BeforeAll
  static void startStateAndBroker() {
    state = TenantState.start(DATABASE);
    broker = new RecordingBroker(0);
    state.useBroker(broker.port());
  }

  @AfterAll
  static void stopStateAndBroker() {
    broker.close();
    state.close();
  }

  @BeforeEach
  void startProxy() {
    broker.reset();
    restart(Map.of("QUEEN_PROXY_ENFORCE", "true"));
  }

  @AfterEach
  void stopProxy() {
    broker.release();
    proxy.close();
  }

  private void restart(Map<String, String> settings) {
    if (proxy != null) {
      proxy.close();
    }
    var environment = new TreeMap<>(settings);
    environment.put("QUEEN_PROXY_PORT", "0");
    environment.put("QUEENCELL_STATE_URL", state.url().toString());
    environment.put("QUEENCELL_EDGE_TOKEN", TenantState.EDGE_TOKEN);
    proxy = ProxyMain.start(ProxyConfig.read(new Settings(environment)));
    client = new EdgeClient(proxy.port());
  }

  private EdgeClient.Answer push(TenantState.Tenant tenant, String body) {
    return client.post("/api/v1/push").host(tenant.host()).key(tenant.key()).body(body).send();
  }

  private EdgeClient.Answer get(TenantState.Tenant tenant, String path) {
    return client.get(path).host(tenant.host()).key(tenant.key()).send();
  }

  private static void assertRefused(int status, String code, EdgeClient.Answer answer) {
    assertEquals(status, answer.status(), answer::text);
    assertEquals(code, answer.code());
    assertEquals("application/json", answer.header("content-type"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nobody.queen.test", "queen", "127.0.0.1:80", "[::1]:80", "a_b.x", "NOBODY.x."})
  void anUnknownHostIsMisdirected(String host) {
    var tenant = state.tenant("bench");
    assertRefused(
        421, "cluster_unknown", client.get("/health").host(host).key(tenant.key()).send());
    assertEquals(List.of(), broker.seen());
  }

  @Test
  void hostsAreReadByTheirFirstLabelWhateverTheCase() {
    var tenant = state.tenant("bench");
    var host = tenant.slug().toUpperCase(Locale.ROOT) + ".Anything.example.:99";
    assertEquals(200, client.get("/health").host(host).key(tenant.key()).send().status());
  }

  @Test
  void theDefaultClusterAnswersUnknownHosts() {
    var tenant = state.tenant("bench");
    restart(Map.of("QUEEN_PROXY_DEFAULT_CLUSTER", tenant.slug()));
    assertEquals(200, client.get("/health").host("nobody.x").key(tenant.key()).send().status());
  }

  @Test
  void onASharedHostTheKeyAloneNamesTheCluster() {
    var a = state.tenant("bench");
    var b = state.tenant("bench");
    restart(Map.of("QUEEN_PROXY_SHARED_HOSTS", "Queen.Example, other.example"));
    for (var tenant : List.of(a, b)) {
      var answer = client.get("/health").host("queen.example.:6711").key(tenant.key()).send();
      assertEquals(200, answer.status());
      assertEquals(List.of(tenant.brokerTenantUuid()), broker.last().header("x-queen-tenant"));
    }
    assertRefused(401, "unauthorized", client.get("/health").host("queen.example").send());
    assertRefused(
        401,
        "unauthorized",
        client.get("/health").host("queen.example").key("qk_x_unknown").send());
    assertRefused(
        403,
        "forbidden",
        client
            .get("/health")
            .host("queen.example")
            .key(a.key())
            .header("x-queen-act-cluster", a.slug())
            .send());
    // Every host of such a listener keeps its secrets from those without a key.
    assertRefused(401, "unauthorized", client.get("/health").host("nobody.x").send());
    assertRefused(
        421, "cluster_unknown", client.get("/health").host("nobody.x").key(a.key()).send());
    assertEquals(200, client.get("/health").host(a.host()).key(a.key()).send().status());
    state.tenantStatus(a, "suspended");
    Await.until(
        "the suspension arrives",
        () -> client.get("/health").host(a.host()).key(a.key()).send().status() == 403);
    assertRefused(401, "unauthorized", client.get("/health").host(a.host()).send());
    assertRefused(
        403, "cluster_suspended", client.get("/health").host("queen.example").key(a.key()).send());
  }

  @Test
  void aKeyOpensItsOwnClusterOnly() {
    var a = state.tenant("bench");
    var b = state.tenant("bench");
    var crossed = client.get("/health").host(b.host()).key(a.key()).send();
    assertRefused(403, "forbidden", crossed);
    assertEquals("key/cluster mismatch", crossed.error());
    assertRefused(
        403,
        "forbidden",
        client
            .post("/api/v1/push")
            .host(a.host())
            .key(a.key())
            .header("X-Queen-Act-Cluster", a.slug())
            .body(ONE)
            .send());
    assertEquals(List.of(), broker.seen());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer qk_live_0000000000000000000000000000000000000000000",
        "Bearer qk_",
        "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x",
        "Basic cWs6eA==",
        "qk_live_raw",
        "Bearer",
      })
  void withoutALiveKeyThereIsNoWayIn(String authorization) {
    var tenant = state.tenant("bench");
    assertRefused(
        401,
        "unauthorized",
        client
            .get("/health")
            .host(tenant.host())
            .header("Authorization", authorization)
            .header("Cookie", "queen_session=" + tenant.key())
            .send());
    assertRefused(401, "unauthorized", client.get("/health").host(tenant.host()).send());
    assertEquals(List.of(), broker.seen());
  }

  @Test
  void aKeyMayDoWhatItsScopesSay() {
    var tenant = state.tenant("bench");
    var produce = state.key(tenant, "produce");
    var consume = state.key(tenant, "consume");
    var admin = state.key(tenant, "admin");
    var read = state.key(tenant, "read");
    assertStatus(201, tenant, produce, "POST", "/api/v1/push");
    assertStatus(403, tenant, produce, "GET", "/api/v1/pop/queue/q");
    assertStatus(403, tenant, produce, "GET", "/api/v1/resources/queues");
    assertStatus(200, tenant, produce, "POST", "/api/v1/transaction");
    assertStatus(403, tenant, consume, "POST", "/api/v1/push");
    assertStatus(204, tenant, consume, "GET", "/api/v1/pop/queue/q");
    assertStatus(200, tenant, consume, "POST", "/api/v1/ack");
    assertStatus(403, tenant, consume, "POST", "/api/v1/configure");
    assertStatus(200, tenant, admin, "POST", "/api/v1/configure");
    assertStatus(200, tenant, admin, "GET", "/api/v1/resources/queues");
    assertStatus(403, tenant, admin, "POST", "/api/v1/push");
    assertStatus(200, tenant, read, "GET", "/api/v1/resources/queues");
    assertStatus(403, tenant, read, "POST", "/api/v1/messages/p/t/retry");
    assertStatus(403, tenant, read, "DELETE", "/api/v1/resources/queues/q");
    assertStatus(200, tenant, read, "GET", "/api/v1/kv/ns/k");
    assertStatus(403, tenant, read, "PUT", "/api/v1/kv/ns/k");
    assertStatus(200, tenant, consume, "PUT", "/api/v1/kv/ns/k");
  }

  private void assertStatus(
      int expected, TenantState.Tenant tenant, String key, String method, String path) {
    var answer = client.call(method, path).host(tenant.host()).key(key).body("{}").send();
    assertEquals(expected, answer.status(), method + " " + path + ": " + answer.text());
    if (expected == 403) {
      assertEquals("forbidden", answer.code());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/pop?namespace=x",
    "GET, /metrics",
    "GET, /metrics/prometheus",
    "POST, /internal/api/notify",
    "GET, /api/v1/nonsense",
    "GET, /api/v1/system/maintenance",
    "GET, /api/v1/status",
    "GET, /api/v1/stats/refresh",
    "GET, /API/v1/pop/queue/q",
    "GET, /METRICS",
    "GET, //metrics",
    "GET, /metrics/",
    "GET, /api/v1/push/",
    "POST, /api/cp/keys",
    "GET, /api/edge/changes",
    "BREW, /health",
  })
  void whatIsNotForTenantsDoesNotExist(String method, String path) {
    var tenant = state.tenant("bench");
    var answer = client.call(method, path).host(tenant.host()).key(tenant.key()).send();
    assertTrue(
        (answer.status() == 404 && answer.code().equals("route_blocked")) || answer.status() == 400,
        answer.status() + " " + answer.text());
    assertEquals(List.of(), broker.seen());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/x/../metrics",
        "/api/v1/%2e%2e/%2e%2e/metrics",
        "/%6detrics",
        "/metrics;x=1",
        "/api/v1/status%2Fbuffers",
        "/./metrics",
        "/api\\v1\\status",
        "/%00",
      })
  void trickySpellingsNeverReachTheBroker(String path) {
    var tenant = state.tenant("bench");
    var answer = client.get(path).host(tenant.host()).key(tenant.key()).send();
    assertTrue(answer.status() == 404 || answer.status() == 400, answer.status() + " " + path);
    assertEquals(List.of(), broker.seen());
  }

  @Test
  void theBrokerHearsOfTheTenantFromTheProxyAlone() {
    var tenant = state.tenant("bench");
    var other = state.tenant("bench");
    var answer =
        client
            .post("/api/v1/push?x=%20y&x=2")
            .host(tenant.host())
            .key(tenant.key())
            .header("x-queen-tenant", other.brokerTenantUuid())
            .header("X-QUEEN-TENANT", "00000000-0000-0000-0000-000000000001")
            .header("Connection", "x-queen-tenant, x-private, keep-alive")
            .header("X-Private", "hop")
            .header("Cookie", "a=b")
            .header("Proxy-Authorization", "Basic x")
            .header("TE", "trailers")
            .header("x-queen-cp-token", "guess")
            .header("X-Request-Id", "kept")
            .header("Content-Type", "application/json")
            .body(ONE)
            .send();
    assertEquals(201, answer.status());
    var seen = broker.last();
    assertEquals("/api/v1/push?x=%20y&x=2", seen.pathAndQuery());
    assertEquals(List.of(tenant.brokerTenantUuid()), seen.header("x-queen-tenant"));
    assertEquals(List.of("Bearer " + TenantState.CELL_SECRET), seen.header("authorization"));
    for (var gone :
        List.of("cookie", "x-private", "proxy-authorization", "te", "x-queen-cp-token")) {
      assertEquals(List.of(), seen.header(gone), gone);
    }
    assertEquals(List.of("kept"), seen.header("x-request-id"));
    assertEquals(List.of("application/json"), seen.header("content-type"));
    assertEquals(ONE, new String(seen.body(), StandardCharsets.UTF_8));
  }

  @Test
  void withoutTheTenantHeaderTheClientsIsStillTakenAway() {
    var tenant = state.tenant("bench");
    restart(Map.of("QUEEN_PROXY_TENANT_HEADER", "false"));
    client
        .get("/health")
        .host(tenant.host())
        .key(tenant.key())
        .header("x-queen-tenant", "mine")
        .send();
    assertEquals(List.of(), broker.last().header("x-queen-tenant"));
  }

  @Test
  void twoTenantsWithTheSameNamesStayApart() {
    var a = state.tenant("bench");
    var b = state.tenant("bench");
    push(a, ONE);
    assertEquals(List.of(a.brokerTenantUuid()), broker.last().header("x-queen-tenant"));
    push(b, ONE);
    assertEquals(List.of(b.brokerTenantUuid()), broker.last().header("x-queen-tenant"));
    assertNotEquals(a.brokerTenantUuid(), b.brokerTenantUuid());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anItemOneByteOverTheCapIsRefusedAlsoInShadowMode(boolean enforce) {
    restart(Map.of("QUEEN_PROXY_ENFORCE", Boolean.toString(enforce)));
    var tenant = state.tenant("bench");
    state.overrides(tenant, "{\"max_payload_bytes\": 10, \"max_batch_items\": 3}");
    var item = "{\"queue\":\"q\",\"payload\":\"%s\"}";
    var fits = item.formatted("12345678");
    var over = item.formatted("123456789");
    assertEquals(
        201, push(tenant, "{\"items\":[" + String.join(",", fits, fits, fits) + "]}").status());
    var refused = push(tenant, "{\"items\":[" + fits + "," + over + "]}");
    assertRefused(413, "payload_too_large", refused);
    assertTrue(refused.error().contains("item 1 is 11 bytes"), refused.error());
    assertRefused(
        413,
        "payload_too_large",
        push(tenant, "{\"items\":[" + String.join(",", fits, fits, fits, fits) + "]}"));
    assertRefused(
        413,
        "payload_too_large",
        client
            .post("/api/v1/push")
            .host(tenant.host())
            .key(tenant.key())
            .chunked("{\"items\":[" + over + "]}")
            .send());
    assertEquals(1, broker.seen().size());
  }

  @Test
  void aBodyOverTheCapIsRefusedWhetherItsLengthIsAnnouncedOrNot() {
    restart(Map.of("QUEEN_PROXY_MAX_BODY_BYTES", "100"));
    var tenant = state.tenant("bench");
    var body = "{\"items\":[" + " ".repeat(100) + "]}";
    assertRefused(413, "payload_too_large", push(tenant, body));
    assertRefused(
        413,
        "payload_too_large",
        client.post("/api/v1/push").host(tenant.host()).key(tenant.key()).chunked(body).send());
    // What is not looked at is the broker's to bound.
    assertEquals(
        200,
        client
            .post("/api/v1/ack")
            .host(tenant.host())
            .key(tenant.key())
            .body(body)
            .send()
            .status());
  }

  @Test
  void theTwentySixthRequestOnFreeWaitsAndRefusalsDontDeepenTheDeficit() {
    var tenant = state.tenant("free");
    int granted = 0;
    EdgeClient.Answer refused = null;
    long startNs = System.nanoTime();
    for (int i = 0; i < 60; i++) {
      var answer = get(tenant, "/health");
      if (answer.status() == 200) {
        granted++;
      } else {
        refused = answer;
      }
    }
    double seconds = (System.nanoTime() - startNs) / 1e9;
    assertTrue(granted >= 25 && granted <= 26 + 5 * seconds, granted + " in " + seconds + " s");
    if (refused == null) {
      throw new AssertionError("60 requests in " + seconds + " s were all granted");
    }
    assertRefused(429, "rate_limited", refused);
    assertEquals("1", refused.header("retry-after"));
    Await.until(
        "a token is back", Duration.ofSeconds(2), () -> get(tenant, "/health").status() == 200);
  }

  @Test
  void inShadowModeTheRequestPassesAndIsNoted() {
    restart(Map.of());
    var tenant = state.tenant("free");
    for (int i = 0; i < 60; i++) {
      assertEquals(200, get(tenant, "/health").status());
    }
    var metrics =
        new EdgeClient(proxy.adminPort()).get("/metrics/prometheus").host("x").send().text();
    assertTrue(
        metrics
            .lines()
            .anyMatch(
                line -> line.startsWith("queencell_proxy_would_block_total{limit=\"requests\"}")),
        metrics);
  }

  @Test
  void messagesAreCountedWhenPushedAndWhenDelivered() {
    var tenant = state.tenant("bench");
    state.overrides(tenant, "{\"max_msgs_per_sec\": 1, \"msgs_burst\": 10}");
    var three = "{\"items\":[{\"payload\":1},{\"payload\":2},{\"payload\":3}]}";
    assertEquals(201, push(tenant, three).status());
    broker.answerWith(
        (ctx, seen) ->
            RecordingBroker.json(
                ctx, 200, "{\"messages\":[" + "{\"data\":1},".repeat(29) + "{\"data\":1}]}"));
    assertEquals(200, get(tenant, "/api/v1/pop/queue/q").status());
    var refused = push(tenant, three);
    assertRefused(429, "rate_limited", refused);
    int retryAfter = Integer.parseInt(refused.header("retry-after"));
    assertTrue(retryAfter > 15 && retryAfter <= 26, "7 - 30 of a burst of 10: " + retryAfter);
    assertEquals(201, statusOfPush(tenant, "{\"items\":[]}"), "no messages are always free");
  }

  private int statusOfPush(TenantState.Tenant tenant, String body) {
    broker.answerWith((ctx, seen) -> RecordingBroker.json(ctx, 201, "[]"));
    return push(tenant, body).status();
  }

  @Test
  void aBrokenPushBodyIsTheBrokersToRefuse() {
    var tenant = state.tenant("free");
    broker.answerWith((ctx, seen) -> RecordingBroker.json(ctx, 400, "{\"error\":\"bad body: x\"}"));
    var answer = push(tenant, "{\"items\":[");
    assertEquals(400, answer.status());
    assertEquals("{\"error\":\"bad body: x\"}", answer.text());
  }

  @Test
  void queuesAndPartitionsAreCapped() {
    var tenant = state.tenant("bench");
    state.overrides(tenant, "{\"max_queues\": 2, \"max_partitions_per_queue\": 2}");
    // A change of the cluster starts the counting over, so it must not arrive in the middle.
    restart(Map.of("QUEEN_PROXY_ENFORCE", "true"));
    assertEquals(201, push(tenant, item("q1", "a")).status());
    assertEquals(201, push(tenant, item("q1", "b")).status());
    assertRefused(403, "quota_exceeded", push(tenant, item("q1", "c")));
    assertEquals(201, push(tenant, item("q2", "a")).status());
    assertRefused(403, "quota_exceeded", push(tenant, item("q3", "a")));
    assertEquals(201, push(tenant, item("q1", "a")).status(), "existing lanes keep working");
    client
        .call("DELETE", "/api/v1/resources/queues/q2")
        .host(tenant.host())
        .key(tenant.key())
        .send();
    assertEquals(201, push(tenant, item("q3", "a")).status());
  }

  private static String item(String queue, String partition) {
    return "{\"items\":[{\"queue\":\"%s\",\"partition\":\"%s\",\"payload\":1}]}"
        .formatted(queue, partition);
  }

  @Test
  void retentionBeyondTheCeilingIsRefusedByName() {
    var tenant = state.tenant("bench");
    state.overrides(tenant, "{\"max_retention_seconds\": 100}");
    var refused = configure(tenant, "{\"queue\":\"q\",\"options\":{\"retentionSeconds\":101}}");
    assertRefused(403, "quota_exceeded", refused);
    assertTrue(refused.error().contains("retentionSeconds is 101"), refused.error());
    assertEquals(
        403, configure(tenant, "{\"queue\":\"q\",\"completedRetentionSeconds\":\"1e9\"}").status());
    assertEquals(200, configure(tenant, "{\"queue\":\"q\",\"retentionSeconds\":0}").status());
    assertEquals(200, configure(tenant, "{\"queue\":\"q\",\"retentionSeconds\":100}").status());
  }

  private EdgeClient.Answer configure(TenantState.Tenant tenant, String body) {
    return client.post("/api/v1/configure").host(tenant.host()).key(tenant.key()).body(body).send();
  }

  @Test
  void aFeatureThatThePlanLacksIsGatedBeforeAnybodyIsAsked() {
    var tenant = state.tenant("free");
    assertRefused(403, "feature_gated", client.get("/api/v1/kv/ns/k").host(tenant.host()).send());
    state.plan(tenant, "bench");
    Await.until(
        "the plan arrives",
        Duration.ofSeconds(2),
        () -> get(tenant, "/api/v1/kv/ns/k").status() == 200);
  }

  @Test
  void overridesTakeEffectAtOnce() throws Exception {
    var tenant = state.tenant("free");
    state.overrides(tenant, "{\"max_req_per_sec\": 0}");
    Await.until(
        "a number wins", Duration.ofSeconds(2), () -> get(tenant, "/health").status() == 429);
    assertEquals("60", get(tenant, "/health").header("retry-after"));
    state.overrides(tenant, "{\"max_req_per_sec\": null}");
    Await.until(
        "null lifts it", Duration.ofSeconds(2), () -> get(tenant, "/health").status() == 200);
    for (int i = 0; i < 40; i++) {
      assertEquals(200, get(tenant, "/health").status());
    }
    // A text can only come from somebody's own SQL: the plan's 5 per second stand.
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE queen_proxy.clusters SET limit_overrides = '{\"max_req_per_sec\": \"900\"}'"
              + " WHERE slug = '"
              + tenant.slug()
              + "'");
      statement.execute(
          "INSERT INTO queen_proxy.changes (kind, cluster_id, cluster_slug) SELECT 'cluster', id,"
              + " slug FROM queen_proxy.clusters WHERE slug = '"
              + tenant.slug()
              + "'");
    }
    Await.until(
        "the plan's value stands",
        Duration.ofSeconds(20),
        () -> get(tenant, "/health").status() == 429);
  }

  @Test
  void aTenantInGraceConsumesButDoesNotPush() {
    var tenant = state.tenant("bench");
    state.tenantStatus(tenant, "grace");
    assertRefused(403, "push_blocked", push(tenant, ONE));
    assertEquals(204, get(tenant, "/api/v1/pop/queue/q").status());
    assertEquals(200, get(tenant, "/api/v1/resources/queues").status());
    state.tenantStatus(tenant, "active");
    Await.until("grace ends", Duration.ofSeconds(2), () -> push(tenant, ONE).status() == 201);
  }

  @ParameterizedTest
  @CsvSource({"tenant, suspended", "tenant, deleting", "cluster, suspended", "cluster, deleting"})
  void aSuspendedClusterDoesNothing(String whose, String status) {
    var tenant = state.tenant("bench");
    assertEquals(200, get(tenant, "/health").status());
    if (whose.equals("tenant")) {
      state.tenantStatus(tenant, status);
    } else {
      state.clusterStatus(tenant, status);
    }
    Await.until(
        "the status arrives", Duration.ofSeconds(2), () -> get(tenant, "/health").status() == 403);
    assertRefused(403, "cluster_suspended", get(tenant, "/api/v1/pop/queue/q"));
    assertRefused(403, "cluster_suspended", push(tenant, ONE));
    assertRefused(403, "cluster_suspended", get(tenant, "/metrics"));
  }

  @Test
  void aRevokedKeyStopsWithinTwoSeconds() {
    var tenant = state.tenant("bench");
    assertEquals(200, get(tenant, "/health").status());
    state.revoke(tenant);
    Await.until(
        "the key is refused", Duration.ofSeconds(2), () -> get(tenant, "/health").status() == 401);
  }

  @Test
  void aKeyThatWasAskedForTooEarlyWorksAsSoonAsItIsIssued() {
    var tenant = state.tenant("bench");
    assertEquals(401, client.get("/health").host(tenant.host()).key("qk_x_early").send().status());
    var key = state.key(tenant, "read");
    Await.until(
        "the key works",
        Duration.ofSeconds(2),
        () -> client.get("/health").host(tenant.host()).key(key).send().status() == 200);
  }

  @Test
  void healthTellsHowTheProxyIsSetUp() {
    var health = client.get("/healthz").host("anything").send();
    assertEquals(
        "{\"enforce\":true,\"shared_hosts\":0,\"status\":\"ok\",\"tenant_header\":true}",
        health.text());
    restart(
        Map.of(
            "QUEEN_PROXY_TENANT_HEADER",
            "false",
            "QUEEN_PROXY_SHARED_HOSTS",
            "a.example,b.example"));
    assertEquals(
        "{\"enforce\":false,\"shared_hosts\":2,\"status\":\"ok\",\"tenant_header\":false}",
        client.get("/healthz").host("anything").send().text());
  }

  @Test
  void theProxysOwnNumbersAreOnTheAdminPortAndNameNobody() {
    var tenant = state.tenant("bench");
    get(tenant, "/health");
    var metrics = new EdgeClient(proxy.adminPort()).get("/metrics/prometheus").host("x").send();
    assertEquals(200, metrics.status());
    assertTrue(metrics.text().contains("queencell_proxy_requests_seconds_count"), metrics.text());
    assertTrue(metrics.text().contains("queencell_jvm_allocated_bytes_total"), metrics.text());
    assertTrue(metrics.text().contains("queencell_proxy_change_feed_connected 1.0"));
    assertFalse(metrics.text().contains(tenant.slug() + "\""), "no tenant is a label");
    assertNull(get(tenant, "/health").header("server"));
  }
}
