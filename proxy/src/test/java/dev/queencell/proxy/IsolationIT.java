package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.proxy.IsolationCases.Things;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Two tenants on a real broker, with the same names for everything. One of them calls every route
 * that the broker documents with the other's names and ids, and with every header and host that
 * might make it the other. After each call the rows of the victim are compared with what they were;
 * an answer may not carry its payloads, and has to be the one that ids of nobody get.
 */
class IsolationIT {
  private static final String SECRET = "text-of-the-victim";
  private static final Duration START = Duration.ofSeconds(30);
  private static final int SUCCESS_END = 300;
  private static final String ACT_CLUSTER = "x-queen-act-cluster";

  /** Everything that is a tenant's, but for counters that time alone moves. */
  private static final String ROWS =
      """
      WITH q AS (SELECT * FROM queen.queues WHERE tenant = 'TENANT'),
      p AS (SELECT id, queue_id, name, first_offset FROM queen.partitions
            WHERE queue_id IN (SELECT id FROM q))
      SELECT 'queue', to_jsonb(q)::text FROM q
      UNION ALL SELECT 'partition', to_jsonb(p)::text FROM p
      UNION ALL SELECT 'segment', to_jsonb(s)::text FROM queen.segments s JOIN p ON p.id = s.partition_id
      UNION ALL SELECT 'hashes', to_jsonb(h)::text FROM queen.transaction_hashes h
                JOIN p ON p.id = h.partition_id
      UNION ALL SELECT 'group', to_jsonb(g)::text FROM queen.groups g JOIN q ON q.id = g.queue_id
      UNION ALL SELECT 'cursor', to_jsonb(c)::text FROM queen.cursors c JOIN p ON p.id = c.partition_id
      UNION ALL SELECT 'dead letter', to_jsonb(d)::text FROM queen.dead_letters d
                JOIN q ON q.id = d.queue_id
      UNION ALL SELECT 'trace', to_jsonb(t)::text FROM queen.traces t WHERE tenant = 'TENANT'
      UNION ALL SELECT 'trace name', to_jsonb(n)::text FROM queen.trace_names n WHERE tenant = 'TENANT'
      ORDER BY 1, 2
      """;

  @RegisterExtension static final TestDatabase STATE = TestDatabase.empty();
  @RegisterExtension static final TestDatabase MESSAGES = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static JavaProcess broker;
  private static EdgeBench bench;
  private static EdgeClient client;
  private static int port;
  private TenantState.Tenant victim;
  private TenantState.Tenant attacker;

  @BeforeAll
  static void startCell() {
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
    bench = new EdgeBench(STATE);
    bench.state.useBroker(broker.awaitReady().getPort());
    port = bench.proxy(Map.of()).port();
    client = new EdgeClient(port);
  }

  @AfterAll
  static void stopCell() {
    bench.close();
    broker.close();
  }

  @BeforeEach
  void makeTenants() {
    victim = bench.state.tenant("bench");
    attacker = bench.state.tenant("bench");
    Await.until(
        "the broker serves", START, () -> send(victim, "GET", "/health", null).status() == 200);
  }

  private EdgeClient.Answer send(
      TenantState.Tenant who, String method, String path, String body, String... headers) {
    return send(who.host(), who, method, path, body, headers);
  }

  private EdgeClient.Answer send(
      String host,
      TenantState.Tenant who,
      String method,
      String path,
      String body,
      String... headers) {
    var call = client.call(method, path).host(host).key(who.key());
    for (int i = 0; i < headers.length; i += 2) {
      call.header(headers[i], headers[i + 1]);
    }
    return (body == null ? call : call.body(body)).send();
  }

  private JsonNode done(TenantState.Tenant who, String method, String path, String body) {
    var answer = send(who, method, path, body);
    assertTrue(answer.status() < SUCCESS_END, () -> method + " " + path + ": " + answer.text());
    return Json.mapper().readTree(answer.text());
  }

