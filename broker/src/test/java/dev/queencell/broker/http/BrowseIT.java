package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.MessageBrowser;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Browsing over HTTP on a real PostgreSQL; a second tenant has the same names, and other fates. */
@Timeout(120)
class BrowseIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String MESSAGES = "/api/v1/messages";

  private static CellEngine engine;
  private static ApiFixture api;

  private final WireClient client = new WireClient(api, UUID.randomUUID());
  private final WireClient neighbour = new WireClient(api, UUID.randomUUID());

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
  void giveTheNeighbourTheSameNames() {
    neighbour.push("a.b.q", "p", "foreign-1", "foreign-2", "same");
    neighbour.pop("a.b.q", "batch=10&autoAck=true");
  }

  @AfterEach
  void theNeighbourSeesOnlyItsOwn() {
    assertEquals(List.of("same", "foreign-2", "foreign-1"), texts(neighbour.get(MESSAGES).json()));
  }

  @Test
  void aPageIsNewestFirstOverAllPartitionsAndTellsEverything() {
    for (int i = 0; i < 6; i++) {
      client.push("a.b.q", i % 2 == 0 ? "even" : "odd", "m" + i);
    }
    var page = client.get(MESSAGES).json();
    assertEquals(List.of("m5", "m4", "m3", "m2", "m1", "m0"), texts(page));
    assertEquals(6, page.get("total").intValue());
    assertTrue(page.get("complete").booleanValue());
    assertEquals("none", page.get("mode").get("type").stringValue());
    var message = page.get("messages").get(0);
    for (var key :
        List.of("id txnHash partitionId traceId producerSub createdAt leaseExpiresAt".split(" "))) {
      assertTrue(message.has(key), key);
    }
    assertEquals("m5", message.get("transactionId").stringValue());
    assertEquals("a.b.q/odd", message.get("queuePath").stringValue());
    assertEquals("a.b.q", message.get("queue").stringValue());
    assertEquals("odd", message.get("partition").stringValue());
    assertEquals("a", message.get("namespace").stringValue());
    assertEquals("b", message.get("task").stringValue());
    assertEquals("pending", message.get("status").stringValue());
    assertEquals("pending", message.get("queueStatus").stringValue());
    assertEquals("{\"consumedBy\":0,\"totalGroups\":0}", message.get("busStatus").toString());
    assertEquals("{\"seq\":2,\"frameIdx\":0}", message.get("segment").toString());
    assertTrue(message.get("payloadAvailable").booleanValue());
    assertFalse(message.get("isEncrypted").booleanValue());
    assertEquals(0, message.get("queuePriority").intValue());
    assertEquals(message.get("data"), message.get("payload"));
    assertEquals(List.of("m3", "m2"), texts(client.get(MESSAGES + "?limit=2&offset=2").json()));
  }

  @Test
  void filtersNarrowByPlaceAndTime() {
    client.push("a.b.q", "p", "1");
    client.push("a.b.q", "r", "2");
    client.push("c.d", "p", "3");
    assertEquals(List.of("2", "1"), texts(client.get(MESSAGES + "?queue=a.b.q").json()));
    assertEquals(List.of("3", "1"), texts(client.get(MESSAGES + "?partition=p").json()));
    assertEquals(List.of("3"), texts(client.get(MESSAGES + "?ns=c").json()));
    assertEquals(List.of("2", "1"), texts(client.get(MESSAGES + "?task=b").json()));
    assertEquals(List.of(), texts(client.get(MESSAGES + "?queue=missing").json()));
    assertEquals(List.of(), texts(client.get(MESSAGES + "?to=2026-01-01T00:00:00Z").json()));
    assertEquals(List.of(), texts(client.get(MESSAGES + "?from=2126-01-01T00:00:00Z").json()));
    assertEquals(400, client.get(MESSAGES + "?from=yesterday").status());
    assertEquals(400, client.get(MESSAGES + "?status=lost").status());
    assertEquals(400, client.get(MESSAGES + "?limit=few").status());
  }

  @Test
  void aWindowInThePastIsFoundInsideOfALongPartition() throws SQLException {
    for (int i = 0; i < 40; i++) {
      client.push("q", "p", "m" + i);
    }
    // Each message moves an hour further back from the next one.
    try (var connection = DATABASE.dataSource().getConnection();
        var update =
            connection.prepareStatement(
                "UPDATE queen.segments s"
                    + " SET created_at_micros = s.created_at_micros - (40 - s.base_offset) * 3600000000"
                    + " FROM queen.partitions p JOIN queen.queues q ON q.id = p.queue_id"
                    + " WHERE p.id = s.partition_id AND q.tenant = ? AND q.name = 'q'")) {
      update.setObject(1, client.tenant());
      assertEquals(40, update.executeUpdate());
    }
    var all = client.get(MESSAGES + "?from=2020-01-01T00:00:00Z&limit=100").json();
    var expected = new ArrayList<>(IntStream.range(0, 40).mapToObj(i -> "m" + i).toList());
    assertEquals(expected.reversed(), texts(all));
    for (int i = 0; i < 40; i += 13) {
      var at = all.get("messages").get(39 - i).get("createdAt").stringValue();
      assertEquals(
          List.of("m" + i), texts(client.get(MESSAGES + "?from=" + at + "&to=" + at).json()));
    }
  }

  @Test
  void theStatusFollowsCursorsLeasesAndDeadLetters() {
    client.push("q", "p", "1", "2", "3", "4", "5");
    var got = client.pop("q", "batch=2");
    client.ack(got.get(0), "completed");
    client.ack(got.get(1), "dlq");
    client.pop("q", "batch=1&leaseSeconds=600");
    client.pop("q", "batch=5&consumerGroup=g&subscriptionMode=all&autoAck=true");
    var page = client.get(MESSAGES + "?queue=q").json();
    assertEquals(
        List.of("pending", "pending", "processing", "dead_letter", "completed"),
        values(page, "status"));
    assertEquals(
        List.of("pending", "pending", "processing", "completed", "completed"),
        values(page, "queueStatus"));
    assertEquals(
        "{\"hasQueueMode\":true,\"busGroupsCount\":1,\"type\":\"hybrid\"}",
        page.get("mode").toString());
    var leased = page.get("messages").get(2);
    assertTrue(leased.get("leaseExpiresAt").isString());
    assertEquals("{\"consumedBy\":1,\"totalGroups\":1}", leased.get("busStatus").toString());
    assertEquals(List.of("5", "4"), texts(client.get(MESSAGES + "?status=pending").json()));
    assertEquals(List.of("4"), texts(client.get(MESSAGES + "?status=pending&offset=1").json()));
    assertEquals(List.of("3"), texts(client.get(MESSAGES + "?status=processing").json()));
    assertEquals(List.of("2"), texts(client.get(MESSAGES + "?status=dead_letter").json()));
    assertEquals(List.of("1"), texts(client.get(MESSAGES + "?status=completed").json()));
  }

  @Test
  void aPageOfLargeMessagesIsClosedEarlyAndSaysSo() {
    var large = "x".repeat(900_000);
    for (int i = 0; i < 22; i++) {
      var body = Json.object();
      body.putArray("items").addObject().put("queue", "large").put("payload", i + large);
      assertEquals(201, client.post("/api/v1/push", body).status());
    }
    var page = client.get(MESSAGES).json();
    int closedBehind = (int) (MessageBrowser.PAGE_BYTES_MAX / large.length()) + 1;
    assertEquals(closedBehind, page.get("total").intValue());
    assertFalse(page.get("complete").booleanValue());
  }

  @Test
  void oneMessageIsFoundByItsAddressOnlyByItsTenant() {
    client.configure("q", "{\"leaseTime\":77}");
    client.push("q", "p", "same", "other/with slash");
    var got = client.pop("q", "batch=2");
    var one = one(client, got.getFirst(), "same");
    assertEquals(200, one.status());
    var json = one.json();
    assertEquals("same", json.get("data").stringValue());
    assertEquals("processing", json.get("status").stringValue());
    assertEquals(77, json.get("queueConfig").get("leaseTime").intValue());
    assertEquals("queue", json.get("mode").get("type").stringValue());
    assertTrue(json.get("errorMessage").isNull());
    assertEquals(0, json.get("retryCount").intValue());
    var group = json.get("consumerGroups").get(0);
    assertEquals("__QUEUE_MODE__", group.get("name").stringValue());
    assertEquals(group.get("name"), group.get("group"));
    assertFalse(group.get("consumed").booleanValue());
    assertTrue(group.get("leaseExpiresAt").isString());
    assertEquals(
        "other/with slash",
        one(client, got.getFirst(), "other%2Fwith%20slash").json().get("data").stringValue());
    client.ack(got.getFirst(), "dlq");
    var dead = one(client, got.getFirst(), "same").json();
    assertEquals("dead_letter", dead.get("status").stringValue());
    assertTrue(dead.get("errorMessage").isString());
    for (var missing :
        List.of(
            one(client, got.getFirst(), "never"),
            one(neighbour, got.getFirst(), "same"),
            client.get(MESSAGES + "/nonsense/same"),
            client.get(MESSAGES + "/" + UUID.randomUUID() + "/same"))) {
      assertEquals(404, missing.status());
      assertEquals("{\"error\":\"Message not found\"}", missing.body());
    }
    assertEquals(404, client.get(MESSAGES + "/one-segment").status());
  }

  private static ApiFixture.Answer one(WireClient who, Message message, String transactionId) {
    return who.get(MESSAGES + "/" + message.partitionId() + "/" + transactionId);
  }

  private static List<String> texts(JsonNode page) {
    return values(page, "data");
  }

  private static List<String> values(JsonNode page, String key) {
    var values = new ArrayList<String>();
    page.get("messages").forEach(message -> values.add(message.get(key).stringValue()));
    return values;
  }
}
