package dev.queencell.broker.http;

import static dev.queencell.broker.http.WireClient.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.http.ApiFixture.Answer;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * Dead letters over HTTP on the real engine and a real PostgreSQL. A second tenant has a dead
 * letter in a queue of the same name, and keeps it.
 */
@Timeout(120)
class DeadLettersIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final UUID TENANT = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final UUID NEIGHBOUR = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");

  private static CellEngine engine;
  private static ApiFixture api;

  private final WireClient client = new WireClient(api, TENANT);
  private final WireClient neighbour = new WireClient(api, NEIGHBOUR);
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
  void giveTheNeighbourTheSame(TestInfo test) {
    queue = "dead." + test.getTestMethod().orElseThrow().getName();
    neighbour.push(queue, "p", "bad");
    neighbour.ack(neighbour.pop(queue, "batch=1").getFirst(), "dlq");
  }

  @AfterEach
  void theNeighboursIsStillThere() {
    assertEquals(1, list(neighbour, "queue=" + queue).size());
  }

  @Test
  void aDeadLetterIsListedWithItsCauseAndItsPayload() {
    client.push(queue, "p", "bad", "good");
    var bad = client.pop(queue, "batch=1").getFirst();
    client.post(
        "/api/v1/ack",
        Json.object()
            .put("transactionId", "bad")
            .put("partitionId", bad.partitionId())
            .put("leaseId", bad.leaseId())
            .put("status", "dlq")
            .put("error", "no such customer"));
    var letters = list(client, "queue=" + queue);
    assertEquals(1, letters.size());
    var letter = letters.getFirst();
    assertEquals("bad", letter.get("transactionId").stringValue());
    assertEquals("bad", letter.get("data").stringValue());
    assertEquals(bad.partitionId(), letter.get("partitionId").stringValue());
    assertEquals("p", letter.get("partition").stringValue());
    assertEquals("__QUEUE_MODE__", letter.get("consumerGroup").stringValue());
    assertEquals("no such customer", letter.get("errorMessage").stringValue());
    assertTrue(letter.get("producerSub").isNull());
    assertEquals(letter.get("failedAt"), letter.get("createdAt"));
    assertEquals(List.of(), list(client, "queue=" + queue + "&consumerGroup=other"));
    assertEquals(1, list(client, "queue=" + queue + "&limit=5&offset=0").size());
    assertEquals(0, list(client, "queue=" + queue + "&offset=1").size());
  }

  @Test
  void aReplayMovesItToTheTailUnderAnIdOfItsOwn() {
    var id = letter("p", "bad");
    client.push(queue, "p", "later");
    var answer = replay(id, "");
    assertEquals(200, answer.status(), answer.body());
    var moved = answer.json();
    assertEquals("moved", moved.get("result").stringValue());
    assertEquals("bad", moved.get("originalTransactionId").stringValue());
    assertTrue(moved.get("dlqRowRemoved").booleanValue());
    var as = moved.get("replayedAs");
    assertEquals("dlq:" + id, as.get("transaction_id").stringValue());
    assertEquals("queued", as.get("status").stringValue());
    assertEquals(2, as.get("offset").intValue());
    assertEquals(List.of(), list(client, "queue=" + queue));
    var got = client.pop(queue, "batch=5");
    assertEquals(List.of("later", "bad"), texts(got));
    assertEquals(as.get("message_id").stringValue(), got.getLast().json().get("id").stringValue());
    assertNotEquals(got.getFirst().json().get("createdAt"), got.getLast().json().get("createdAt"));

    var again = replay(id, "");
    assertEquals(404, again.status());
    assertEquals("gone", again.json().get("result").stringValue());
    assertEquals("Message not found", again.json().get("error").stringValue());
  }

  @Test
  void aReplayGoesWhereverItIsSent() {
    for (int i = 0; i < 6; i++) {
      // Of these queues some are on the other lane.
      var id = letter("p" + i, "bad" + i);
      var target = queue + ".elsewhere" + i;
      var answer = replay(id, "{\"queue\":\"  " + target + " \",\"partition\":\"new\"}");
      assertEquals(200, answer.status(), answer.body());
      assertEquals(target, answer.json().get("queue").stringValue());
      var got = client.pop(target, "batch=5");
      assertEquals(List.of("bad" + i), texts(got));
      assertEquals("new", got.getFirst().json().get("partition").stringValue());
    }
    assertEquals(List.of(), list(client, "queue=" + queue));
    assertEquals(400, replay(letter("p", "x"), "{\"queue\":\" \"}").status());
    assertEquals(1, list(client, "queue=" + queue).size());
  }

  @Test
  void theDestinationThatHasItAlreadyGetsNoSecondOne() {
    var id = letter("p", "bad");
    client.push(queue, "p", "dlq:" + id);
    var answer = replay(id, "{}");
    assertEquals(200, answer.status(), answer.body());
    assertEquals("duplicate", answer.json().get("result").stringValue());
    assertEquals(false, answer.json().get("dlqRowRemoved").booleanValue());
    var as = answer.json().get("replayedAs");
    assertEquals("duplicate", as.get("status").stringValue());
    assertEquals(new UUID(0, 0).toString(), as.get("message_id").stringValue());
    assertEquals(1, as.get("offset").intValue());
    assertEquals(1, list(client, "queue=" + queue).size());
  }

  @Test
  void ofManyReplaysAtOnceOneMovesIt() throws Exception {
    client.configure(queue, "{\"dedupWindowSeconds\":0}");
    var id = letter("p", "bad");
    var statuses = new ConcurrentLinkedQueue<Integer>();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 8; i++) {
      threads.add(Thread.ofVirtual().start(() -> statuses.add(replay(id, "").status())));
    }
    for (var thread : threads) {
      thread.join();
    }
    assertEquals(1, statuses.stream().filter(status -> status == 200).count(), "" + statuses);
    assertEquals(7, statuses.stream().filter(status -> status == 404).count(), "" + statuses);
    assertEquals(List.of("bad"), texts(client.pop(queue, "batch=5")));
  }

  @Test
  void anAddressIsRetriedOrDeletedForEveryGroup() {
    client.push(queue, "p", "bad");
    for (var group : List.of("g1", "g2")) {
      var got = popFor(group);
      client.post(
          "/api/v1/ack",
          Json.object()
              .put("transactionId", "bad")
              .put("partitionId", got.partitionId())
              .put("leaseId", got.leaseId())
              .put("consumerGroup", group)
              .put("status", "dlq"));
    }
    assertEquals(2, list(client, "queue=" + queue).size());
    var partition = list(client, "queue=" + queue).getFirst().get("partitionId").stringValue();
    var address = "/api/v1/messages/" + partition + "/bad";
    var retried = client.post(address + "/retry", Json.object());
    assertEquals(200, retried.status(), retried.body());
    // The newest row was that of the second group; the first group's survives.
    assertEquals("g2", retried.json().get("consumerGroup").stringValue());
    assertEquals(
        List.of("g1"),
        list(client, "queue=" + queue).stream()
            .map(row -> row.get("consumerGroup").stringValue())
            .toList());
    assertEquals(404, deleteAs(NEIGHBOUR, address).status());
    assertEquals(200, deleteAs(TENANT, address).status());
    var missing = deleteAs(TENANT, address);
    assertEquals(404, missing.status());
    assertEquals("Message not found", missing.json().get("error").stringValue());
    assertTrue(missing.json().get("message").stringValue().startsWith("No dead-letter row for"));
    assertEquals(404, client.post(address + "/retry", Json.object()).status());
    assertEquals(404, deleteAs(TENANT, "/api/v1/messages/x/bad").status());
  }

  @Test
  void aPurgeTakesWhatAGroupOrTheQueueHas() {
    letter("p", "1");
    letter("p", "2");
    assertEquals(400, deleteAs(TENANT, "/api/v1/dlq").status());
    assertEquals(
        "queue is required",
        deleteAs(TENANT, "/api/v1/dlq?queue=").json().get("error").stringValue());
    var none = deleteAs(TENANT, "/api/v1/dlq?queue=" + queue + "&consumerGroup=other");
    assertEquals(0, none.json().get("deleted").intValue());
    var all = deleteAs(TENANT, "/api/v1/dlq?queue=" + queue);
    assertEquals(2, all.json().get("deleted").intValue());
    assertEquals(List.of(), list(client, "queue=" + queue));
    assertEquals(0, deleteAs(TENANT, "/api/v1/dlq?queue=missing").json().get("deleted").intValue());
  }

  @Test
  void nobodyReplaysWhatIsNotTheirs() {
    var theirs = list(neighbour, "queue=" + queue).getFirst().get("id").stringValue();
    assertEquals(404, replay(theirs, "").status());
    assertEquals(404, replay("no-uuid", "").status());
  }

  /** Pushes a message and has it dead-lettered; returns the row's id. */
  private String letter(String partition, String text) {
    client.push(queue, partition, text);
    var got = client.popPath("/api/v1/pop/queue/" + queue + "/partition/" + partition);
    assertEquals(List.of(text), texts(got));
    assertTrue(client.ack(got.getFirst(), "dlq").get("dlq").booleanValue());
    return list(client, "queue=" + queue).getFirst().get("id").stringValue();
  }

  private Message popFor(String group) {
    return client.pop(queue, "batch=1&consumerGroup=" + group + "&subscriptionMode=all").getFirst();
  }

  private static List<JsonNode> list(WireClient of, String query) {
    var answer = of.get("/api/v1/dlq?" + query);
    assertEquals(200, answer.status(), answer.body());
    var letters = new ArrayList<JsonNode>();
    answer.json().get("messages").forEach(letters::add);
    assertEquals(letters.size(), answer.json().get("total").intValue());
    return letters;
  }

  private static Answer replay(String id, String body) {
    return api.postAs(TENANT, "/api/v1/dlq/" + id + "/replay", body);
  }

  private static Answer deleteAs(UUID tenant, String path) {
    return api.send(
        api.request(path)
            .header("x-queen-tenant", tenant.toString())
            .method("DELETE", BodyPublishers.noBody()));
  }
}