  /** A queue with a dead letter, a message under a lease with a trace, and one that waits. */
  private Things furnish(TenantState.Tenant who, String names, String text) {
    var queue = names + "-orders";
    done(
        who,
        "POST",
        "/api/v1/configure",
        """
        {"queue":"%1$s","namespace":"%1$s-ns","task":"%1$s-task",
         "options":{"leaseTime":3600,"retryLimit":0,"deduplicationWindowSeconds":3600}}"""
            .formatted(queue));
    for (var id : List.of("dead", "held", "waiting")) {
      var item =
          """
          {"items":[{"queue":"%s","partition":"p","transactionId":"%s","payload":"%s"}]}"""
              .formatted(queue, id, text);
      assertTrue(
          send(who, "POST", "/api/v1/push", item).text().contains("queued"),
          "nobody else's id is a duplicate");
    }
    var pop = "/api/v1/pop/queue/" + queue + "?consumerGroup=g&subscriptionMode=all&batch=1";
    var dead = done(who, "GET", pop, null).at("/messages/0");
    var failed =
        """
        {"transactionId":"dead","partitionId":"%s","leaseId":"%s","consumerGroup":"g",
         "status":"failed","error":"%s"}"""
            .formatted(dead.path("partitionId").asString(), dead.path("leaseId").asString(), text);
    done(who, "POST", "/api/v1/ack", failed);
    var held = done(who, "GET", pop, null).at("/messages/0");
    assertEquals("held", held.path("transactionId").asString(), held::toString);
    var partitionId = held.path("partitionId").asString();
    done(
        who,
        "POST",
        "/api/v1/traces",
        """
        {"transactionId":"held","partitionId":"%s","data":"%s","traceNames":"%s-trace"}"""
            .formatted(partitionId, text, names));
    var letter = done(who, "GET", "/api/v1/dlq?queue=" + queue, null).at("/messages/0");
    assertEquals("dead", letter.path("transactionId").asString(), letter::toString);
    return new Things(
        queue,
        "p",
        "g",
        names + "-trace",
        "held",
        partitionId,
        held.path("leaseId").asString(),
        letter.path("id").asString());
  }

  private static Things withTransaction(Things of, String id) {
    return new Things(
        of.queue(),
        of.partition(),
        of.group(),
        of.traceName(),
        id,
        of.partitionId(),
        of.leaseId(),
        of.id());
  }

  private static Things nobodys() {
    return new Things(
        "nobodys-orders",
        "p",
        "g",
        "nobodys-trace",
        "held",
        UUID.randomUUID().toString(),
        UUID.randomUUID().toString(),
        UUID.randomUUID().toString());
  }

