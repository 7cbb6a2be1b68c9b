package dev.queencell.broker.http;

import static dev.queencell.broker.http.WireClient.texts;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The conformance checks of the contract's section 25 over HTTP, on the real engine and a real
 * PostgreSQL; numbers in the tests' names are the check's. Those that need retention, transactions
 * or a spool are in {@link ConformanceOverTimeIT}. Beside each test a second tenant has a queue,
 * partition, group and transaction ids of the same names, and must not notice anything.
 */
@Timeout(120)
class BrokerConformanceIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static CellEngine engine;
  private static ApiFixture api;

  private final WireClient client =
      new WireClient(api, UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001"));
  private final WireClient neighbour =
      new WireClient(api, UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002"));
  private String queue;

  @BeforeAll
  static void open() {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, true);
  }

  @AfterAll
  static void close() {
    engine.close();
    api.close();
  }

  @BeforeEach
  void giveTheNeighbourTheSameNames(TestInfo test) {
    queue = "conformance." + test.getTestMethod().orElseThrow().getName();
    neighbour.push(queue, "p", "1", "2", "3", "4", "5");
  }

  @AfterEach
  void theNeighbourHasNoticedNothing() {
    var got = neighbour.pop(queue, "batch=10&partitions=0");
    assertEquals(List.of("1", "2", "3", "4", "5"), texts(got));
    assertEquals(1, got.getFirst().attempt());
    assertTrue(neighbour.ack(got.getLast(), "completed").get("success").booleanValue());
  }

  @Test
  void check1AckOfTheLastCompletesTheWholeBatch() {
    client.push(queue, "p", "1", "2", "3", "4", "5");
    var got = client.pop(queue, "batch=5&leaseSeconds=1");
    var ack = client.ack(got.getLast(), "completed");
    assertTrue(ack.get("success").booleanValue());
    assertTrue(ack.get("leaseReleased").booleanValue());
    client.push(queue, "p", "6");
    assertEquals(List.of("6"), texts(client.pop(queue, "batch=5")));
  }

  @Test
  void check2AckOfTheMiddleLeavesTheRestToRedelivery() {
    client.push(queue, "p", "1", "2", "3");
    var got = client.pop(queue, "batch=3&leaseSeconds=1");
    var middle = client.ack(got.get(1), "completed");
    assertTrue(middle.get("success").booleanValue());
    assertFalse(middle.get("leaseReleased").booleanValue());
    var late = popWhenItComes("batch=3");
    assertEquals(List.of("3"), texts(late));
    var first = got.getFirst();
    var lateAck = client.ack(first.transactionId(), first.partitionId(), "", "completed");
    assertTrue(lateAck.get("success").booleanValue());
    assertTrue(lateAck.get("noop").booleanValue());
    var lateNack = client.ack(first.transactionId(), first.partitionId(), "", "failed");
    assertFalse(lateNack.get("success").booleanValue());
    assertTrue(lateNack.get("error").stringValue().contains("committed"), lateNack.toString());
  }

  @Test
  void check3AFailureInsideABatchRedeliversFromThere() {
    for (var signal : List.of("failed", "retry")) {
      client.push(queue, signal, "1", "2", "3", "4", "5");
      var path = "/api/v1/pop/queue/%s/partition/%s?batch=5".formatted(queue, signal);
      var got = client.popPath(path);
      var results =
          client.ackBatch(got, "completed", signal, "completed", "completed", "completed");
      assertEquals(5, results.size());
      results.forEach(
          result -> assertTrue(result.get("success").booleanValue(), result.toString()));
      var again = client.popPath(path);
      assertEquals(List.of("2", "3", "4", "5"), texts(again));
      client.ack(again.getLast(), "completed");
    }
  }

  @Test
  void check4RetriesNeverDeadLetterAndFailuresDoByTheFourth() throws SQLException {
    client.push(queue, "p", "1");
    for (int cycle = 0; cycle < 6; cycle++) {
      var got = client.pop(queue, "batch=1");
      assertFalse(client.ack(got.getFirst(), "retry").get("dlq").booleanValue());
    }
    int failures = 0;
    boolean deadLettered = false;
    while (!deadLettered && failures < 10) {
      failures++;
      deadLettered =
          client.ack(client.pop(queue, "batch=1").getFirst(), "failed").get("dlq").booleanValue();
    }
    assertEquals(4, failures);
    assertEquals(List.of(), client.pop(queue, "batch=1"));
    assertEquals(1, deadLetters("1"));
  }

  @Test
  void check5ExpiriesChargeNothing() {
    client.push(queue, "p", "1");
    for (int expiry = 1; expiry <= 4; expiry++) {
      assertEquals(expiry, popWhenItComes("batch=1&leaseSeconds=1").getFirst().attempt());
    }
    var got = popWhenItComes("batch=1");
    for (int failure = 1; failure <= 3; failure++) {
      assertFalse(client.ack(got.getFirst(), "failed").get("dlq").booleanValue());
      got = client.pop(queue, "batch=1");
    }
    assertTrue(client.ack(got.getFirst(), "failed").get("dlq").booleanValue());
  }

  @Test
  void check6AfterExpiryOnlyAnAckWithoutALeaseSucceeds() {
    client.push(queue, "p", "1");
    var got = client.pop(queue, "batch=1&leaseSeconds=1").getFirst();
    var again = popWhenItComes("batch=1&leaseSeconds=1").getFirst();
    assertNotEquals(got.leaseId(), again.leaseId());
    var refused = client.ack(got, "completed");
    assertFalse(refused.get("success").booleanValue());
    assertEquals("invalid or expired lease", refused.get("error").stringValue());
    // Seen expired by its redelivery, whose own lease ends as well.
    var third = popWhenItComes("batch=1&leaseSeconds=1");
    assertEquals(3, third.getFirst().attempt());
    var leaseLess = client.ack(got.transactionId(), got.partitionId(), "", "completed");
    assertTrue(leaseLess.get("success").booleanValue(), leaseLess.toString());
  }

  @Test
  void check7DlqFilesOneRowAndTakesTheMessageAway() throws SQLException {
    client.push(queue, "p", "poison", "next");
    var got = client.pop(queue, "batch=2");
    var ack = client.ack(got.getFirst(), "dlq");
    assertTrue(ack.get("success").booleanValue());
    assertTrue(ack.get("dlq").booleanValue());
    assertEquals(List.of("next"), texts(client.pop(queue, "batch=2")));
    assertEquals(1, deadLetters("poison"));
  }

  @Test
  void check8ANewGroupSkipsTheBacklogButNotLaterPartitions() {
    client.push(queue, "p", "old");
    assertEquals(List.of(), client.pop(queue, "consumerGroup=g&subscriptionMode=new"));
    client.push(queue, "later", "fresh");
    client.push(queue, "p", "new");
    var got = client.pop(queue, "consumerGroup=g&subscriptionMode=new&partitions=0");
    assertEquals(List.of("fresh", "new"), texts(got).stream().sorted().toList());
  }

  @Test
  void check9QueueModeAlwaysDeliversTheBacklog() {
    client.push(queue, "p", "1");
    assertEquals(List.of("1"), texts(client.pop(queue, "subscriptionMode=new")));
  }

  @Test
  void check10EmptyPollsDuringALeaseDoNotHideTheBacklog() {
    client.push(queue, "p", "1", "2");
    client.pop(queue, "batch=1&leaseSeconds=1");
    for (int poll = 0; poll < 5; poll++) {
      client.pop(queue, "batch=2&leaseSeconds=1&consumerGroup=other");
      client.get("/api/v1/pop/queue/" + queue + "?batch=2&wait=true&timeout=20");
    }
    assertEquals(List.of("1", "2"), texts(popUntilAll("1", "2")));
  }

  @Test
  void check11AGhostFailsAndTheRealBatchCanStillBeAcked() {
    client.push(queue, "p", "1");
    var real = client.pop(queue, "batch=1").getFirst();
    for (var status : List.of("completed", "failed")) {
      var ghost = client.ack("ghost", real.partitionId(), real.leaseId(), status);
      assertFalse(ghost.get("success").booleanValue());
      assertTrue(ghost.get("error").stringValue().contains("unresolv"), ghost.toString());
    }
    assertTrue(client.ack(real, "completed").get("leaseReleased").booleanValue());
  }

  @Test
  void check14PayloadIsRequiredAndAnEmptyListIsFine() {
    var item = Json.object();
    item.putArray("items").addObject().put("queue", queue).put("data", 1);
    var refused = client.post("/api/v1/push", item);
    assertEquals(400, refused.status());
    assertTrue(refused.json().get("error").stringValue().startsWith("bad body: "));
    var empty = Json.object();
    empty.putArray("items");
    assertEquals(201, client.post("/api/v1/push", empty).status());
    assertEquals("[]", client.post("/api/v1/push", empty).body());
    assertEquals(404, client.get("/api/v1/resources/queues/" + queue).status());
  }

  @Test
  void check15NothingIsReallyNothingOnTheWire() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), api.port())) {
      client.sendPop(socket, queue, "batch=1", "Connection: close");
      var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      var lines = new ArrayList<String>();
      in.lines().forEach(lines::add);
      assertEquals("HTTP/1.1 204 No Content", lines.getFirst());
      assertEquals("", lines.getLast());
      assertTrue(
          lines.stream().noneMatch(l -> l.startsWith("Content-Length") || l.startsWith("Transfer")),
          lines.toString());
    }
  }

  @Test
  void check16AMissingQueueIsDeletedWithoutAnError() {
    var path = "/api/v1/resources/queues/" + queue;
    var answer =
        api.send(api.request(path).header("x-queen-tenant", client.tenant().toString()).DELETE());
    assertEquals(200, answer.status());
    assertFalse(answer.json().get("deleted").booleanValue());
    assertEquals(200, neighbour.get(path).status());
  }

  @Test
  void check17ConfigureMergesReplacesAndRefusesOtherModes() {
    var options =
        client.configure(queue, "{\"leaseTime\":7,\"retryLimit\":9,\"ttl\":11}").get("options");
    assertEquals(7, options.get("leaseTime").intValue());
    options = client.configure(queue, "{\"retryLimit\":null}").get("options");
    assertEquals(7, options.get("leaseTime").intValue());
    assertEquals(3, options.get("retryLimit").intValue());
    assertEquals(11, options.get("ttl").intValue());
    var wrong = Json.object().put("queue", queue).put("mode", "Replace").put("leaseTime", 1);
    var refused = client.post("/api/v1/configure", wrong);
    assertEquals(400, refused.status());
    assertTrue(
        refused
            .json()
            .get("error")
            .stringValue()
            .startsWith("mode must be \"merge\" or \"replace\""));
    var replaced =
        client.post("/api/v1/configure", Json.object().put("queue", queue).put("mode", "replace"));
    assertEquals(300, replaced.json().get("options").get("leaseTime").intValue());
    assertEquals(3600, replaced.json().get("options").get("ttl").intValue());
    var detail = neighbour.get("/api/v1/resources/queues/" + queue).json();
    assertEquals(60, detail.get("options").get("leaseTime").intValue());
  }

  @Test
  void check18TheLeaseDependsOnWhoCreatedTheQueue() {
    // A namespace of its own: what other tests left may be more than one answer holds.
    var pushed = "implicit-lease." + queue;
    client.push(pushed, "p", "1");
    var detail = client.get("/api/v1/resources/queues/" + pushed).json();
    assertEquals(60, detail.get("options").get("leaseTime").intValue());
    assertEquals("implicit-lease", detail.get("namespace").stringValue());
    var found = client.popPath("/api/v1/pop?namespace=implicit-lease");
    assertTrue(texts(found).contains("1"), found.toString());
    var configured = client.configure(queue + "-configured", "{}").get("options");
    assertEquals(300, configured.get("leaseTime").intValue());
  }

  @Test
  void check19AForeignPartitionIsNobodysPartition() {
    var foreign = neighbour.pop(queue, "batch=1&leaseSeconds=1").getFirst();
    client.push(queue, "p", "1");
    var own = client.pop(queue, "batch=1").getFirst();
    assertNotEquals(foreign.partitionId(), own.partitionId());
    for (var lease : List.of(foreign.leaseId(), "")) {
      var ack = client.ack("1", foreign.partitionId(), lease, "completed");
      assertFalse(ack.get("success").booleanValue(), ack.toString());
    }
    var extend =
        client.post(
            "/api/v1/lease/" + foreign.leaseId() + "/extend", Json.object().put("seconds", 500));
    assertFalse(extend.json().get("success").booleanValue());
    assertEquals(
        1,
        client
            .get("/api/v1/resources/queues/" + queue)
            .json()
            .get("totals")
            .get("total")
            .intValue());
    assertTrue(client.ack(own, "completed").get("success").booleanValue());
    // Back to the first attempt for the check that follows every test.
    assertTrue(neighbour.ack(foreign, "retry").get("leaseReleased").booleanValue());
    var again = neighbour.pop(queue, "batch=5");
    assertEquals(2, again.getFirst().attempt());
    neighbour.ack(again.getLast(), "completed");
    neighbour.push(queue, "again", "1", "2", "3", "4", "5");
  }

  @Test
  void oddBytesGoInAndComeOutUnchanged() {
    var payload = "{\"a\" : 1.50,\"a\":9007199254740993,\"\\ud800\":\"\\u00e9é\\/\",\"e\":[ ]}";
    var body =
        "{\"items\":[{\"queue\":\"%s\",\"transactionId\":\"t\\n\\u00e9\",\"payload\":%s}]}"
            .formatted(queue, payload);
    assertEquals(201, api.postAs(client.tenant(), "/api/v1/push", body).status());
    var answer = client.get("/api/v1/pop/queue/" + queue);
    assertTrue(answer.body().contains("\"data\":" + payload + ","), answer.body());
    assertTrue(answer.body().contains("\"transactionId\":\"t\\né\""), answer.body());
    assertTrue(
        answer
            .body()
            .matches(
                "(?s).*\"createdAt\":\"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z\".*"));
  }

  @Test
  void aWaitingPopGetsThePushThatComesLater() throws Exception {
    var waiting = new ArrayList<Message>();
    var thread =
        Thread.ofVirtual()
            .start(
                () -> waiting.addAll(client.pop(queue, "wait=true&timeout=20000&consumerGroup=g")));
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() > 0);
    client.push(queue, "p", "late");
    thread.join();
    assertEquals(List.of("late"), texts(waiting));
  }

  @Test
  void aClientThatVanishesWhileItWaitsTakesNothingWithIt() throws Exception {
    var socket = new Socket(InetAddress.getLoopbackAddress(), api.port());
    client.sendPop(socket, queue, "wait=true&timeout=60000", "Accept: */*");
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() > 0);
    socket.close();
    Await.until("its place is free", () -> engine.stats().parkedConsumers() == 0);
    client.push(queue, "p", "1");
    var got = client.pop(queue, "batch=1");
    assertEquals(List.of("1"), texts(got));
    assertEquals(1, got.getFirst().attempt());
  }

  /** Pops again and again until something comes: a lease has to run out first. */
  private List<Message> popWhenItComes(String query) {
    return Await.value("a redelivery", () -> client.pop(queue, query), got -> !got.isEmpty());
  }

  private List<Message> popUntilAll(String... texts) {
    return Await.value(
        "all of " + List.of(texts),
        () -> client.pop(queue, "batch=10&leaseSeconds=1"),
        got -> texts(got).equals(List.of(texts)));
  }

  private int deadLetters(String transactionId) throws SQLException {
    try (var connection = DATABASE.connect();
        var query =
            connection.prepareStatement(
                "SELECT count(*) FROM queen.dead_letters d JOIN queen.queues q ON q.id = d.queue_id"
                    + " WHERE q.tenant = ? AND q.name = ? AND d.transaction_id = ?")) {
      query.setObject(1, client.tenant());
      query.setString(2, queue);
      query.setBytes(3, transactionId.getBytes(ISO_8859_1));
      var rows = query.executeQuery();
      rows.next();
      return rows.getInt(1);
    }
  }
}
