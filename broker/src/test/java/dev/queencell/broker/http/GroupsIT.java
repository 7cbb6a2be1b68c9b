package dev.queencell.broker.http;

import static dev.queencell.broker.http.WireClient.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.time.LocalDate;
import java.time.ZoneOffset;
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
 * Consumer groups over HTTP on the real engine. A second tenant has the same queue, partition and
 * group, stands in the middle of its messages, and must not be moved.
 */
@Timeout(120)
class GroupsIT {
  private static final String ALL = "consumerGroup=g&subscriptionMode=all";

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
    queue = "groups-" + test.getTestMethod().orElseThrow().getName();
    neighbour.push(queue, "p", "1", "2", "3");
    ackAll(neighbour, neighbour.pop(queue, ALL + "&batch=1"));
  }

  @AfterEach
  void theNeighbourHasNotMoved() {
    assertEquals(List.of("2", "3"), texts(neighbour.pop(queue, ALL + "&batch=10")));
    assertEquals(200, neighbour.delete("/api/v1/resources/queues/" + queue).status());
  }

  private static void ackAll(WireClient client, List<Message> messages) {
    var body = Json.object().put("consumerGroup", "g");
    var items = body.putArray("acknowledgments");
    for (var message : messages) {
      items
          .addObject()
          .put("transactionId", message.transactionId())
          .put("partitionId", message.partitionId())
          .put("leaseId", message.leaseId());
    }
    for (var result : client.post("/api/v1/ack/batch", body).json()) {
      assertTrue(result.get("success").booleanValue(), result.toString());
    }
  }

  private JsonNode listed(WireClient whose, String group) {
    var found = new ArrayList<JsonNode>();
    for (var entry : whose.get("/api/v1/consumer-groups").json()) {
      if (entry.get("queueName").stringValue().equals(queue)
          && entry.get("name").stringValue().equals(group)) {
        found.add(entry);
      }
    }
    assertEquals(1, found.size());
    return found.getFirst();
  }

  private JsonNode place(String group, String partition) {
    for (var entry :
        client.get("/api/v1/consumer-groups/" + group).json().get(queue).get("partitions")) {
      if (entry.get("partition").stringValue().equals(partition)) {
        return entry;
      }
    }
    throw new AssertionError(partition + " is missing");
  }

  private ApiFixture.Answer seek(String group, String rest, String body) {
    return api.postAs(
        client.tenant(),
        "/api/v1/consumer-groups/%s/queues/%s%s/seek".formatted(group, queue, rest),
        body);
  }

  @Test
  void theListSaysHowFarAGroupHasCome() {
    client.push(queue, "p", "1", "2", "3");
    client.push(queue, "q", "4");
    var got = client.pop(queue, ALL + "&batch=2");
    ackAll(client, got);
    var entry = listed(client, "g");
    assertEquals(List.of(queue), List.of(entry.get("topics").get(0).stringValue()));
    assertEquals(2, entry.get("members").intValue());
    assertEquals(2, entry.get("partitionCursors").intValue());
    assertEquals(2, entry.get("totalLag").intValue());
    assertEquals("Stable", entry.get("state").stringValue());
    assertEquals("segments", entry.get("storage").stringValue());
    assertEquals("all", entry.get("subscriptionMode").stringValue());
    assertTrue(entry.get("subscriptionCreatedAt").stringValue().startsWith("20"));
    assertFalse(entry.get("conflation").booleanValue());
  }

  @Test
  void aGroupThatNeverConsumedIsDeadAndOneThatOnlyPinnedHasNoSubscription() {
    client.push(queue, "p", "1");
    client.popPath("/api/v1/pop/queue/%s/partition/p?consumerGroup=pinned".formatted(queue));
    var entry = listed(client, "pinned");
    assertEquals("Dead", entry.get("state").stringValue());
    assertTrue(entry.get("subscriptionMode").isNull());
    assertTrue(entry.get("subscriptionTimestamp").isNull());
  }

  @Test
  void aDetailIsKeyedByQueueAndShowsTheLease() {
    client.push(queue, "p", "1", "2", "3");
    var got = client.pop(queue, ALL + "&batch=2");
    var place = place("g", "p");
    assertTrue(place.get("leaseActive").booleanValue());
    assertEquals(got.getFirst().leaseId(), place.get("workerId").stringValue());
    assertEquals(3, place.get("offsetLag").intValue());
    ackAll(client, got);
    place = place("g", "p");
    assertFalse(place.get("leaseActive").booleanValue());
    assertEquals(2, place.get("totalConsumed").intValue());
    assertEquals(1, place.get("offsetLag").intValue());
    assertEquals("{}", client.get("/api/v1/consumer-groups/nobody").body());
  }

  @Test
  void laggingShowsWhatIsOldEnoughAndIsNoGroupsName() {
    client.push(queue, "p", "1", "2");
    client.pop(queue, ALL + "&batch=1");
    assertEquals("[]", client.get("/api/v1/consumer-groups/lagging?minLagSeconds=3600").body());
    var lagging =
        Await.value(
            "a lag of a second",
            () -> client.get("/api/v1/consumer-groups/lagging?minLagSeconds=1").json(),
            array -> !array.isEmpty());
    var entry = lagging.get(0);
    assertEquals("g", entry.get("consumer_group").stringValue());
    assertEquals(queue, entry.get("queue_name").stringValue());
    assertEquals(2, entry.get("offset_lag").intValue());
    assertTrue(entry.get("time_lag_seconds").intValue() >= 1);
    client.delete("/api/v1/resources/queues/" + queue);
  }

  @Test
  void seekingByTimeDeliversAgainWhatWasAcknowledged() {
    client.push(queue, "p", "1");
    var first = client.pop(queue, ALL);
    client.push(queue, "p", "2");
    client.push(queue, "q", "3");
    ackAll(client, first);
    ackAll(client, client.pop(queue, ALL + "&partitions=0"));
    assertEquals(List.of(), client.pop(queue, ALL + "&partitions=0"));
    var createdAt = first.getFirst().json().get("createdAt").stringValue();
    var answer = seek("g", "", "{\"timestamp\":\"" + createdAt + "\"}");
    assertEquals(200, answer.status());
    assertEquals(2, answer.json().get("partitionsUpdated").intValue());
    assertFalse(answer.json().get("seekToEnd").booleanValue());
    assertEquals(createdAt, answer.json().get("targetTimestamp").stringValue());
    var again = client.pop(queue, ALL + "&partitions=0");
    assertEquals(List.of("1", "2", "3"), texts(again).stream().sorted().toList());
    assertEquals(1, again.getFirst().attempt());
    ackAll(client, again);
    // Just behind the first segment.
    seek("g", "", "{\"timestamp\":\"" + createdAt.replace("Z", "1Z") + "\"}");
    assertEquals(1, client.pop(queue, ALL + "&partitions=0&batch=1&leaseSeconds=1").size());
  }

  @Test
  void aDateAloneIsItsMidnight() {
    client.push(queue, "p", "1", "2");
    ackAll(client, client.pop(queue, ALL));
    var today = LocalDate.now(ZoneOffset.UTC);
    var tomorrow = seek("g", "", "{\"timestamp\":\"" + today.plusDays(1) + "\"}");
    assertEquals(200, tomorrow.status());
    assertEquals(List.of(), client.pop(queue, ALL));
    // Yesterday's, so that a test that runs over midnight sees the same.
    var day = today.minusDays(1).toString();
    for (var rest : List.of("", "/partitions/p")) {
      var answer = seek("g", rest, "{\"timestamp\":\"" + day + "\"}");
      assertEquals(200, answer.status());
      assertEquals(day, answer.json().get("targetTimestamp").stringValue());
      var again = client.pop(queue, ALL);
      assertEquals(List.of("1", "2"), texts(again));
      ackAll(client, again);
    }
    assertEquals(
        "timestamp is '2026-11-31'; it takes a time like 2026-01-31T12:00:00Z or a date like"
            + " 2026-01-31",
        seek("g", "", "{\"timestamp\":\"2026-11-31\"}").json().get("error").stringValue());
  }

  @Test
  void seekingToTheEndSkipsTheBacklogAndEndsTheLease() {
    client.push(queue, "p", "1", "2");
    var leased = client.pop(queue, ALL + "&batch=1");
    var answer = seek("g", "", "{\"toEnd\":true}");
    assertEquals(200, answer.status());
    assertTrue(answer.json().get("seekToEnd").booleanValue());
    assertTrue(answer.json().get("targetTimestamp").isNull());
    assertEquals(List.of(), client.pop(queue, ALL));
    var late =
        client
            .post(
                "/api/v1/ack",
                Json.object()
                    .put("transactionId", leased.getFirst().transactionId())
                    .put("partitionId", leased.getFirst().partitionId())
                    .put("leaseId", leased.getFirst().leaseId())
                    .put("consumerGroup", "g"))
            .json()
            .get(0);
    assertEquals("invalid or expired lease", late.get("error").stringValue());
    client.push(queue, "p", "3");
    assertEquals(List.of("3"), texts(client.pop(queue, ALL)));
  }

  @Test
  void seekingBackWakesAParkedPop() throws Exception {
    client.push(queue, "p", "1");
    ackAll(client, client.pop(queue, ALL));
    var got = new ArrayList<Message>();
    var waiting =
        Thread.ofVirtual()
            .start(() -> got.addAll(client.pop(queue, ALL + "&wait=true&timeout=30000")));
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() > 0);
    seek("g", "", "{\"timestamp\":\"2000-01-01T00:00:00Z\"}");
    waiting.join();
    assertEquals(List.of("1"), texts(got));
  }

  @Test
  void aPartitionIsSoughtAloneAndOtherGroupsStay() {
    client.push(queue, "p", "1");
    client.push(queue, "q", "2");
    ackAll(client, client.pop(queue, ALL + "&partitions=0"));
    client.pop(queue, "consumerGroup=other&subscriptionMode=all&batch=1");
    var answer = seek("g", "/partitions/q", "{\"timestamp\":\"2000-01-01T00:00:00Z\"}");
    assertEquals(200, answer.status());
    assertTrue(answer.json().get("updated").booleanValue());
    assertEquals("q", answer.json().get("partitionName").stringValue());
    var again = client.pop(queue, ALL + "&partitions=0");
    assertEquals(List.of("2"), texts(again));
    ackAll(client, again);
    client.push(queue, "q", "3");
    // An empty body means the end.
    assertTrue(seek("g", "/partitions/q", "").json().get("seekToEnd").booleanValue());
    assertEquals(List.of(), client.pop(queue, ALL + "&partitions=0"));
    assertEquals(1, place("other", "p").get("offsetLag").intValue());
  }

  @Test
  void aSeekToNowhereIsRefusedInTheContractsWords() {
    client.push(queue, "p", "1");
    var vague = seek("g", "", "{}");
    assertEquals(400, vague.status());
    assertEquals("Must specify toEnd=true or a timestamp", vague.json().get("error").stringValue());
    assertEquals(400, seek("g", "", "{\"timestamp\":\"yesterday\"}").status());
    for (var body : List.of("{\"toEnd\":true}", "{\"timestamp\":\"2020-01-01T00:00:00Z\"}")) {
      var missing =
          api.postAs(client.tenant(), "/api/v1/consumer-groups/g/queues/missing/seek", body);
      assertEquals(404, missing.status());
      assertEquals(
          "Queue not found or has no partitions", missing.json().get("error").stringValue());
      assertEquals(0, missing.json().get("partitionsUpdated").intValue());
      var partition = seek("g", "/partitions/missing", body);
      assertEquals(404, partition.status());
      assertEquals("Partition not found", partition.json().get("error").stringValue());
    }
  }

  @Test
  void aDeletedGroupMakesAFirstContactAgain() {
    client.push(queue, "p", "1");
    ackAll(client, client.pop(queue, ALL));
    var answer = client.delete("/api/v1/consumer-groups/g");
    assertEquals(200, answer.status());
    assertTrue(answer.json().get("metadataDeleted").booleanValue());
    assertTrue(answer.json().get("deletedPartitions").intValue() >= 1);
    assertEquals("{}", client.get("/api/v1/consumer-groups/g").body());
    assertEquals(List.of(), client.pop(queue, "consumerGroup=g&subscriptionMode=new"));
    client.delete("/api/v1/consumer-groups/g/queues/" + queue);
    assertEquals(List.of("1"), texts(client.pop(queue, ALL)));
  }

  @Test
  void aKeptSubscriptionStillSaysWhereTheGroupStarts() {
    client.push(queue, "p", "before");
    client.pop(queue, "consumerGroup=g&subscriptionMode=new");
    client.push(queue, "p", "after");
    ackAll(client, client.pop(queue, ALL));
    var answer =
        client.delete("/api/v1/consumer-groups/g/queues/" + queue + "?deleteMetadata=false");
    assertEquals(queue, answer.json().get("queueName").stringValue());
    assertEquals(1, answer.json().get("deletedPartitions").intValue());
    assertFalse(answer.json().get("metadataDeleted").booleanValue());
    assertEquals(0, listed(client, "g").get("partitionCursors").intValue());
    assertEquals(List.of("after"), texts(client.pop(queue, ALL)));
  }

  @Test
  void aParkedPopOfADeletedGroupIsAnswered() throws Exception {
    client.push(queue, "p", "1");
    ackAll(client, client.pop(queue, ALL));
    var waiting =
        Thread.ofVirtual().start(() -> client.pop(queue, ALL + "&wait=true&timeout=60000"));
    Await.until("the pop is parked", () -> engine.stats().parkedConsumers() > 0);
    client.delete("/api/v1/consumer-groups/g");
    waiting.join();
    assertEquals(0, engine.stats().parkedConsumers());
  }

  @Test
  void aNewTimestampSeedsTheNextFirstContactAndMovesNoCursor() {
    client.push(queue, "p", "old");
    client.pop(queue, "consumerGroup=g&subscriptionMode=new");
    var path = "/api/v1/consumer-groups/g/subscription";
    var body = Json.object().put("subscriptionTimestamp", "2001-01-01T00:00:00Z");
    var answer = client.post(path, body);
    assertEquals(200, answer.status());
    assertEquals(1, answer.json().get("rowsUpdated").intValue());
    assertEquals("2001-01-01T00:00:00Z", answer.json().get("newTimestamp").stringValue());
    assertEquals(
        "2001-01-01T00:00:00.000000Z",
        listed(client, "g").get("subscriptionTimestamp").stringValue());
    assertEquals(List.of(), client.pop(queue, ALL));
    client.delete("/api/v1/consumer-groups/g?deleteMetadata=false");
    assertEquals(List.of("old"), texts(client.pop(queue, "consumerGroup=g")));
    assertEquals(400, client.post(path, Json.object()).status());
    assertEquals(400, client.post(path, body.put("subscriptionTimestamp", "x")).status());
    var nobody = "/api/v1/consumer-groups/nobody/subscription";
    body.put("subscriptionTimestamp", "2001-01-01T00:00:00Z");
    assertEquals(0, client.post(nobody, body).json().get("rowsUpdated").intValue());
    assertNotEquals(
        "2001-01-01T00:00:00.000000Z",
        listed(neighbour, "g").get("subscriptionTimestamp").stringValue());
  }

  @Test
  void aGroupMayStartAtAnInstant() {
    client.push(queue, "p", "1");
    var at = client.pop(queue, "batch=1").getFirst().json().get("createdAt").stringValue();
    client.push(queue, "p", "2");
    var from = "subscriptionFrom=" + at + "&subscriptionMode=new";
    assertEquals(List.of("1", "2"), texts(client.pop(queue, "consumerGroup=a&" + from)));
    var path = "/api/v1/pop/queue/%s/partition/p?consumerGroup=b&%s".formatted(queue, from);
    assertEquals(List.of("1", "2"), texts(client.popPath(path)));
    var behind = from.replace("Z&", "1Z&");
    assertEquals(List.of("2"), texts(client.pop(queue, "consumerGroup=c&" + behind)));
    path = "/api/v1/pop/queue/%s/partition/p?consumerGroup=d&%s".formatted(queue, behind);
    assertEquals(List.of("2"), texts(client.popPath(path)));
  }

  @Test
  void theDepthOfAConflatingGroupCountsOneMessagePerPartition() {
    client.push(queue, "a", "1", "2", "3");
    client.push(queue, "b", "1", "2");
    client.pop(queue, ALL + "&conflation=true&batch=1");
    var depth = client.get("/api/v1/resources/queues/" + queue + "/depth?group=g").json();
    assertTrue(depth.get("conflation").booleanValue());
    assertEquals(5, depth.get("pending").intValue());
    assertEquals(2, depth.get("effectivePending").intValue());
    assertEquals(1, depth.get("effectiveReady").intValue());
    var plain = client.get("/api/v1/resources/queues/" + queue + "/depth").json();
    assertFalse(plain.get("conflation").booleanValue());
    assertEquals(5, plain.get("effectivePending").intValue());
  }
}