  private static List<String> rowsOf(TenantState.Tenant tenant) {
    var found = new ArrayList<String>();
    try (var connection = MESSAGES.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(ROWS.replace("TENANT", tenant.brokerTenantUuid()))) {
      while (rows.next()) {
        found.add(rows.getString(1) + " " + rows.getString(2));
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return found;
  }

  @Test
  void everyRouteThatTheBrokerDocumentsIsTried() throws IOException {
    assertEquals(
        IsolationCases.documented(),
        IsolationCases.routes(),
        "a route that is new at the broker takes a line in IsolationCases");
  }

  @Test
  void noRouteShowsOrTouchesWhatIsAnotherTenants() {
    var shared = furnish(victim, "same", SECRET);
    var own = furnish(victim, "victims", SECRET);
    furnish(attacker, "same", "own");
    var before = rowsOf(victim);
    for (var kind : List.of("queue", "segment", "cursor", "dead letter", "trace name")) {
      assertTrue(before.stream().anyMatch(row -> row.startsWith(kind)), kind + " is there");
    }
    var nobodys = nobodys();
    for (var line : IsolationCases.lines()) {
      for (var things : List.of(shared, own, withTransaction(own, "dead"))) {
        for (var forged : forgedHeaders()) {
          var answer = tryIt(line, things, forged);
          if (things.equals(own)) {
            assertEquals(
                tryIt(line, nobodys, forged).status(),
                answer.status(),
                () -> line + " tells what is somebody's: " + answer.text());
          }
        }
        for (var pretence : pretences()) {
          assertRefused(line, things, pretence);
        }
      }
      assertEquals(before, rowsOf(victim), () -> line + " changed the victim's rows");
    }
    assertItWorksOn(shared);
    assertItWorksOn(own);
  }

  private EdgeClient.Answer tryIt(IsolationCases.Line line, Things things, String[] forged) {
    var answer = send(attacker, line.method(), line.target(things), line.body(things), forged);
    assertFalse(answer.text().contains(SECRET), () -> line + " showed " + answer.text());
    assertFalse(answer.text().contains(victim.brokerTenantUuid()), line::toString);
    return answer;
  }

  /** Headers that the attacker sends to its own host: they have no effect. */
  private List<String[]> forgedHeaders() {
    var uuid = victim.brokerTenantUuid();
    return List.of(
        new String[] {},
        new String[] {"x-queen-tenant", uuid},
        new String[] {"X-Queen-Tenant", uuid, "Connection", "x-queen-tenant"},
        new String[] {"x-queen-tenant ", uuid},
        new String[] {"x_queen_tenant", uuid, "x-queen-edge-cluster", victim.clusterId()},
        new String[] {"X-Forwarded-Host", victim.host(), "Forwarded", "host=" + victim.slug()},
        new String[] {"Authorization", "Bearer " + TenantState.CELL_SECRET, "x-queen-tenant", uuid},
        new String[] {"X-HTTP-Method-Override", "GET", "X-Original-URL", "/metrics"});
  }

  /** A host, and headers, by which the attacker claims to be the victim. */
  private record Pretence(String host, String... headers) {}

  private List<Pretence> pretences() {
    return List.of(
        new Pretence(victim.host()),
        new Pretence(victim.slug().toUpperCase(Locale.ROOT) + ".Queen.Test.:1"),
        new Pretence(victim.host(), "x-queen-tenant", attacker.brokerTenantUuid()),
        new Pretence(victim.host(), "X-Forwarded-Host", attacker.host()),
        new Pretence(attacker.host(), ACT_CLUSTER, victim.slug()),
        new Pretence(attacker.host(), ACT_CLUSTER, victim.clusterId()),
        new Pretence(attacker.host(), "Host", victim.host()),
        new Pretence(victim.host(), "Host", attacker.host()),
        new Pretence(attacker.host() + ", " + victim.host()),
        new Pretence(attacker.host() + "@" + victim.host()),
        new Pretence(victim.slug() + "%00." + attacker.host()),
        new Pretence(""));
  }

  private void assertRefused(IsolationCases.Line line, Things things, Pretence pretence) {
    var answer =
        send(
            pretence.host(),
            attacker,
            line.method(),
            line.target(things),
            line.body(things),
            pretence.headers());
    assertTrue(
        answer.status() >= 400,
        () -> "%s as %s answered %s".formatted(line, pretence, answer.text()));
    assertFalse(answer.text().contains(SECRET), line::toString);
  }

  /** Its lease, its messages and its trace are as the victim left them. */
  private void assertItWorksOn(Things things) {
    var ack =
        """
        {"transactionId":"held","partitionId":"%s","leaseId":"%s","consumerGroup":"g",
         "status":"completed"}"""
            .formatted(things.partitionId(), things.leaseId());
    var acked = send(victim, "POST", "/api/v1/ack", ack);
    assertTrue(acked.text().contains("\"success\":true"), acked::text);
    var pop = "/api/v1/pop/queue/" + things.queue() + "?consumerGroup=g&batch=10";
    assertEquals(1, done(victim, "GET", pop, null).path("messages").size(), "one waits");
    var traces = "/api/v1/traces/by-name/" + things.traceName();
    assertTrue(send(victim, "GET", traces, null).text().contains(SECRET));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 40",
        "Content-Length: 0, 40",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: \u000bchunked",
        "Transfer-Encoding : chunked",
        "Content-Length : 0",
        "Host: VICTIM",
        "Host : VICTIM",
        "X-A: b\r\n Host: VICTIM",
        "X-A: b\nHost: VICTIM",
        "X-A: b\rHost: VICTIM",
        "X-A: b\r\nx-queen-tenant: UUID\r\nX-B: c",
        "X-A: b\nx-queen-tenant: UUID",
        "X-A: b%0d%0ax-queen-tenant: UUID",
        "Expect: 100-continue\r\nContent-Length: 4",
        "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
      })
  void noOddHeadMakesOneTenantsConnectionAnothers(String odd) throws IOException {
    var things = furnish(victim, "same", SECRET);
    furnish(attacker, "same", "own");
    var before = rowsOf(victim);
    var header = odd.replace("VICTIM", victim.host()).replace("UUID", victim.brokerTenantUuid());
    var targets =
        List.of(
            "/api/v1/messages?queue=" + things.queue(),
            "http://" + victim.host() + "/api/v1/messages?queue=" + things.queue(),
            "/api/v1/messages?queue=" + things.queue() + " HTTP/1.1\r\nHost: " + victim.host());
    for (var target : targets) {
      var head =
          "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n"
              .formatted(target, attacker.host(), attacker.key(), header);
      var smuggled =
          "DELETE /api/v1/resources/queues/%s HTTP/1.1\r\nHost: %s\r\nx-queen-tenant: %s\r\n\r\n"
              .formatted(things.queue(), victim.host(), victim.brokerTenantUuid());
      var answers = raw(head + "0\r\n\r\n" + smuggled);
      assertFalse(answers.contains(SECRET), answers);
    }
    assertEquals(before, rowsOf(victim));
    assertItWorksOn(things);
  }

  private String raw(String text) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void aSuspendedTenantsNeighbourWorksOn() {
    furnish(victim, "same", SECRET);
    bench.state.tenantStatus(victim, "suspended");
    Await.until(
        "the suspension arrives", () -> send(victim, "GET", "/health", null).status() == 403);
    furnish(attacker, "same", "own");
  }
}
