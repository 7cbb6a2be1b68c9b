package dev.queencell.broker.http;

import static dev.queencell.broker.http.WireClient.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
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
import tools.jackson.databind.JsonNode;

/**
 * What pops ask for and what queues make of it, over HTTP on the real engine. Beside each test a
 * second tenant has plain queues of the same names, which must deliver everything at once.
 */
@Timeout(120)
class PopOptionsIT {
  private static final String GROUP = "consumerGroup=g&subscriptionMode=all";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static CellEngine engine;
  private static ApiFixture api;

  private final WireClient client = new WireClient(api, UUID.randomUUID());
  private final WireClient neighbour = new WireClient(api, UUID.randomUUID());
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
    queue = "options." + test.getTestMethod().orElseThrow().getName();
    neighbour.push(queue, "p", "1", "2", "3");
  }

  @AfterEach
  void theNeighbourGetsAllAtOnce() {
    assertEquals(List.of("1", "2", "3"), texts(neighbour.pop(queue, GROUP + "&batch=10")));
  }

  private JsonNode popAnswer(String query) {
    var answer = client.get("/api/v1/pop/queue/" + queue + "?" + query);
    return answer.status() == 204 ? Json.object() : answer.json();
  }

  private static List<String> data(JsonNode answer) {
    var texts = new ArrayList<String>();
    if (answer.has("messages")) {
      answer.get("messages").forEach(message -> texts.add(message.get("data").stringValue()));
    }
    return texts;
  }

  private JsonNode ackAs(JsonNode message, String status) {
    return client
        .post(
            "/api/v1/ack",
            Json.object()
                .put("consumerGroup", "g")
                .put("transactionId", message.get("transactionId").stringValue())
                .put("partitionId", message.get("partitionId").stringValue())
                .put("leaseId", message.get("leaseId").stringValue())
                .put("status", status))
        .json()
        .get(0);
  }

  private Message awaitOne(String query) {
    return Await.value("a message", () -> client.pop(queue, query), got -> !got.isEmpty())
        .getFirst();
  }

  // Conflation.

  @Test
  void aConflatingGroupGetsTheNewestOfEachPartitionAndRetiresTheRest() {
    client.push(queue, "a", "a1", "a2", "a3");
    client.push(queue, "b", "b1");
    var answer = popAnswer(GROUP + "&conflation=true");
    assertEquals(List.of("a3", "b1"), data(answer).stream().sorted().toList());
    assertTrue(answer.get("conflation").booleanValue());
    assertFalse(answer.has("conflationConflict"));
    assertEquals(2, answer.get("partitionsClaimed").intValue());
    for (var message : answer.get("messages")) {
      var ack = ackAs(message, "completed");
      assertTrue(ack.get("leaseReleased").booleanValue(), ack.toString());
      boolean longer = message.get("data").stringValue().equals("a3");
      assertEquals(longer ? 2 : 0, ack.get("conflated").intValue());
    }
    var empty = client.get("/api/v1/pop/queue/" + queue + "?" + GROUP + "&conflation=true");
    assertEquals(200, empty.status());
    assertTrue(empty.json().get("conflation").booleanValue());
    assertEquals(0, empty.json().get("messages").size());
  }

  @Test
  void whatIsPushedWhileTheNewestIsLeasedIsTheNextNewest() {
    client.push(queue, "a", "1", "2");
    var leased = popAnswer(GROUP + "&conflation=true").get("messages").get(0);
    client.push(queue, "a", "3", "4");
    assertEquals(0, popAnswer(GROUP + "&conflation=true").get("messages").size());
    assertEquals(1, ackAs(leased, "completed").get("conflated").intValue());
    var next = popAnswer(GROUP + "&conflation=true").get("messages").get(0);
    assertEquals("4", next.get("data").stringValue());
    // A failure takes the usual way, and says nothing of conflation.
    var failed = ackAs(next, "failed");
    assertFalse(failed.has("conflated"));
    assertTrue(failed.get("leaseReleased").booleanValue());
    var again = popAnswer(GROUP + "&conflation=true").get("messages").get(0);
    assertEquals("4", again.get("data").stringValue());
    assertEquals(2, again.get("deliveryAttempt").intValue());
  }

  @Test
  void theStoredPolicyWinsAndTheConflictIsSaid() {
    client.push(queue, "a", "1", "2");
    assertEquals(List.of("1", "2"), data(popAnswer(GROUP)));
    var conflict = client.get("/api/v1/pop/queue/" + queue + "?" + GROUP + "&conflation=true");
    assertEquals(200, conflict.status());
    assertFalse(conflict.json().has("conflation"));
    assertTrue(conflict.json().get("conflationConflict").booleanValue());
    var other = "consumerGroup=other&subscriptionMode=all";
    assertEquals(List.of("2"), data(popAnswer(other + "&conflation=true")));
    client.push(queue, "b", "3", "4");
    var plain = popAnswer(other);
    assertEquals(List.of("4"), data(plain));
    assertTrue(plain.get("conflation").booleanValue());
    assertTrue(plain.get("conflationConflict").booleanValue());
    var listed = client.get("/api/v1/consumer-groups/other").json().get(queue);
    assertTrue(listed.get("conflation").booleanValue());
  }

  @Test
  void conflationIsWideAndOfAtMostSixtyFourMessages() {
    for (int i = 0; i < 80; i++) {
      client.push(queue, "p" + i, "x", "y");
    }
    assertEquals(64, popAnswer(GROUP + "&conflation=true&batch=1000").get("messages").size());
    assertEquals(3, popAnswer(GROUP + "&conflation=true&partitions=3").get("messages").size());
    var pinned =
        client.get(
            "/api/v1/pop/queue/%s/partition/p79?consumerGroup=pin&conflation=true"
                .formatted(queue));
    assertEquals(200, pinned.status());
    assertTrue(pinned.json().get("conflation").booleanValue());
  }

  @Test
  void conflationNeedsAGroupAndAnAcknowledgement() {
    assertEquals(400, client.get("/api/v1/pop/queue/" + queue + "?conflation=true").status());
    assertEquals(
        400,
        client
            .get("/api/v1/pop/queue/" + queue + "?" + GROUP + "&conflation=true&autoAck=true")
            .status());
  }

  // Width.

  @Test
  void aBatchIsSharedByAsManyPartitionsAsAreAskedFor() {
    for (var partition : List.of("a", "b", "c")) {
      client.push(queue, partition, "1", "2", "3");
    }
    var one = popAnswer(GROUP + "&batch=7");
    assertEquals(3, one.get("messages").size());
    assertEquals(1, one.get("partitionsClaimed").intValue());
    var two = popAnswer("consumerGroup=h&subscriptionMode=all&batch=7&partitions=2");
    assertEquals(6, two.get("messages").size());
    var all = popAnswer("consumerGroup=i&subscriptionMode=all&batch=7&partitions=0");
    assertEquals(7, all.get("messages").size());
    assertEquals(3, all.get("partitionsClaimed").intValue());
    var leases = new java.util.HashSet<String>();
    all.get("messages").forEach(message -> leases.add(message.get("leaseId").stringValue()));
    assertEquals(1, leases.size());
  }

  // Waiting.

  @Test
  void aFillWaitGathersABatch() throws Exception {
    client.configure(queue, "{\"minPopWaitTime\":60000}");
    var got = new ArrayList<Message>();
    var waiting =
        Thread.ofVirtual()
            .start(() -> got.addAll(client.pop(queue, GROUP + "&batch=3&wait=true&timeout=60000")));
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() > 0);
    client.push(queue, "p", "1");
    client.push(queue, "p", "2");
    assertEquals(1, engine.stats().parkedConsumers());
    client.push(queue, "p", "3");
    waiting.join();
    assertEquals(List.of("1", "2", "3"), texts(got));
  }

  @Test
  void aFillWaitEndsByItselfAndBeforeTheCallersTimeout() {
    client.configure(queue, "{\"minPopWaitTime\":200}");
    client.push(queue, "p", "1");
    assertEquals(
        List.of("1"), texts(client.pop(queue, GROUP + "&batch=3&wait=true&timeout=60000")));
    client.configure(queue, "{\"minPopWaitTime\":60000}");
    client.push(queue, "q", "2");
    assertEquals(List.of("2"), texts(client.pop(queue, GROUP + "&batch=3&wait=true&timeout=500")));
    client.push(queue, "r", "3");
    // Who does not wait is not held.
    assertEquals(List.of("3"), texts(client.pop(queue, GROUP + "&batch=3")));
  }

  @Test
  void aDelayHidesAndLoweringItShowsToAParkedPop() throws Exception {
    client.configure(queue, "{\"delayedProcessing\":3600}");
    client.push(queue, "p", "1");
    assertEquals(List.of(), client.pop(queue, GROUP));
    var got = new ArrayList<Message>();
    var waiting =
        Thread.ofVirtual()
            .start(() -> got.addAll(client.pop(queue, GROUP + "&wait=true&timeout=60000")));
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() > 0);
    client.configure(queue, "{\"delayedProcessing\":0}");
    waiting.join();
    assertEquals(List.of("1"), texts(got));
  }

  @Test
  void aDelayedMessageComesToAParkedPopByItself() {
    client.configure(queue, "{\"delayedProcessing\":1}");
    client.push(queue, "p", "1");
    assertEquals(List.of(), client.pop(queue, GROUP));
    assertEquals(List.of("1"), texts(client.pop(queue, GROUP + "&wait=true&timeout=60000")));
  }

  @Test
  void aWindowGathersUntilAHundredMessagesHaveCome() {
    client.configure(queue, "{\"windowBuffer\":3600}");
    client.push(queue, "p", "first");
    assertEquals(List.of(), client.pop(queue, GROUP));
    var texts = new String[98];
    java.util.Arrays.setAll(texts, i -> "t" + i);
    client.push(queue, "p", texts);
    assertEquals(List.of(), client.pop(queue, GROUP));
    client.push(queue, "p", "hundredth");
    assertEquals(100, client.pop(queue, GROUP).size());
  }

  @Test
  void aWindowEndsThoughItsPartitionIsWrittenAllTheTime() {
    client.configure(queue, "{\"windowBuffer\":1}");
    client.push(queue, "p", "first");
    int[] pushes = {0};
    var got =
        Await.value(
            "the window's end",
            () -> {
              if (pushes[0] < 90) {
                client.push(queue, "p", "t" + pushes[0]++);
              }
              return client.pop(queue, GROUP);
            },
            messages -> !messages.isEmpty());
    assertEquals("first", got.getFirst().text());
  }

  // Options that the contract stores without effect.

  @Test
  void ttlIsEnforcedOnceItWasAskedFor() {
    var configured = client.configure(queue, "{\"leaseTime\":5}");
    assertEquals(3600, configured.get("options").get("ttl").intValue());
    assertEquals("[]", configured.get("enforced").toString());
    configured = client.configure(queue, "{\"ttl\":1}");
    assertEquals("[\"ttl\"]", configured.get("enforced").toString());
    client.push(queue, "p", "old");
    client.push(queue, "p", "older");
    client.push(queue + "-clock", "p", "1");
    client.pop(queue + "-clock", GROUP);
    Await.until(
        "the messages are too old",
        () ->
            client
                .get("/api/v1/consumer-groups/lagging?minLagSeconds=2")
                .body()
                .contains(queue + "-clock"));
    client.push(queue, "p", "young");
    assertEquals(List.of("young"), texts(client.pop(queue, GROUP)));
    // Stepped over for good.
    configured = client.configure(queue, "{\"ttl\":null}");
    assertEquals("[]", configured.get("enforced").toString());
    assertEquals(List.of(), client.pop(queue, GROUP));
    assertEquals(List.of("old", "older", "young"), texts(client.pop(queue, "batch=10")));
  }

  @Test
  void aFailedLaneRestsOnlyWhereThatWasAskedFor() {
    client.push(queue, "p", "1");
    ackAs(popAnswer(GROUP).get("messages").get(0), "failed");
    assertEquals(List.of("1"), data(popAnswer(GROUP + "&leaseSeconds=1")));
    client.configure(queue, "{\"retryDelay\":1500}");
    var got = awaitOne(GROUP);
    ackAs(got.json(), "retry");
    assertEquals(List.of(), client.pop(queue, GROUP));
    assertEquals(List.of("1"), texts(client.pop(queue, GROUP + "&wait=true&timeout=60000")));
  }

  @Test
  void aFullQueueRefusesByItemUntilSomethingWasCompleted() {
    client.configure(queue, "{\"maxSize\":3}");
    var results = client.push(queue, "p", "1", "2", "3", "4");
    assertEquals("queued", results.get(2).get("status").stringValue());
    assertEquals("failed", results.get(3).get("status").stringValue());
    assertEquals("queue is full", results.get(3).get("error").stringValue());
    assertEquals("duplicate", client.push(queue, "p", "1").get(0).get("status").stringValue());
    assertEquals("failed", client.push(queue, "q", "5").get(0).get("status").stringValue());
    var got = client.pop(queue, "batch=2");
    client.ack(got.getLast(), "completed");
    Await.until(
        "room for one more",
        () -> client.push(queue, "p", "6").get(0).get("status").stringValue().equals("queued"));
  }

  @Test
  void aFullQueueWithBackPressureAnswersTooManyRequests() {
    var configured = client.configure(queue, "{\"maxSize\":1,\"backPressure\":true}");
    assertTrue(configured.get("options").get("backPressure").booleanValue());
    client.push(queue, "p", "1");
    var body = Json.object();
    body.putArray("items").addObject().put("queue", queue).put("payload", 1);
    var refused = client.post("/api/v1/push", body);
    assertEquals(429, refused.status());
    assertEquals("1", refused.header("Retry-After"));
    assertEquals("queue_full", refused.json().get("code").stringValue());
    // With something taken beside it, each item is told for itself.
    ((tools.jackson.databind.node.ArrayNode) body.get("items"))
        .addObject()
        .put("queue", queue + "-other")
        .put("payload", 1);
    assertEquals(201, client.post("/api/v1/push", body).status());
  }

  @Test
  void aDiscoveryPopTakesTheHigherPriorityFirst() {
    for (var name : List.of("low", "high", "middle")) {
      client.push(queue + "-" + name, "p", name);
    }
    client.configure(queue + "-high", "{\"priority\":9,\"namespace\":\"ranked\"}");
    client.configure(queue + "-middle", "{\"priority\":5,\"namespace\":\"ranked\"}");
    client.configure(queue + "-low", "{\"priority\":-1,\"namespace\":\"ranked\"}");
    var seen = new ArrayList<String>();
    for (int i = 0; i < 3; i++) {
      seen.addAll(texts(client.popPath("/api/v1/pop?namespace=ranked&batch=1")));
    }
    assertEquals(List.of("high", "middle", "low"), seen);
  }

  @Test
  void aLaneWaitsForItsDelayedHead() {
    var body = Json.object();
    var items = body.putArray("items");
    items.addObject().put("queue", queue).put("payload", "now");
    items.addObject().put("queue", queue).put("payload", "later").put("delaySeconds", 1);
    items.addObject().put("queue", queue).put("payload", "behind");
    assertEquals(201, client.post("/api/v1/push", body).status());
    var now = popAnswer(GROUP + "&batch=10");
    assertEquals(List.of("now"), data(now));
    ackAs(now.get("messages").get(0), "completed");
    assertEquals(List.of(), client.pop(queue, GROUP));
    assertEquals(
        List.of("later", "behind"), texts(client.pop(queue, GROUP + "&wait=true&timeout=60000")));
    items.addObject().put("queue", queue).put("payload", 1).put("delaySeconds", -1);
    assertEquals(400, client.post("/api/v1/push", body).status());
  }

  @Test
  void attemptsCountWhatBeganAtTheSameOffset() {
    client.push(queue, "p", "1", "2");
    assertEquals(
        1, popAnswer(GROUP + "&batch=1").get("messages").get(0).get("deliveryAttempt").intValue());
    client.get("/api/v1/pop/queue/" + queue + "?" + GROUP);
    var other = "consumerGroup=h&subscriptionMode=all&batch=2&leaseSeconds=1";
    assertEquals(1, popAnswer(other).get("messages").get(0).get("deliveryAttempt").intValue());
    var again = awaitOne(other);
    assertEquals(2, again.attempt());
    var automatic = popAnswer("consumerGroup=i&subscriptionMode=all&autoAck=true");
    assertEquals(1, automatic.get("messages").get(0).get("deliveryAttempt").intValue());
    assertEquals("", automatic.get("leaseId").stringValue());
  }

  @Test
  void leasesMayBeRelaxedAndNothingElse() {
    var configured = client.configure(queue, "{\"leaseDurability\":\"relaxed\"}");
    assertEquals("relaxed", configured.get("options").get("leaseDurability").stringValue());
    client.push(queue, "p", "1");
    var got = popAnswer(GROUP).get("messages").get(0);
    assertEquals(List.of(), client.pop(queue, GROUP));
    assertTrue(ackAs(got, "completed").get("leaseReleased").booleanValue());
    var wrong = Json.object().put("queue", queue).put("leaseDurability", "loose");
    var refused = client.post("/api/v1/configure", wrong);
    assertEquals(400, refused.status());
    assertTrue(refused.json().get("error").stringValue().contains("leaseDurability"));
    configured = client.configure(queue, "{\"leaseDurability\":null}");
    assertNull(configured.get("options").get("leaseDurability"));
    assertNotEquals(0, configured.get("options").size());
  }
}
