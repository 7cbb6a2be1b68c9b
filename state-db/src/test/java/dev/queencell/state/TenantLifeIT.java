package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.state.control.Keys;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys that rotate and end, people and their roles, invoices, the audit trail. */
class TenantLifeIT {
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
  void aRotatedKeyWorksOnThroughTheOverlapAndThenEndsByItself() throws Exception {
    var made = client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"acme\"}");
    var old = made.text("key_id");
    var oldHash = Keys.hash(made.text("api_key"));
    var rotated = client.post("/api/cp/keys/" + old + "/rotate", "{\"overlap_seconds\": 3600}");
    assertEquals(201, rotated.status(), rotated::toString);
    var key = rotated.text("api_key");
    assertTrue(Keys.isWellFormed(key));
    assertEquals(200, client.edge("/api/edge/keys/" + oldHash).status());
    assertEquals(200, client.edge("/api/edge/keys/" + Keys.hash(key)).status());
    assertEquals(
        client.edge("/api/edge/keys/" + oldHash).body().get("scopes"),
        client.edge("/api/edge/keys/" + Keys.hash(key)).body().get("scopes"));

    var again = client.post("/api/cp/keys/" + old + "/rotate", "{\"overlap_seconds\": 60}");
    assertEquals(200, again.status());
    assertEquals(rotated.text("id"), again.text("id"));
    assertFalse(again.body().has("api_key"), "a key is shown once");
    assertEquals(1, audited("api_key_rotated"));

