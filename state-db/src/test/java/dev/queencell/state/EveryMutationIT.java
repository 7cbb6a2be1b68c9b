package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.service.Json;
import dev.queencell.state.control.Keys;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each call that changes something: audited once, announced as it must be, and idempotent. */
class EveryMutationIT {
  private static final String CP = "/api/cp";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private RunningState state;
  private StateClient client;

  @BeforeEach
  void start() throws Exception {
    state = RunningState.start(DATABASE, Map.of());
    client = state.client();
  }

  @AfterEach
  void stop() {
    state.close();
  }

  @Test
  void everyCallIsAuditedOnceAnnouncedAndIdempotent() throws Exception {
    makeTenant();
    var cluster = client.get(CP + "/clusters/acme").text("id");
    changeLimitsAndStatus(cluster);
    changeKeys(cluster);
    changePeople();
    changeTheEdge(cluster);
    endTenant();
  }

  private void makeTenant() throws SQLException {
    check(
        1,
        0,
        "cell_created",
        () -> post("/cells", "{\"slug\": \"c2\", \"base_url\": \"http://127.0.0.1:7000\"}"));
    check(
        1,
        1,
        "cell_updated",
        () -> post("/cells", "{\"slug\": \"c2\", \"base_url\": \"http://127.0.0.1:7001\"}"));
    check(1, 0, "tenant_created", () -> post("/tenants", "{\"slug\": \"acme\"}"));
    check(
        1,
        1,
        "cluster_created",
        () -> post("/clusters", "{\"tenant_slug\": \"acme\", \"slug\": \"a1\", \"cell\": \"c2\"}"));
    check(
        1,
        2,
        "tenant_bootstrapped",
        () ->
            post(
                "/bootstrap",
                """
                {"tenant_slug": "acme", "cell": "c2", "admin_email": "ann@acme.test"}"""));
    check(
        1,
        2,
        "tenant_provisioned",
        () ->
            post(
                "/provision",
                """
                {"tenant_slug": "acme", "cluster_slug": "a2", "cell": "c2", "key_hash": "%s",
                 "scopes": ["read"]}"""
                    .formatted(Keys.hash("one"))));
  }

  private void changeLimitsAndStatus(String cluster) throws SQLException {
    check(
        1, 1, "plan_assigned", () -> put("/clusters/" + cluster + "/plan", "{\"plan\": \"pro\"}"));
    check(
        1,
        1,
        "limit_overrides_set",
        () -> put("/clusters/" + cluster + "/overrides", "{\"max_queues\": null}"));
    check(
        1,
        1,
        "cluster_status_set",
        () -> put("/clusters/" + cluster + "/status", "{\"status\": \"push_blocked\"}"));
    check(1, 3, "tenant_status_set", () -> put("/tenants/acme/status", "{\"status\": \"grace\"}"));
  }

  private void changeKeys(String cluster) throws SQLException {
    check(
        1,
        1,
        "api_key_issued",
        () ->
            post(
                "/keys",
                "{\"cluster_id\": \"%s\", \"name\": \"k\", \"key_hash\": \"%s\", \"scopes\": [\"read\"]}"
                    .formatted(cluster, Keys.hash("two"))));
    var keyId = client.get(CP + "/clusters/acme/keys").body().at("/keys/1/id").stringValue();
    check(1, 1, "api_key_rotated", () -> post("/keys/" + keyId + "/rotate", "{}"));
    check(1, 1, "api_key_revoked", () -> client.delete(CP + "/keys/" + keyId));
  }

  private void changePeople() throws SQLException {
    check(
        1,
        0,
        "user_created",
        () -> post("/users", "{\"tenant_slug\": \"acme\", \"email\": \"bob@acme.test\"}"));
    check(
        1,
        1,
        "member_granted",
        () ->
            put("/clusters/acme/members", "{\"email\": \"bob@acme.test\", \"role\": \"viewer\"}"));
    check(
        1,
        1,
        "operator_set",
        () -> put("/operators", "{\"email\": \"bob@acme.test\", \"enabled\": true}"));
  }

  private void changeTheEdge(String cluster) throws SQLException {
    check(1, 1, "enforce_set", () -> put("/settings", "{\"enforce\": true}"));
    check(
        1,
        1,
        "storage_quota_blocked",
        () ->
            state.edge(
                "PUT",
                "/api/edge/clusters/" + cluster + "/inventory",
                Json.object()
                    .put("retained_bytes", 1L << 50)
                    .set("queues", Json.mapper().createArrayNode())));
  }

  private void endTenant() throws SQLException {
    check(
        1, 3, "tenant_status_set", () -> put("/tenants/acme/status", "{\"status\": \"deleting\"}"));
    check(1, 0, "tenant_purge_begun", () -> post("/tenants/acme/purge", "{}"));
    check(1, 6, "tenant_deleted", () -> client.delete(CP + "/tenants/acme?force=true"));
  }

  /** Does it twice: the first time it writes so many rows, the second time none. */
  private void check(long rows, long changes, String action, Supplier<StateClient.Answer> call)
      throws SQLException {
    long rowsBefore = rows();
    long ofAction = rows(action);
    long changesBefore = changes();
    var first = call.get();
    assertEquals(2, first.status() / 100, () -> action + first);
    assertEquals(rowsBefore + rows, rows(), action);
    assertEquals(ofAction + rows, rows(action), action);
    assertEquals(changesBefore + changes, changes(), action + " on the feed");
    var second = call.get();
    assertEquals(2, second.status() / 100, () -> action + " again: " + second);
    assertEquals(rowsBefore + rows, rows(), action + " again");
    assertEquals(changesBefore + changes, changes(), action + " again on the feed");
  }

  private StateClient.Answer post(String path, String body) {
    return client.post(CP + path, body);
  }

  private StateClient.Answer put(String path, String body) {
    return client.put(CP + path, body);
  }

  private long rows() throws SQLException {
    return state.count("SELECT count(*) FROM queen_proxy.operations");
  }

  private long rows(String action) throws SQLException {
    return state.count(
        "SELECT count(*) FROM queen_proxy.operations WHERE action = '%s'".formatted(action));
  }

  private long changes() throws SQLException {
    return state.count("SELECT count(*) FROM queen_proxy.changes");
  }
}
