package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.control.Keys;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The end of a tenant, with a broker that can fail. The real broker is in the end-to-end tests. */
class DeletionIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  /** Queues by tenant. */
  private final Map<String, NavigableSet<String>> queues = new ConcurrentHashMap<>();

  private final AtomicInteger failures = new AtomicInteger();
  private HttpServer broker;
  private RunningState state;
  private StateClient client;

  @BeforeEach
  void start() throws Exception {
    broker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    broker.createContext("/api/v1/resources/queues", this::answer);
    broker.start();
    state = RunningState.start(DATABASE, Map.of());
    client = state.client();
    client.post(
        "/api/cp/cells",
        "{\"slug\": \"bench\", \"base_url\": \"http://127.0.0.1:%d\", \"cell_secret\": \"s3cret\"}"
            .formatted(broker.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    state.close();
    broker.stop(0);
  }

  @Test
  void aDeletedTenantsQueuesGoAndAnothersWithTheSameNamesStay() throws Exception {
    var acme = tenant("acme", "orders", "a/b c%d", "ü");
    var other = tenant("other", "orders", "a/b c%d", "ü");
    var key = client.post("/api/cp/clusters", "{\"tenant_slug\": \"acme\", \"slug\": \"acme-2\"}");
    assertEquals(200, key.status(), key::toString);
    assertEquals("not_deleting", client.post("/api/cp/tenants/acme/purge", "{}").code());
    assertEquals("not_deleting", client.delete("/api/cp/tenants/acme").code());
    delete("acme");
    assertEquals("not_purged", client.delete("/api/cp/tenants/acme").code());

    var begun = client.post("/api/cp/tenants/acme/purge", "{}");
    assertTrue(begun.body().get("existed").booleanValue());
    assertFalse(begun.body().get("done").booleanValue());
    awaitPurged("acme");
    assertEquals(0, queues.get(acme).size());
    assertEquals(3, queues.get(other).size());
    var purge = client.post("/api/cp/tenants/acme/purge", "{}").body();
    assertEquals(3, purge.at("/clusters/0/queues_deleted").intValue());
    assertEquals(6, purge.at("/clusters/0/partitions_deleted").intValue());
    assertEquals(1, audited("tenant_purge_begun"));
    assertEquals(2, audited("cluster_purged"), "one per cluster");
    var back = client.put("/api/cp/tenants/acme/status", "{\"status\": \"active\"}");
    assertEquals(409, back.status(), "what is being deleted can't be served again");

    var feed = state.feedStart();
    assertEquals(2, client.delete("/api/cp/tenants/acme").body().get("clusters").size());
    assertTrue(state.changesAfter(feed).contains("key"), "the edge forgets its keys");
    assertEquals(404, client.get("/api/cp/tenants/acme").status());
    assertEquals(404, client.edge("/api/edge/clusters/by-slug/acme").status());
    assertFalse(client.delete("/api/cp/tenants/acme").body().get("existed").booleanValue());
    assertEquals(1, audited("tenant_deleted"));
    assertTrue(
        client.get("/api/cp/tenants/acme/audit").body().get("operations").size() > 3,
        "the trail outlives the tenant");
    assertEquals(200, client.get("/api/cp/tenants/other").status());
  }

  @Test
  void aPurgeGoesOnAfterFailuresOfTheBrokerAndARestartOfTheService() throws Exception {
    var acme = tenant("acme", "a", "b", "c");
    delete("acme");
    failures.set(Integer.MAX_VALUE);
    client.post("/api/cp/tenants/acme/purge", "{}");
    Await.until("a failure is kept", () -> !lastError("acme").isEmpty());
    assertTrue(lastError("acme").contains("503"), lastError("acme"));
    assertFalse(lastError("acme").contains("s3cret"), lastError("acme"));
    assertEquals(3, queues.get(acme).size());
    state.restart();
    client = state.client();
    failures.set(1);
    state.execute("UPDATE queen_proxy.purges SET next_attempt_at = now()");
    awaitPurged("acme");
    assertEquals(0, queues.get(acme).size());
  }

  @Test
  void forceForgetsAtOnceAndUsageStaysForTheInvoice() throws Exception {
    tenant("acme", "a");
    var cluster = client.get("/api/cp/clusters/acme").text("id");
    var made = client.post("/api/cp/keys", issue(cluster));
    var minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    state.usage(
        UUID.randomUUID(), List.of(RunningState.row(cluster, minute.toString(), "push", 9)));
    delete("acme");
    assertEquals(200, client.delete("/api/cp/tenants/acme?force=true").status());
    assertEquals(404, client.edge("/api/edge/keys/" + Keys.hash(made.text("api_key"))).status());
    var month = minute.toString().substring(0, "2026-11".length());
    var usage = client.get("/api/cp/clusters/" + cluster + "/usage?month=" + month);
    assertEquals(9, usage.body().get("msgs").intValue(), usage::toString);
    var again = client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"acme\"}");
    assertEquals(200, again.status(), "the names are free again");
  }

  @Test
  void theNamespaceThatIsSharedWithoutTenancyIsNeverPurged() throws Exception {
    tenant("acme", "a");
    state.execute(
        """
        UPDATE queen_proxy.clusters
        SET broker_tenant_uuid = '00000000-0000-0000-0000-000000000001'""");
    delete("acme");
    assertEquals("system_tenant", client.post("/api/cp/tenants/acme/purge", "{}").code());
    assertEquals("system_tenant", client.delete("/api/cp/tenants/acme?force=true").code());
  }

  private String tenant(String slug, String... names) {
    var made = client.post("/api/cp/bootstrap", "{\"tenant_slug\": \"%s\"}".formatted(slug));
    var uuid = made.text("broker_tenant_uuid");
    queues.put(uuid, new ConcurrentSkipListSet<>(List.of(names)));
    return uuid;
  }

  private void delete(String slug) {
    client.put("/api/cp/tenants/" + slug + "/status", "{\"status\": \"deleting\"}");
  }

  private void awaitPurged(String slug) {
    Await.until(
        slug + " is purged",
        () ->
            client
                .post("/api/cp/tenants/" + slug + "/purge", "{}")
                .body()
                .get("done")
                .booleanValue());
  }

  private String lastError(String slug) {
    return client
        .post("/api/cp/tenants/" + slug + "/purge", "{}")
        .body()
        .at("/clusters/0/last_error")
        .asString("");
  }

  private long audited(String action) throws Exception {
    return state.count(
        "SELECT count(*) FROM queen_proxy.operations WHERE action = '%s'".formatted(action));
  }

  private static String issue(String cluster) {
    return "{\"cluster_id\": \"%s\", \"name\": \"k\", \"scopes\": [\"read\"]}".formatted(cluster);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean trusted =
          "Bearer s3cret".equals(exchange.getRequestHeaders().getFirst("Authorization"));
      var tenant = exchange.getRequestHeaders().getFirst("x-queen-tenant");
      if (!trusted || failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      var mine = queues.getOrDefault(tenant, new ConcurrentSkipListSet<>());
      var body = Json.object();
      if (exchange.getRequestMethod().equals("DELETE")) {
        var path = exchange.getRequestURI().getRawPath();
        var name = path.substring(path.lastIndexOf('/') + 1);
        mine.remove(URLDecoder.decode(name, StandardCharsets.UTF_8));
      } else {
        var list = body.putArray("queues");
        mine.forEach(name -> list.addObject().put("name", name).put("partitions", 2));
      }
      var bytes = Json.bytes(body);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
