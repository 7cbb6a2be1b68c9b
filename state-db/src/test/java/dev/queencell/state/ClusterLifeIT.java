package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whether clusters are used, and what the control plane asks their broker. */
class ClusterLifeIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  private volatile int status = 200;
  private HttpServer broker;
  private RunningState state;
  private StateClient client;
  private String cluster;
  private String namespace;

  @BeforeEach
  void start() throws Exception {
    broker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    broker.createContext("/", this::answer);
    broker.start();
    state = RunningState.start(DATABASE, Map.of());
    client = state.client();
    client.post(
        "/api/cp/cells",
        "{\"slug\": \"bench\", \"base_url\": \"http://127.0.0.1:%d\", \"cell_secret\": \"s3cret\"}"
            .formatted(broker.getAddress().getPort()));
    cluster = state.tenant("acme");
    namespace = client.get("/api/cp/clusters/acme").text("broker_tenant_uuid");
  }

  @AfterEach
  void stop() {
    broker.stop(0);
    state.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    var headers = exchange.getRequestHeaders();
    seen.add(
        "%s %s %s %s %s"
            .formatted(
                exchange.getRequestMethod(),
                exchange.getRequestURI(),
                headers.getFirst("x-queen-tenant"),
                headers.getFirst("Authorization"),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
    var bytes = "{\"queues\":[{\"name\":\"orders\"}]}".getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private long configured() throws Exception {
    return state.count(
        "SELECT count(*) FROM queen_proxy.operations WHERE action = 'queue_configured'"
            + " AND target = 'orders' AND cluster_id = '%s'".formatted(cluster));
  }

  @Test
  void queuesAreThoseOfTheClustersNamespace() {
    var listed = client.get("/api/cp/clusters/acme/queues");
    assertEquals(200, listed.status());
    assertEquals("orders", listed.body().at("/queues/0/name").stringValue());
    assertEquals(
        List.of("GET /api/v1/resources/queues " + namespace + " Bearer s3cret "),
        List.copyOf(seen));
    assertEquals("cluster_unknown", client.get("/api/cp/clusters/other/queues").code());
    assertEquals(404, client.get("/api/cp/clusters/" + UUID.randomUUID() + "/queues").status());
  }

  @Test
  void whatTheBrokerTookIsAudited() throws Exception {
    var body = "{\"queue\": \"orders\", \"options\": {\"leaseTime\": 5}}";
    assertEquals(200, client.post("/api/cp/clusters/acme/configure", body).status());
    assertEquals(
        List.of("POST /api/v1/configure " + namespace + " Bearer s3cret " + body),
        List.copyOf(seen));
    assertEquals(1, configured());
    status = 400;
    assertEquals(400, client.post("/api/cp/clusters/acme/configure", body).status());
    assertEquals("invalid", client.post("/api/cp/clusters/acme/configure", "{}").code());
    assertEquals(1, configured());
    client.put("/api/cp/tenants/acme/status", "{\"status\": \"deleting\"}");
    seen.clear();
    assertEquals("deleting", client.post("/api/cp/clusters/acme/configure", body).code());
    assertEquals(List.of(), List.copyOf(seen), "a namespace that is being emptied");
  }

  @Test
  void aBrokerThatDoesNotAnswerIsUnavailable() throws Exception {
    status = 500;
    assertEquals(503, client.get("/api/cp/clusters/acme/queues").status());
    broker.stop(0);
    var refused = client.post("/api/cp/clusters/acme/configure", "{\"queue\": \"orders\"}");
    assertEquals("unavailable", refused.code());
    assertFalse(refused.toString().contains("s3cret"));
    assertEquals(0, configured());
  }

  @Test
  void activityIsSaidOfEveryClusterThatWasAskedFor() throws Exception {
    state.tenant("idle");
    var today = Instant.now().truncatedTo(ChronoUnit.DAYS);
    var first = today.minus(2, ChronoUnit.DAYS).plusSeconds(7_260);
    var pushed = RunningState.row(cluster, first.toString(), "push", 7);
    var rejected = RunningState.row(cluster, first.minusSeconds(60).toString(), "push", 0);
    var read = RunningState.row(cluster, today.toString(), "read", 0);
    assertEquals(200, state.usage(UUID.randomUUID(), List.of(pushed, rejected, read)).status());
    state.execute("UPDATE queen_proxy.api_keys SET last_used_at = '2026-01-02T03:04:05Z'");
    state.execute(
        "INSERT INTO queen_proxy.storage_states (cluster_id, retained_bytes) VALUES ('%s', 42)"
            .formatted(cluster));
    var answer =
        client.post("/api/cp/activity", "{\"clusters\": [\"nobody\", \"acme\", \"idle\"]}");
    var rows = answer.body().get("clusters");
    assertEquals(3, rows.size(), answer::toString);
    assertEquals(
        Json.object().put("slug", "nobody").put("found", false).toString(),
        rows.get(0).toString().replaceAll(",\"\\w+\":null", ""));
    var acme = rows.get(1);
    assertEquals(cluster, acme.get("cluster_id").stringValue());
    assertEquals(today.toString(), acme.get("last_activity_at").stringValue());
    assertEquals(first.toString(), acme.get("first_push_at").stringValue());
    assertEquals("2026-01-02T03:04:05Z", acme.get("last_key_used_at").stringValue());
    assertEquals(42, acme.get("retained_bytes").longValue());
    assertTrue(rows.get(2).get("found").booleanValue());
    assertTrue(rows.get(2).get("first_push_at").isNull());

    // What is left when the minutes are gone: the days.
    state.execute(
        "INSERT INTO queen_proxy.usage_days (cluster_id, day, op_class, reqs, msgs)"
            + " VALUES ('%s', '2026-01-01', 'push', 1, 1)".formatted(cluster));
    var later = client.post("/api/cp/activity", "{\"clusters\": [\"acme\"]}");
    assertEquals(
        "2026-01-01T00:00:00Z", later.body().at("/clusters/0/first_push_at").stringValue());

    assertEquals("invalid", client.post("/api/cp/activity", "{}").code());
    var many = Json.object();
    var list = many.putArray("clusters");
    for (int i = 0; i < 257; i++) {
      list.add("c" + i);
    }
    assertEquals("invalid", client.post("/api/cp/activity", many.toString()).code());
  }
}
