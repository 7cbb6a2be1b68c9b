package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * History and analytics over HTTP on a real PostgreSQL. A second tenant has queues of the same
 * names and does three times as much.
 */
@Timeout(120)
class AnalyticsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String ANALYTICS = "/api/v1/analytics/";

  /** Numbers messages, so that none is taken for another one's duplicate. */
  private static final AtomicInteger MESSAGES = new AtomicInteger();

  private CellEngine engine;
  private ApiFixture api;
  private WireClient client;
  private WireClient neighbour;

  @BeforeEach
  void open() {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, true);
    client = new WireClient(api, UUID.randomUUID());
    neighbour = new WireClient(api, UUID.randomUUID());
  }

  @AfterEach
  void close() {
    engine.close();
    api.close();
  }

  /**
   * Two requests with three messages, two of them taken and completed, one refused, one empty pop.
   */
  private static void work(WireClient who) {
    int first = MESSAGES.getAndAdd(3);
    who.push("n.t.q", "p", "m" + first, "m" + (first + 1));
    who.push("n.t.q", "r", "m" + (first + 2));
    var got = who.popPath("/api/v1/pop/queue/n.t.q/partition/p?batch=2");
    who.ackBatch(got, "completed", "completed");
    who.ack("never", got.getFirst().partitionId(), "", "completed");
    who.popPath("/api/v1/pop/queue/n.t.q/partition/none");
  }

  @Test
  void operationsAreCountedAtOnceAndStayCountedWhenTheyAreWritten() {
    work(client);
    for (int i = 0; i < 3; i++) {
      work(neighbour);
    }
    assertWorked(client, 1);
    assertWorked(neighbour, 3);
    var refreshed = api.post("/api/v1/stats/refresh", "").json();
    // None, if the minute has ended just before.
    assertTrue(refreshed.get("queuesWritten").intValue() <= 2);
    assertEquals("segments", refreshed.get("engine").stringValue());
    assertTrue(refreshed.get("segPartitions").intValue() >= 4);
    assertEquals(0, api.post("/api/v1/stats/refresh", "").json().get("queuesWritten").intValue());
    assertWorked(client, 1);
    work(client);
    assertWorked(client, 2);
    api.post("/api/v1/stats/refresh", "");
    close();
    reopen();
    assertWorked(client, 2);
    assertWorked(neighbour, 3);
  }

  @Test
  void aSpanOfMillenniaHoldsWhatHappenedInIt() {
    work(client);
    work(neighbour);
    api.post("/api/v1/stats/refresh", "");
    for (var span :
        List.of(
            "from=0001-01-01&to=9999-12-31",
            "from=-9999-01-01T00:00:00Z&to=9999-12-31T23:59:59Z",
            "from=1970-01-01&to=%2B999999999-12-31T23:59:59Z")) {
      var document = client.get(ANALYTICS + "queue-ops?" + span).json();
      assertEquals(3, sum(document, "pushMessages"), span);
      var status = client.get("/api/v1/status?" + span).json();
      assertTrue(status.get("pointCount").intValue() >= 1, span);
      assertEquals(status.get("pointCount").intValue(), status.get("throughput").size(), span);
    }
  }

  private void reopen() {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, true);
    client = new WireClient(api, client.tenant());
    neighbour = new WireClient(api, neighbour.tenant());
  }

  private static void assertWorked(WireClient who, long times) {
    var document = who.get(ANALYTICS + "queue-ops").json();
    assertEquals(1, document.get("bucketMinutes").intValue());
    assertEquals("[\"n.t.q\"]", document.get("queues").toString());
    assertEquals(2 * times, sum(document, "pushRequests"));
    assertEquals(3 * times, sum(document, "pushMessages"));
    assertEquals(2 * times, sum(document, "popMessages"));
    assertEquals(times, sum(document, "popEmpty"));
    assertEquals(2 * times, sum(document, "ackRequests"));
    assertEquals(2 * times, sum(document, "ackSuccess"));
    assertEquals(times, sum(document, "ackFailed"));
    assertEquals(2, sum(document, "partitionsCreated"));
    var row = document.get("series").get(0);
    assertTrue(row.get("avgLagMs").isNumber());
    assertTrue(row.get("pushPerSecond").doubleValue() > 0);
    assertEquals(2, row.get("partitionCount").intValue());
  }

  private static long sum(JsonNode document, String key) {
    long sum = 0;
    for (var row : document.get("series")) {
      sum += row.get(key).longValue();
    }
    return sum;
  }

  @Test
  void bucketsWidenWithTheWindowAndFiltersNarrow() {
    work(client);
    client.push("other", "p", "1");
    assertEquals(2, client.get(ANALYTICS + "queue-ops").json().get("queues").size());
    var one = client.get(ANALYTICS + "queue-ops?queue=other").json();
    assertEquals("[\"other\"]", one.get("queues").toString());
    assertEquals(1, sum(one, "pushMessages"));
    var week = client.get(ANALYTICS + "queue-ops?from=2020-01-01T00:00:00Z&queue=n.t.q").json();
    assertEquals(360, week.get("bucketMinutes").intValue());
    assertEquals(3, sum(week, "pushMessages"));
    var past = ANALYTICS + "queue-ops?from=2020-01-01T00:00:00Z&to=2020-01-01T06:00:00Z";
    assertEquals(5, client.get(past).json().get("bucketMinutes").intValue());
    assertEquals(0, client.get(past).json().get("series").size());
    assertEquals(400, client.get(ANALYTICS + "queue-ops?from=then").status());
  }

  @Test
  void lagIsSampledAtPopsOnly() {
    client.push("quiet", "p", "1");
    work(client);
    var rows = client.get(ANALYTICS + "queue-lag").json();
    assertEquals(1, rows.size());
    assertEquals("n.t.q", rows.get(0).get("queueName").stringValue());
    assertTrue(rows.get(0).get("popCount").intValue() >= 1);
    assertTrue(rows.get(0).get("maxLagMs").isNumber());
    assertEquals(1, rows.get(0).get("bucketMinutes").intValue());
    var quiet = client.get(ANALYTICS + "queue-ops?queue=quiet").json().get("series").get(0);
    assertTrue(quiet.get("avgLagMs").isNull());
    assertEquals("[]", neighbour.get(ANALYTICS + "queue-lag").body());
  }

  @Test
  void parkedConsumersAreSeenNow() throws Exception {
    client.push("q", "p", "1");
    client.pop("q", "batch=1&autoAck=true");
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), api.port())) {
      client.sendPop(socket, "q", "wait=true&timeout=30000", "Accept: */*");
      Await.until(
          "the pop is parked",
          () -> {
            var replicas = client.get(ANALYTICS + "queue-parked-replicas").json().get("replicas");
            return replicas.size() == 1 && replicas.get(0).get("parkedCount").intValue() == 1;
          });
      assertEquals(
          0, neighbour.get(ANALYTICS + "queue-parked-replicas").json().get("replicas").size());
      var series = client.get(ANALYTICS + "queue-parked-replicas").json().get("series");
      assertEquals("q", series.get(0).get("queueName").stringValue());
      assertEquals(0, series.get(0).get("workerId").intValue());
    }
  }

  @Test
  void workloadGroupsWhatHappenedAndWhatIsThere() {
    work(client);
    client.push("n.other", "p", "1");
    work(neighbour);
    var document = client.get(ANALYTICS + "workload").json();
    assertEquals("namespace", document.get("groupBy").stringValue());
    assertEquals(client.tenant().toString(), document.get("tenant").stringValue());
    assertEquals(1, document.get("rows").size());
    var row = document.get("rows").get(0);
    assertEquals("n", row.get("key").stringValue());
    assertEquals(2, row.get("queues").intValue());
    assertEquals(4, row.get("window").get("pushMessages").intValue());
    assertEquals(document.get("buckets").size(), row.get("series").size());
    assertEquals(2, row.get("now").get("pending").intValue());
    assertEquals(2, client.get(ANALYTICS + "workload?groupBy=queue").json().get("rows").size());
    for (var path : List.of("workload", "retention")) {
      var bad = client.get(ANALYTICS + path + "?groupBy=colour");
      assertEquals(400, bad.status());
      assertEquals("{\"error\":\"bad groupBy\"}", bad.body());
    }
    var retention = client.get(ANALYTICS + "retention?groupBy=queue").json();
    assertEquals(0, retention.get("totals").get("totalMsgs").intValue());
    assertFalse(client.get(ANALYTICS + "retention").json().has("rows"));
  }

  @Test
  void deadLettersAreGroupedByWhatTheirReasonsHaveInCommon() {
    for (var who : List.of(client, neighbour)) {
      who.push("q", "p", "1", "2", "3");
      for (int i = 0; i < (who.equals(client) ? 3 : 1); i++) {
        var got = who.pop("q", "batch=1").getFirst();
        var body =
            Json.object()
                .put("transactionId", got.transactionId())
                .put("partitionId", got.partitionId())
                .put("leaseId", got.leaseId())
                .put("status", "dlq")
                .put("error", i < 2 ? "order " + i + " of " + UUID.randomUUID() : "no");
        who.post("/api/v1/ack", body);
      }
    }
    var document = client.get(ANALYTICS + "dlq-signatures?queue=q").json();
    assertEquals(3, document.get("rowsNow").intValue());
    assertEquals(3, document.get("sample").intValue());
    assertEquals(2, document.get("signatures").size());
    var first = document.get("signatures").get(0);
    assertEquals("order <n> of <id>", first.get("text").stringValue());
    assertEquals(2, first.get("n").intValue());
    assertEquals(2.0 / 3, first.get("share").doubleValue(), 1e-9);
    assertEquals("[{\"group\":\"__QUEUE_MODE__\",\"n\":3}]", document.get("groups").toString());
    assertEquals(1, document.get("byDay").size());
    assertTrue(document.get("avgBytes").doubleValue() > 0);
    assertEquals(
        1,
        client.get(ANALYTICS + "dlq-signatures?queue=q&limit=1").json().get("sample").intValue());
    assertEquals("{\"error\":\"queue required\"}", client.get(ANALYTICS + "dlq-signatures").body());
    assertEquals(404, client.get(ANALYTICS + "dlq-signatures?queue=none").status());
  }

  @Test
  void livenessTellsWhenPartitionsWereWrittenTo() {
    work(client);
    client.configure("empty", "{}");
    neighbour.push("n.t.q", "p", "1");
    var document = client.get(ANALYTICS + "partition-liveness").json();
    assertTrue(document.get("capturedAt").isString());
    assertEquals(2, document.get("rows").size());
    var row = document.get("rows").get(0);
    assertEquals("n.t.q", row.get("queue").stringValue());
    assertEquals("n", row.get("namespace").stringValue());
    for (var key : List.of("partitions", "live1h", "live24h", "live7d", "created24h")) {
      assertEquals(2, row.get(key).intValue(), key);
    }
    assertEquals(1, row.get("pending").intValue());
    assertTrue(
        row.get("oldestWriteAt").stringValue().compareTo(row.get("newestWriteAt").stringValue())
            <= 0);
    assertTrue(document.get("rows").get(1).get("newestWriteAt").isNull());
    assertEquals(1, client.get(ANALYTICS + "partition-liveness?limit=1").json().get("rows").size());
  }

  @Test
  void overviewAndPlacesAreTheTenantsOwnAndTheOperatorSeesTheSums() {
    work(client);
    work(neighbour);
    var own = client.get("/api/v1/resources/overview").json();
    assertEquals(1, own.get("queues").intValue());
    assertEquals(2, own.get("partitions").intValue());
    assertEquals(1, own.get("namespaces").intValue());
    assertEquals(1, own.get("tasks").intValue());
    assertEquals(3, own.get("messages").get("total").intValue());
    assertEquals(1, own.get("messages").get("pending").intValue());
    assertEquals(2, own.get("messages").get("completed").intValue());
    assertEquals(1, own.get("lag").get("offset").get("max").intValue());
    assertTrue(own.get("lag").get("time").get("avg").isNumber());
    assertEquals(3.0 / 300, own.get("throughput").get("ingestedPerSecond").doubleValue(), 1e-9);
    assertEquals(0, own.get("statsAge").intValue());
    var all = api.get("/api/v1/resources/overview").json();
    assertTrue(all.get("messages").get("total").intValue() >= 6);
    assertEquals(
        "{\"namespaces\":[{\"namespace\":\"n\",\"queues\":1,\"partitions\":2,"
            + "\"messages\":{\"total\":3,\"pending\":1}}]}",
        client.get("/api/v1/resources/namespaces").body());
    assertEquals(
        "t",
        client.get("/api/v1/resources/tasks").json().get("tasks").get(0).get("task").stringValue());
    assertEquals("{\"namespaces\":[]}", api.get("/api/v1/resources/namespaces").body());
  }

  @Test
  void statusPagesTellOfFlowAndOfQueues() {
    work(client);
    client.push("z", "p", "1");
    client.ack(client.pop("z", "batch=1").getFirst(), "dlq");
    var status = client.get("/api/v1/status").json();
    assertEquals(2, status.get("queues").get("total").intValue());
    assertEquals(1, status.get("deadLetterQueue").get("total").intValue());
    assertEquals(1, status.get("deadLetterQueue").get("added").intValue());
    assertEquals(1, status.get("errors").get("ackFailed").intValue());
    assertEquals(status.get("pointCount").intValue(), status.get("throughput").size());
    assertEquals(1, status.get("workers").size());
    assertEquals(
        1, client.get("/api/v1/status?queue=z").json().get("queues").get("total").intValue());
    var list = client.get("/api/v1/status/queues?limit=1&offset=1").json();
    assertEquals(2, list.get("pagination").get("total").intValue());
    assertEquals("z", list.get("queues").get(0).get("name").stringValue());
    assertEquals(1, list.get("queues").get(0).get("messages").get("deadLetter").intValue());
    var detail = client.get("/api/v1/status/queues/n.t.q").json();
    assertEquals(6, detail.get("queue").get("config").size());
    assertEquals(2, detail.get("partitions").size());
    assertEquals(
        0, detail.get("partitions").get(0).get("cursor").get("batchesConsumed").intValue());
    assertEquals(3, detail.get("totals").get("total").intValue());
    var missing = neighbour.get("/api/v1/status/queues/n.t.q");
    assertEquals(404, missing.status());
    assertEquals("{\"error\":\"Queue not found\"}", missing.body());
    var points = client.get("/api/v1/status/analytics?interval=minute").json();
    assertEquals("minute", points.get("interval").stringValue());
    long messages = 0;
    for (var point : points.get("dataPoints")) {
      messages += point.get("messages").longValue();
    }
    assertEquals(4, messages);
    assertEquals(
        "hour",
        client.get("/api/v1/status/analytics?interval=x").json().get("interval").stringValue());
  }

  @Test
  void theCellTellsOfItselfAndOfPostgres() {
    work(client);
    api.post("/api/v1/stats/refresh", "");
    var system = api.get(ANALYTICS + "system-metrics").json();
    var metrics = system.get("replicas").get(0).get("timeSeries").get(0).get("metrics");
    for (var leaf :
        List.of(
            metrics.get("cpu").get("percent"),
            metrics.get("memory").get("rss"),
            metrics.get("database").get("sessions"),
            metrics.get("uptime"))) {
      assertTrue(leaf.get("min").doubleValue() <= leaf.get("max").doubleValue());
      assertTrue(leaf.has("avg") && leaf.has("last"));
    }
    assertTrue(metrics.get("memory").get("rss").get("last").doubleValue() > 0);
    assertEquals(
        0,
        api.get(ANALYTICS + "system-metrics?hostname=elsewhere")
            .json()
            .get("pointCount")
            .intValue());
    var workers = api.get(ANALYTICS + "worker-metrics").json();
    assertTrue(workers.get("summary").get("pushMessages").intValue() >= 3);
    assertEquals(
        3,
        client
            .get(ANALYTICS + "worker-metrics")
            .json()
            .get("summary")
            .get("pushMessages")
            .intValue());
    var postgres = api.get(ANALYTICS + "postgres-stats").json();
    assertEquals(DATABASE.database(), postgres.get("database").get("name").stringValue());
    assertTrue(postgres.get("settings").get("shared_buffers").isString());
    assertTrue(postgres.get("tables").size() > 5);
  }

  @Test
  void aQueueToWhichNothingHappensIsNotWrittenAndHistoryGoesWithItsQueue() throws Exception {
    client.configure("idle", "{}");
    assertEquals(0, api.post("/api/v1/stats/refresh", "").json().get("queuesWritten").intValue());
    work(client);
    api.post("/api/v1/stats/refresh", "");
    assertTrue(minutes() > 0);
    client.push("n.t.q", "p", "9");
    api.send(
        api.request("/api/v1/resources/queues/n.t.q")
            .header("x-queen-tenant", client.tenant().toString())
            .method("DELETE", BodyPublishers.noBody()));
    assertEquals(0, api.post("/api/v1/stats/refresh", "").json().get("queuesWritten").intValue());
    assertEquals(0, minutes());
  }

  @Test
  void historyIsForgottenAfterItsTimeWhenTheNextIsWritten() throws Exception {
    work(client);
    api.post("/api/v1/stats/refresh", "");
    try (var connection = DATABASE.connect();
        var age = connection.createStatement()) {
      // The copies are of 2020, but for one of yesterday.
      age.execute("CREATE TEMP TABLE copies AS SELECT * FROM queen.queue_minutes LIMIT 1");
      for (var minute : List.of("26297280", "26297281", "minute - 1440")) {
        age.execute("UPDATE copies SET minute = " + minute);
        age.execute("INSERT INTO queen.queue_minutes SELECT * FROM copies ON CONFLICT DO NOTHING");
        age.execute("UPDATE copies SET minute = (SELECT max(minute) FROM queen.queue_minutes)");
      }
    }
    // A term prunes at once when it first writes.
    close();
    reopen();
    work(client);
    api.post("/api/v1/stats/refresh", "");
    Await.until("the old minutes are gone", () -> minutesOf("minute < 27000000") == 0);
    assertTrue(minutesOf("minute >= 27000000") >= 2);
  }

  private static long minutesOf(String condition) {
    try (var connection = DATABASE.connect();
        var query = connection.createStatement();
        var row =
            query.executeQuery("SELECT count(*) FROM queen.queue_minutes WHERE " + condition)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Rows of this test's tenant. */
  private long minutes() throws Exception {
    try (var connection = DATABASE.connect();
        var query =
            connection.prepareStatement(
                "SELECT count(*) FROM queen.queue_minutes m"
                    + " WHERE NOT EXISTS (SELECT 1 FROM queen.queues q"
                    + " WHERE q.id = m.queue_id AND q.tenant <> ?)")) {
      query.setObject(1, client.tenant());
      try (var row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