    var feed = state.feedStart();
    state.execute(
        "UPDATE queen_proxy.api_keys SET expires_at = now() WHERE id = '%s'".formatted(old));
    assertEquals(404, client.edge("/api/edge/keys/" + oldHash).status(), "at once when asked");
    Await.until(
        "the end of the old key is announced", () -> state.changesAfter(feed).contains("key"));
    assertEquals(1, audited("api_key_expired"));
    assertEquals(200, client.edge("/api/edge/keys/" + Keys.hash(key)).status());
  }

  @Test
  void aRotationWithoutOverlapRevokesInTheSameCall() throws Exception {
    var made = client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"acme\"}");
    var feed = state.feedStart();
    var rotated =
        client.post("/api/cp/keys/" + made.text("key_id") + "/rotate", "{\"overlap_seconds\": 0}");
    assertEquals(201, rotated.status(), rotated::toString);
    assertEquals(404, client.edge("/api/edge/keys/" + Keys.hash(made.text("api_key"))).status());
    assertEquals(List.of("key", "key"), state.changesAfter(feed), "the new one and the old one");
    var revoked =
        client.post("/api/cp/keys/" + rotated.text("id") + "/rotate", "{\"overlap_seconds\": 0}");
    client.delete("/api/cp/keys/" + revoked.text("id"));
    assertEquals(409, client.post("/api/cp/keys/" + revoked.text("id") + "/rotate", "{}").status());
  }

  @Test
  void manyRotationsOfOneKeyAtOnceMakeOneSuccessor() throws Exception {
    var made = client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"acme\"}");
    var calls = new ArrayList<Callable<StateClient.Answer>>();
    for (int i = 0; i < 12; i++) {
      calls.add(() -> client.post("/api/cp/keys/" + made.text("key_id") + "/rotate", "{}"));
    }
    long shown = 0;
    try (var threads = Executors.newFixedThreadPool(12)) {
      for (var answer : threads.invokeAll(calls)) {
        shown += answer.get().body().has("api_key") ? 1 : 0;
      }
    }
    assertEquals(1, shown);
    assertEquals(2, state.count("SELECT count(*) FROM queen_proxy.api_keys"));
  }

  @Test
  void theListOfKeysShowsTheirLivesAndNeverTheirHashes() throws Exception {
    var made = client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"acme\"}");
    client.call(
        "POST",
        "/api/edge/keys/used",
        "{\"key_ids\": [\"%s\"]}".formatted(made.text("key_id")),
        "x-queen-edge-token",
        StateClient.EDGE_TOKEN);
    var listed = client.get("/api/cp/clusters/acme/keys").body();
    assertEquals(1, listed.get("keys").size());
    assertEquals("default", listed.at("/keys/0/name").stringValue());
    assertEquals(4, listed.at("/keys/0/scopes").size());
    assertTrue(listed.at("/keys/0/last_used_at").isString());
    assertTrue(listed.at("/keys/0/revoked_at").isNull());
    assertFalse(listed.toString().contains(Keys.hash(made.text("api_key"))));
    assertEquals(
        listed, client.get("/api/cp/clusters/" + made.text("cluster_id") + "/keys").body());
  }

  @Test
  void rolesStayInTheTenantAndTheLastAdminStays() throws Exception {
    client.post(
        "/api/cp/bootstrap", "{\"tenant_slug\": \"acme\", \"admin_email\": \"ann@acme.test\"}");
    client.post(
        "/api/cp/bootstrap", "{\"tenant_slug\": \"other\", \"admin_email\": \"eve@other.test\"}");
    var user = "{\"tenant_slug\": \"acme\", \"email\": \"%s\"}";
    var bob = client.post("/api/cp/users", user.formatted("bob@acme.test"));
    assertEquals(
        bob.text("user_id"),
        client.post("/api/cp/users", user.formatted("Bob@acme.test")).text("user_id"));
    assertEquals(409, client.post("/api/cp/users", user.formatted("eve@other.test")).status());

    var foreign = grant("eve@other.test", "viewer");
    var unknown = grant("nobody@acme.test", "viewer");
    assertEquals(404, foreign.status());
    assertEquals(
        unknown.body().toString().replace("nobody@acme.test", "eve@other.test"),
        foreign.body().toString(),
        "a foreign email can't be told from an unknown");

    assertEquals(
        "cannot demote the last admin of this cluster", grant("ann@acme.test", "viewer").error());
    assertEquals("cannot remove the last admin of this cluster", remove("ann@acme.test").error());
    assertEquals(200, grant("bob@acme.test", "admin").status());
    assertEquals(200, grant("bob@acme.test", "admin").status());
    assertEquals(1, audited("member_granted"), "a repeated grant writes nothing");
    assertEquals(200, remove("ann@acme.test").status());
    assertEquals(404, remove("ann@acme.test").status());
    var members = client.get("/api/cp/clusters/acme/members").body();
    assertEquals(1, members.get("members").size());
    assertEquals("bob@acme.test", members.at("/members/0/email").stringValue());
  }

  @Test
  void twoAdminsWhoRemoveEachOtherAtOnceLeaveOne() throws Exception {
    client.post(
        "/api/cp/bootstrap", "{\"tenant_slug\": \"acme\", \"admin_email\": \"ann@acme.test\"}");
    for (int round = 0; round < 10; round++) {
      client.post("/api/cp/users", "{\"tenant_slug\": \"acme\", \"email\": \"ann@acme.test\"}");
      client.post("/api/cp/users", "{\"tenant_slug\": \"acme\", \"email\": \"bob@acme.test\"}");
      grant("ann@acme.test", "admin");
      grant("bob@acme.test", "admin");
      List<Callable<StateClient.Answer>> calls =
          List.of(() -> remove("ann@acme.test"), () -> remove("bob@acme.test"));
      try (var threads = Executors.newFixedThreadPool(2)) {
        threads.invokeAll(calls);
      }
      assertEquals(
          1, state.count("SELECT count(*) FROM queen_proxy.cluster_roles WHERE role = 'admin'"));
    }
  }

  @Test
  void theInvoiceIsTheSameBeforeAndAfterTheRollUpAndPerTenant() throws Exception {
    var acme = state.tenant("acme");
    var other = state.tenant("other");
    var today = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    state.usage(
        UUID.randomUUID(),
        List.of(
            RunningState.row(acme, today.toString(), "push", 30),
            RunningState.row(acme, today.toString(), "delivery", 12),
            RunningState.row(other, today.toString(), "push", 999)));
    var month = YearMonth.now(ZoneOffset.UTC);
    var invoice = client.get("/api/cp/tenants/acme/usage?month=" + month).body();
    assertEquals(1, invoice.get("clusters").size());
    assertEquals(42, invoice.at("/clusters/0/msgs").intValue());
    assertEquals("delivery", invoice.at("/clusters/0/classes/0/op_class").stringValue());
    assertEquals(12, invoice.at("/clusters/0/classes/0/msgs").intValue());
    assertEquals(30, invoice.at("/clusters/0/classes/1/msgs").intValue());
    assertEquals(300, invoice.at("/clusters/0/classes/1/bytes_in").intValue());
    assertEquals(1, invoice.at("/clusters/0/days").size());

    state.execute(
        """
        INSERT INTO queen_proxy.usage_days
          SELECT cluster_id, (minute AT TIME ZONE 'UTC')::date, op_class, reqs, msgs, bytes_in, bytes_out
          FROM queen_proxy.usage_minutes""");
    assertEquals(
        invoice,
        client.get("/api/cp/tenants/acme/usage?month=" + month).body(),
        "a day that is still open counts by its minutes");
    state.execute("DELETE FROM queen_proxy.usage_open_days");
    state.execute("DELETE FROM queen_proxy.usage_minutes");
    assertEquals(invoice, client.get("/api/cp/tenants/acme/usage?month=" + month).body());
    var empty = client.get("/api/cp/tenants/acme/usage?month=2020-01").body();
    assertEquals(0, empty.at("/clusters/0/msgs").intValue());
    assertEquals(400, client.get("/api/cp/tenants/acme/usage?month=May").status());
  }

  @Test
  void recentMinutesAreListedByClass() {
    var acme = state.tenant("acme");
    var now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    state.usage(
        UUID.randomUUID(),
        List.of(
            RunningState.row(acme, now.toString(), "push", 1),
            RunningState.row(acme, now.minus(2, ChronoUnit.HOURS).toString(), "push", 2)));
    assertEquals(1, client.get("/api/cp/clusters/acme/usage").body().get("rows").size());
    var rows = client.get("/api/cp/clusters/acme/usage?hours=24").body();
    assertEquals(2, rows.get("rows").size());
    assertEquals(2, rows.at("/rows/0/msgs").intValue(), "oldest first");
    assertEquals(400, client.get("/api/cp/clusters/acme/usage?hours=169").status());
  }

  @Test
  void theAuditTrailTellsATenantsLifeNewestFirst() {
    state.tenant("acme");
    state.tenant("other");
    client.put("/api/cp/tenants/acme/status", "{\"status\": \"grace\"}");
    client.put("/api/cp/tenants/acme/status", "{\"status\": \"active\"}");
    var trail = client.get("/api/cp/tenants/acme/audit").body();
    var actions =
        trail.get("operations").valueStream().map(row -> row.get("action").stringValue()).toList();
    assertEquals(List.of("tenant_status_set", "tenant_status_set", "tenant_bootstrapped"), actions);
    assertEquals("grace", trail.at("/operations/0/meta/from").stringValue());
    assertEquals(
        1, client.get("/api/cp/tenants/acme/audit?rows=1").body().get("operations").size());
  }

  private StateClient.Answer grant(String email, String role) {
    return client.put(
        "/api/cp/clusters/acme/members",
        "{\"email\": \"%s\", \"role\": \"%s\"}".formatted(email, role));
  }

  private StateClient.Answer remove(String email) {
    return client.call(
        "DELETE",
        "/api/cp/clusters/acme/members",
        "{\"email\": \"%s\"}".formatted(email),
        "x-queen-cp-token",
        StateClient.ADMIN_TOKEN);
  }

  private long audited(String action) throws Exception {
    return state.count(
        "SELECT count(*) FROM queen_proxy.operations WHERE action = '%s'".formatted(action));
  }
}
