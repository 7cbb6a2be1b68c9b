package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Settings;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class ControlPlaneIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private StateMain service;
  private StateClient client;

  @BeforeEach
  void startServiceWithOneCell() throws Exception {
    DATABASE.reset();
    service = StateMain.start(config());
    client = new StateClient(service.port());
    client.post(
        "/api/cp/cells",
        """
        {"slug": "bench", "base_url": "http://127.0.0.1:6632", "cell_secret": "s3cret"}\
        """);
  }

  @AfterEach
  void stopService() {
    client.close();
    service.close();
  }

  static StateConfig config() {
    return StateConfig.read(
        new Settings(
            Map.of(
                "QUEENCELL_STATE_PORT", "0",
                "QUEENCELL_ADMIN_TOKEN", StateClient.ADMIN_TOKEN,
                "QUEENCELL_EDGE_TOKEN", StateClient.EDGE_TOKEN,
                "PXDB_HOST", DATABASE.host(),
                "PXDB_PORT", Integer.toString(DATABASE.port()),
                "PXDB_USER", DATABASE.user(),
                "PXDB_PASSWORD", DATABASE.password(),
                "PXDB_DB", DATABASE.database())));
  }

  @Test
  void bootstrapMakesEverythingAndShowsTheKeyOnce() throws Exception {
    var made = bootstrap("acme");
    assertEquals(200, made.status(), made.body()::toString);
    var key = made.text("api_key");
    assertTrue(key.matches("qk_bench_[A-Za-z0-9_-]{43}"), key);
    assertEquals("free", made.text("plan_code"));
    assertTrue(made.body().at("/created/key").booleanValue());

    var checked =
        client.post("/api/cp/keys/check", "{\"key_hashes\": [\"%s\"]}".formatted(sha256(key)));
    assertTrue(checked.body().at("/results/0/valid").booleanValue());
    assertEquals("acme", checked.body().at("/results/0/cluster_slug").stringValue());
    assertEquals(0, count("SELECT count(*) FROM queen_proxy.api_keys WHERE key_hash LIKE 'qk%'"));

    var again = bootstrap("acme");
    assertEquals(made.text("tenant_id"), again.text("tenant_id"));
    assertEquals(made.text("cluster_id"), again.text("cluster_id"));
    assertEquals(made.text("broker_tenant_uuid"), again.text("broker_tenant_uuid"));
    assertEquals(made.text("key_id"), again.text("key_id"));
    assertTrue(again.body().get("api_key").isNull());
    assertFalse(again.body().at("/created/cluster").booleanValue());
  }

  @Test
  void manyBootstrapsOfOneSlugAtOnceGiveTheSameIdsAndOneKey() throws Exception {
    var calls = new ArrayList<Callable<StateClient.Answer>>();
    // Each with a password, whose hash is slow.
    var body =
        "{\"tenant_slug\": \"acme\", \"admin_email\": \"ann@acme.test\", \"password\":"
            + " \"longenough\"}";
    IntStream.range(0, 40).forEach(i -> calls.add(() -> client.post("/api/cp/bootstrap", body)));
    var answers = new ArrayList<StateClient.Answer>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var future : threads.invokeAll(calls)) {
        answers.add(future.get());
      }
    }
    assertEquals(
        List.of(200), answers.stream().map(StateClient.Answer::status).distinct().toList());
    assertEquals(1, answers.stream().map(answer -> answer.text("cluster_id")).distinct().count());
    assertEquals(1, answers.stream().map(answer -> answer.text("key_id")).distinct().count());
    assertEquals(
        1, answers.stream().filter(answer -> !answer.body().get("api_key").isNull()).count());
    assertEquals(1, count("SELECT count(*) FROM queen_proxy.api_keys"));
    assertEquals(
        1,
        count("SELECT count(*) FROM queen_proxy.operations WHERE action = 'tenant_bootstrapped'"));
  }

  @Test
  void aClusterSlugOfAnotherTenantIsRefusedAndLeavesNothingBehind() throws Exception {
    bootstrap("acme");
    var refused =
        client.post(
            "/api/cp/bootstrap", "{\"tenant_slug\": \"other\", \"cluster_slug\": \"acme\"}");
    assertEquals(409, refused.status());
    assertEquals("conflict", refused.code());
    assertTrue(refused.error().contains("cluster_slug"), refused.error());
    assertEquals(0, count("SELECT count(*) FROM queen_proxy.tenants WHERE slug = 'other'"));
  }

  @Test
  void bootstrapMakesAnAdminWhoCanLogInOnlyWithAPassword() throws Exception {
    var without =
        client.post(
            "/api/cp/bootstrap",
            "{\"tenant_slug\": \"acme\", \"admin_email\": \"Ann@Example.org\"}");
    assertFalse(without.body().get("can_login").booleanValue());
    var with =
        client.post(
            "/api/cp/bootstrap",
            """
            {"tenant_slug": "acme", "admin_email": "ann@example.org", "password": "correct horse"}\
            """);
    assertEquals(without.text("user_id"), with.text("user_id"));
    assertTrue(with.body().get("password_set").booleanValue());
    assertTrue(with.body().get("can_login").booleanValue());
    assertEquals(
        1, count("SELECT count(*) FROM queen_proxy.users WHERE password_hash LIKE '$2a$10$%'"));
    var again =
        client.post(
            "/api/cp/bootstrap",
            """
            {"tenant_slug": "acme", "admin_email": "ann@example.org", "password": "another one"}\
            """);
    assertFalse(again.body().get("password_set").booleanValue(), "a set password stays");
    var foreign =
        client.post(
            "/api/cp/bootstrap",
            "{\"tenant_slug\": \"other\", \"admin_email\": \"ann@example.org\"}");
    assertEquals(409, foreign.status());
  }

  @Test
  void everyMutationWritesItsAuditRowAndItsChange() throws Exception {
    var made = bootstrap("acme");
    var cluster = made.text("cluster_id");
    assertAudit(
        "tenant_status_set",
        () -> client.put("/api/cp/tenants/acme/status", "{\"status\": \"grace\"}"));
    assertAudit(
        "cluster_status_set",
        () -> client.put("/api/cp/clusters/" + cluster + "/status", "{\"status\": \"suspended\"}"));
    assertAudit(
        "plan_assigned",
        () -> client.put("/api/cp/clusters/" + cluster + "/plan", "{\"plan\": \"bench\"}"));
    assertAudit(
        "limit_overrides_set",
        () -> client.put("/api/cp/clusters/" + cluster + "/overrides", "{\"max_queues\": 3}"));
    assertAudit(
        "api_key_issued",
        () ->
            client.post(
                "/api/cp/keys",
                "{\"cluster_id\": \"%s\", \"name\": \"k\", \"scopes\": [\"read\"]}"
                    .formatted(cluster)));
    assertAudit("api_key_revoked", () -> client.delete("/api/cp/keys/" + made.text("key_id")));
  }

  @Test
  void repeatingAMutationWritesNothing() throws Exception {
    var cluster = bootstrap("acme").text("cluster_id");
    client.put("/api/cp/clusters/" + cluster + "/overrides", "{\"max_queues\": 3}");
    client.put("/api/cp/tenants/acme/status", "{\"status\": \"grace\"}");
    long before = count("SELECT count(*) FROM queen_proxy.operations");
    assertEquals(
        200,
        client.put("/api/cp/clusters/" + cluster + "/overrides", "{\"max_queues\":3}").status());
    assertEquals(
        200, client.put("/api/cp/tenants/acme/status", "{\"status\": \"grace\"}").status());
    assertEquals(
        200, client.put("/api/cp/clusters/" + cluster + "/plan", "{\"plan\": \"free\"}").status());
    assertEquals(before, count("SELECT count(*) FROM queen_proxy.operations"));
  }

  @Test
  void theAuditCantBeRewritten() throws Exception {
    bootstrap("acme");
    var refused =
        org.junit.jupiter.api.Assertions.assertThrows(
            SQLException.class, () -> execute("DELETE FROM queen_proxy.operations"));
    assertTrue(refused.getMessage().contains("append-only"));
  }

  @Test
  void aKeyIsIssuedOnceAndRevokedOnce() throws Exception {
    var cluster = bootstrap("acme").text("cluster_id");
    var hash = sha256("qk_live_mine");
    var body =
        "{\"cluster_id\": \"%s\", \"name\": \"mine\", \"key_hash\": \"%s\", \"scopes\": [\"produce\"]}"
            .formatted(cluster, hash);
    var issued = client.post("/api/cp/keys", body);
    assertEquals(201, issued.status());
    assertFalse(issued.body().has("api_key"), "the caller has the key already");
    var again = client.post("/api/cp/keys", body);
    assertEquals(200, again.status());
    assertEquals(issued.text("id"), again.text("id"));
    assertTrue(again.body().get("existed").booleanValue());

    var other = bootstrap("other").text("cluster_id");
    assertEquals(409, client.post("/api/cp/keys", body.replace(cluster, other)).status());

    var revoked = client.delete("/api/cp/keys/" + issued.text("id"));
    assertFalse(revoked.body().get("already_revoked").booleanValue());
    assertTrue(
        client
            .delete("/api/cp/keys/" + issued.text("id"))
            .body()
            .get("already_revoked")
            .booleanValue());
    assertEquals(404, client.edge("/api/edge/keys/" + hash).status());
    assertEquals(409, client.post("/api/cp/keys", body).status(), "a revoked key stays revoked");
    assertEquals(
        "key_unknown", client.delete("/api/cp/keys/00000000-0000-0000-0000-000000000009").code());
  }

  @Test
  void provisionIsDeclarative() throws Exception {
    var body =
        """
        {"tenant_slug": "acme", "cluster_slug": "acme-eu", "plan": "%s", "email": "a@b.c",
         "role": "viewer", "key_name": "k", "key_hash": "%s", "scopes": ["read"],
         "overrides": {"max_queues": null, "max_payload_bytes": 10}}\
        """;
    var first = client.post("/api/cp/provision", body.formatted("dev", sha256("x")));
    assertEquals(200, first.status(), first.body()::toString);
    assertEquals("dev", first.text("plan_code"));
    assertEquals(10, first.body().at("/overrides/max_payload_bytes").intValue());
    var second = client.post("/api/cp/provision", body.formatted("pro", sha256("x")));
    assertEquals(first.text("cluster_id"), second.text("cluster_id"));
    assertEquals(first.text("key_id"), second.text("key_id"));
    assertEquals("pro", second.text("plan_code"));
    assertFalse(second.body().at("/created/key").booleanValue());
  }

  @Test
  void theEdgeSeesPlanOverridesStatusAndCellMerged() throws Exception {
    var cluster = bootstrap("acme").text("cluster_id");
    client.put(
        "/api/cp/clusters/" + cluster + "/overrides",
        "{\"max_req_per_sec\": null, \"max_payload_bytes\": 7}");
    client.put("/api/cp/tenants/acme/status", "{\"status\": \"grace\"}");
    var seen = client.edge("/api/edge/clusters/by-slug/acme").body();
    assertEquals("push_blocked", seen.get("status").stringValue());
    assertTrue(seen.at("/limits/max_req_per_sec").isNull());
    assertEquals(7, seen.at("/limits/max_payload_bytes").intValue());
    assertEquals(20, seen.at("/limits/max_msgs_per_sec").intValue());
    assertEquals("http://127.0.0.1:6632", seen.at("/cell/base_url").stringValue());
    assertEquals("s3cret", seen.at("/cell/secret").stringValue());
    assertEquals(seen, client.edge("/api/edge/clusters/by-id/" + cluster).body());
    assertEquals("cluster_unknown", client.edge("/api/edge/clusters/by-slug/nobody").code());
  }

  @Test
  void aCellThatMovesTellsTheEdgeToForgetEverything() throws Exception {
    var start = client.edge("/api/edge/changes").body();
    var moved =
        client.post(
            "/api/cp/cells", "{\"slug\": \"bench\", \"base_url\": \"http://127.0.0.1:7777/\"}");
    assertFalse(moved.body().get("created").booleanValue());
    assertEquals("http://127.0.0.1:7777", moved.text("base_url"));
    assertTrue(moved.body().get("has_secret").booleanValue(), "an omitted secret stays");
    assertFalse(moved.body().toString().contains("s3cret"));
    assertEquals(List.of("all"), kinds(changesAfter(start, 0)));
  }

  @Test
  void aBenchClusterHasNoLimitsAndAllFeatures() throws Exception {
    client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"t0\", \"plan\": \"bench\"}");
    var seen = client.edge("/api/edge/clusters/by-slug/t0").body();
    seen.get("limits")
        .properties()
        .forEach(limit -> assertTrue(limit.getValue().isNull(), limit.getKey()));
    assertEquals(12, seen.get("limits").size());
    assertEquals(
        "ephemeral kv streams timers traces",
        seen.get("features").propertyNames().stream().sorted().collect(Collectors.joining(" ")));
  }

  @Test
  void aWaitingFollowerIsToldAtOnce() throws Exception {
    var start = client.edge("/api/edge/changes").body();
    assertTrue(start.get("reset").booleanValue());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      long began = System.nanoTime();
      var told = threads.submit(() -> changesAfter(start, 20_000));
      bootstrap("acme");
      var page = told.get();
      assertTrue(System.nanoTime() - began < 15_000_000_000L, "it was told before its wait ended");
      assertEquals(List.of("cluster", "key"), kinds(page));
      assertEquals("acme", page.at("/changes/0/cluster_slug").stringValue());
      assertEquals(List.of(), kinds(changesAfter(page, 0)));
    }
  }

  @Test
  void aFollowerOfAnotherDatabaseMustForgetEverything() throws Exception {
    var start = client.edge("/api/edge/changes").body();
    var foreign =
        client.edge("/api/edge/changes?epoch=00000000-0000-0000-0000-000000000009&after=0").body();
    assertTrue(foreign.get("reset").booleanValue());
    var ahead =
        client
            .edge(
                "/api/edge/changes?epoch=%s&after=999".formatted(start.get("epoch").stringValue()))
            .body();
    assertTrue(ahead.get("reset").booleanValue());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /api/cp/bootstrap | {} | tenant_slug is missing",
        "POST | /api/cp/bootstrap | {\"tenant_slug\": \"-x\"} | tenant_slug is '-x'",
        "POST | /api/cp/bootstrap | {\"tenant_slug\": 5} | tenant_slug is not a text",
        "POST | /api/cp/bootstrap | {\"tenant_slug\": \"a\", \"plan\": \"gold\"} | no plan 'gold'",
        "POST | /api/cp/bootstrap | {\"tenant_slug\": \"a\", \"cell\": \"moon\"} | no cell 'moon'",
        "POST | /api/cp/bootstrap | {\"tenant_slug\": \"a\", \"password\": \"longenough\"} |"
            + " admin_email",
        "POST | /api/cp/bootstrap | [] | expected a JSON object",
        "POST | /api/cp/bootstrap | { | bad body",
        "POST | /api/cp/cells | {\"slug\": \"a\", \"base_url\": \"https://x\"} | base_url",
        "POST | /api/cp/cells | {\"slug\": \"a\", \"base_url\": \"http://u:p@x\"} | base_url",
        "POST | /api/cp/cells | {\"slug\": \"a\", \"base_url\": \"http://x/path\"} | base_url",
        "POST | /api/cp/keys | {\"cluster_id\": \"7\", \"name\": \"k\", \"scopes\": [\"read\"]} |"
            + " cluster_id",
        "POST | /api/cp/keys/check | {\"key_hashes\": [\"ABC\"]} | key_hashes[0]",
        "POST | /api/cp/keys/check | {} | key_hashes is missing",
        "PUT | /api/cp/tenants/acme/status | {\"status\": \"gone\"} | status is 'gone'",
        "PUT | /api/cp/settings | {\"enforced\": true} | enforce is missing",
        "PUT | /api/cp/clusters/x/plan | {\"plan\": \"free\"} | cluster id",
      })
  void badInputIsNamed(String method, String path, String body, String expected) {
    var refused = client.call(method, path, body, "x-queen-cp-token", StateClient.ADMIN_TOKEN);
    assertEquals(400, refused.status(), refused.body()::toString);
    assertEquals("invalid", refused.code());
    assertTrue(refused.error().contains(expected), refused.error());
    assertFalse(refused.error().contains("\n"), refused.error());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"max_pigeons\": 1} | max_pigeons",
        "{\"max_queues\": \"7\"} | max_queues",
        "{\"max_queues\": -1} | max_queues",
        "{\"max_queues\": 1.5} | max_queues",
        "'' | there is no body",
      })
  void badOverridesAreNamed(String body, String expected) {
    var cluster = bootstrap("acme").text("cluster_id");
    var refused = client.put("/api/cp/clusters/" + cluster + "/overrides", body);
    assertEquals(400, refused.status());
    assertTrue(refused.error().contains(expected), refused.error());
  }

  @Test
  void aBodyOverOneMebibyteIsRefused() {
    var refused = client.post("/api/cp/bootstrap", " ".repeat(1024 * 1024 + 1));
    assertEquals(413, refused.status());
  }

  @ParameterizedTest
  @CsvSource({
    "/api/cp/cells, x-queen-cp-token, ",
    "/api/cp/cells, x-queen-cp-token, wrong",
    "/api/cp/cells, x-queen-cp-token, edge-token-of-the-test",
    "/api/cp/cells, x-queen-edge-token, admin-token-of-the-test",
    "/api/cp/nothing, x-queen-cp-token, wrong",
    "/api/edge/changes, x-queen-edge-token, admin-token-of-the-test",
    "/api/edge/changes, x-queen-edge-token, ",
  })
  void onlyTheRightTokenInTheRightHeaderOpens(String path, String header, String token) {
    var refused = client.call("GET", path, null, header, token);
    assertEquals(401, refused.status());
    assertEquals("unauthorized", refused.code());
    assertFalse(refused.error().contains("-token-of-the-test"));
  }

  @Test
  void healthNeedsNoToken() {
    var health = client.call("GET", "/healthz", null, null, null);
    assertEquals(200, health.status());
    assertEquals("ok", health.text("status"));
  }

  @Test
  void theStateOutlivesTheProcess() throws Exception {
    var made = bootstrap("acme");
    service.close();
    client.close();
    service = StateMain.start(config());
    client = new StateClient(service.port());
    assertEquals(made.text("cluster_id"), bootstrap("acme").text("cluster_id"));
    assertNotEquals("", client.get("/api/cp/clusters/acme").text("broker_tenant_uuid"));
  }

  private StateClient.Answer bootstrap(String slug) {
    return client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"%s\"}".formatted(slug));
  }

  private JsonNode changesAfter(JsonNode page, long waitMs) {
    return client
        .edge(
            "/api/edge/changes?epoch=%s&after=%d&waitMs=%d"
                .formatted(page.get("epoch").stringValue(), page.get("next").longValue(), waitMs))
        .body();
  }

  private static List<String> kinds(JsonNode page) {
    return page.get("changes")
        .valueStream()
        .map(change -> change.get("kind").stringValue())
        .toList();
  }

  private void assertAudit(String action, Runnable mutation) throws SQLException {
    var rows = "SELECT count(*) FROM queen_proxy.operations WHERE actor = 'control_plane'";
    long operations = count(rows);
    long changes = count("SELECT count(*) FROM queen_proxy.changes");
    mutation.run();
    assertEquals(operations + 1, count(rows), action);
    assertEquals(1, count(rows + " AND action = '" + action + "'"));
    assertEquals(changes + 1, count("SELECT count(*) FROM queen_proxy.changes"), action);
  }

  private static long count(String sql) throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String sha256(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
