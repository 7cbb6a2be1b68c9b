package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Two tenants with the same names for everything, on a real broker. */
class IsolationIT {
  private static final String SECRET = "payload-of-the-victim";
  private static final Duration START = Duration.ofSeconds(30);

  @RegisterExtension static final TestDatabase STATE = TestDatabase.empty();
  @RegisterExtension static final TestDatabase MESSAGES = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static JavaProcess broker;
  private EdgeBench bench;
  private EdgeClient client;
  private TenantState.Tenant victim;
  private TenantState.Tenant attacker;

  @BeforeAll
  static void startBroker() {
    broker =
        JavaProcess.ofClass("dev.queencell.broker.BrokerMain")
            .env("PORT", "0")
            .env("PG_HOST", MESSAGES.host())
            .env("PG_PORT", Integer.toString(MESSAGES.port()))
            .env("PG_USER", MESSAGES.user())
            .env("PG_PASSWORD", MESSAGES.password())
            .env("PG_DB", MESSAGES.database())
            .env("QUEEN_TENANCY_HEADER", "true")
            .env("QUEEN_KV_TRUSTED_PROXY", "true")
            .start();
    broker.awaitReady();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void start() {
    bench = new EdgeBench(STATE);
    bench.state.useBroker(broker.awaitReady().getPort());
    victim = bench.state.tenant("bench");
    attacker = bench.state.tenant("bench");
    client = new EdgeClient(bench.proxy(Map.of()).port());
    Await.until(
        "the broker serves", START, () -> send(victim, "GET", "/health", null).status() == 200);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private EdgeClient.Answer send(
      TenantState.Tenant who, String method, String path, String body, String... headers) {
    var call = client.call(method, path).host(who.host()).key(who.key());
    for (int i = 0; i < headers.length; i += 2) {
      call.header(headers[i], headers[i + 1]);
    }
    return (body == null ? call : call.body(body)).send();
  }

  private void push(TenantState.Tenant who, String id, String payload) {
    var body =
        """
        {"items":[{"queue":"orders","partition":"p","transactionId":"%s","payload":"%s"}]}"""
            .formatted(id, payload);
    var answer = send(who, "POST", "/api/v1/push", body);
    assertEquals(201, answer.status(), answer::text);
    assertTrue(answer.text().contains("queued"), "nobody else's id is a duplicate");
  }

  private JsonNode pop(TenantState.Tenant who) {
    var answer =
        send(who, "GET", "/api/v1/pop/queue/orders?consumerGroup=g&subscriptionMode=all", null);
    assertEquals(200, answer.status(), answer::text);
    return answer.json();
  }

  @Test
  void noRouteShowsOrTouchesWhatIsAnotherTenants() {
    push(victim, "same-id", SECRET);
    push(attacker, "same-id", "own");
    var held = pop(victim);
    var message = held.at("/messages/0");
    assertEquals(SECRET, message.path("data").asString());
    assertEquals("own", pop(attacker).at("/messages/0/data").asString());
    var partition = message.path("partitionId").asString();
    var lease = held.path("leaseId").asString();
    for (var attempt : attempts(partition, lease)) {
      for (var headers : forgedHeaders()) {
        var answer = send(attacker, attempt.method(), attempt.path(), attempt.body(), headers);
        assertFalse(answer.text().contains(SECRET), attempt + " showed " + answer.text());
        assertFalse(
            answer.text().contains(partition) && answer.status() == 200 && !attempt.echoes(),
            attempt + " knows the partition: " + answer.text());
      }
    }
    var own =
        """
        {"transactionId":"same-id","partitionId":"%s","leaseId":"%s","consumerGroup":"g",\
        "status":"completed"}"""
            .formatted(partition, lease);
    var acked = send(victim, "POST", "/api/v1/ack", own);
    assertTrue(
        acked.text().contains("\"success\":true"), "the lease is as it was: " + acked.text());
    var left = send(victim, "GET", "/api/v1/resources/queues/orders", null);
    assertEquals(200, left.status(), "the queue is as it was");
  }

  /** Something that the attacker tries with the victim's ids. */
  private record Attempt(String method, String path, String body) {
    /** Its answer repeats what it was asked. */
    boolean echoes() {
      return path.contains("/ack") || path.contains("/lease") || path.contains("/transaction");
    }

    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  private static List<String[]> forged(String tenant) {
    return List.of(
        new String[] {},
        new String[] {"x-queen-tenant", tenant},
        new String[] {"X-Queen-Tenant", tenant, "Connection", "x-queen-tenant"},
        new String[] {"x-queen-tenant ", tenant},
        new String[] {"X-Forwarded-Host", "victim.queen.test", "Forwarded", "host=victim"});
  }

  private List<String[]> forgedHeaders() {
    return forged(victim.brokerTenantUuid());
  }

  private static List<Attempt> attempts(String partition, String lease) {
    var ack =
        """
        {"transactionId":"same-id","partitionId":"%s","leaseId":"%s","consumerGroup":"g",\
        "status":"completed"}"""
            .formatted(partition, lease);
    var one = "/api/v1/messages/" + partition + "/same-id";
    return List.of(
        new Attempt("POST", "/api/v1/ack", ack),
        new Attempt("POST", "/api/v1/ack/batch", "{\"acknowledgments\":[" + ack + "]}"),
        new Attempt("POST", "/api/v1/lease/" + lease + "/extend", "{\"seconds\":1}"),
        new Attempt(
            "POST",
            "/api/v1/transaction",
            "{\"operations\":[" + ack.replaceFirst("\\{", "{\"type\":\"ack\",") + "]}"),
        new Attempt("GET", one, null),
        new Attempt("DELETE", one, null),
        new Attempt("POST", one + "/retry", "{}"),
        new Attempt("GET", "/api/v1/messages?queue=orders&partitionId=" + partition, null),
        new Attempt("GET", "/api/v1/traces/" + partition + "/same-id", null),
        new Attempt(
            "POST",
            "/api/v1/traces",
            "{\"partitionId\":\"%s\",\"transactionId\":\"same-id\",\"data\":{}}"
                .formatted(partition)),
        new Attempt("GET", "/api/v1/dlq", null),
        new Attempt("DELETE", "/api/v1/dlq", "{}"),
        new Attempt("GET", "/api/v1/resources/queues", null),
        new Attempt("GET", "/api/v1/resources/queues/orders", null),
        new Attempt("GET", "/api/v1/resources/queues/orders/depth?group=g", null),
        new Attempt("GET", "/api/v1/resources/overview", null),
        new Attempt("GET", "/api/v1/status/queues", null),
        new Attempt("GET", "/api/v1/status", null),
        new Attempt("GET", "/metrics", null),
        new Attempt("GET", "/metrics/prometheus", null),
        new Attempt("GET", "/api/v1/analytics/queue-lag", null),
        new Attempt("GET", "/api/v1/analytics/postgres-stats", null),
        new Attempt("GET", "/api/v1/consumer-groups", null),
        new Attempt("GET", "/api/v1/consumer-groups/g", null),
        new Attempt("POST", "/api/v1/consumer-groups/g/queues/orders/seek", "{\"toEnd\":true}"),
        new Attempt("DELETE", "/api/v1/consumer-groups/g", null),
        new Attempt("GET", "/api/v1/pop/queue/orders?consumerGroup=g&autoAck=true", null),
        new Attempt("POST", "/api/v1/configure", "{\"queue\":\"orders\",\"leaseTime\":1}"),
        new Attempt("DELETE", "/api/v1/resources/queues/orders", null));
  }

  @Test
  void aSuspendedTenantsNeighbourWorksOn() {
    push(victim, "a", SECRET);
    bench.state.tenantStatus(victim, "suspended");
    Await.until(
        "the suspension arrives", () -> send(victim, "GET", "/health", null).status() == 403);
    push(attacker, "a", "own");
    assertEquals("own", pop(attacker).at("/messages/0/data").asString());
  }
}
