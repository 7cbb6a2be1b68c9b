package dev.queencell.broker.http;

import static dev.queencell.broker.http.WireClient.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Those conformance checks of the contract's section 25 that need retention, transactions and a
 * spool; the others are in {@link BrokerConformanceIT}. Here too a second tenant has the same names
 * and must not notice anything.
 */
@Timeout(120)
class ConformanceOverTimeIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String ALL = "subscriptionMode=all&batch=10";

  @TempDir static Path spool;

  private static CellEngine engine;
  private static ApiFixture api;

  private final WireClient client = new WireClient(api, UUID.randomUUID());
  private final WireClient neighbour = new WireClient(api, UUID.randomUUID());
  private String queue;

  @BeforeAll
  static void open() {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, new GatesFixture(engine, spool));
  }

  @AfterAll
  static void close() {
    engine.close();
    api.close();
  }

  @BeforeEach
  void giveTheNeighbourTheSameNames(TestInfo test) {
    queue = "conformance." + test.getTestMethod().orElseThrow().getName();
    neighbour.push(queue, "p", "1", "2");
  }

  @AfterEach
  void theNeighbourHasNoticedNothing() {
    assertEquals(List.of("1", "2"), texts(neighbour.pop(queue, "consumerGroup=g&" + ALL)));
  }

  @Test
  void check12AnEmptyPopSealsWhatRetentionTookAndNothingThatIsOnlyDelayed() {
    client.push(queue, "p", "1", "2", "3");
    var pop = "consumerGroup=g&autoAck=true&";
    assertEquals(List.of("1"), texts(client.pop(queue, pop + "subscriptionMode=all&batch=1")));
    client.configure(queue, "{\"retentionEnabled\":true,\"retentionSeconds\":1}");
    Await.until("retention has emptied the partition", () -> total() == 0);
    assertEquals(List.of(), client.pop(queue, pop + ALL));
    assertEquals(3, place("g").get("totalConsumed").intValue());
    assertEquals(0, place("g").get("offsetLag").intValue());

    client.configure(queue, "{\"retentionEnabled\":false,\"delayedProcessing\":3600}");
    client.push(queue, "p", "delayed");
    assertEquals(List.of(), client.pop(queue, pop + ALL));
    assertEquals(3, place("g").get("totalConsumed").intValue());
    assertEquals(1, place("g").get("offsetLag").intValue());
    client.configure(queue, "{\"delayedProcessing\":0}");
    assertEquals(List.of("delayed"), texts(client.pop(queue, pop + ALL)));
  }

  private int total() {
    return client
        .get("/api/v1/resources/queues/" + queue)
        .json()
        .get("totals")
        .get("total")
        .intValue();
  }

  private JsonNode place(String group) {
    return client
        .get("/api/v1/consumer-groups/" + group)
        .json()
        .get(queue)
        .get("partitions")
        .get(0);
  }

  @Test
  void check13PushAndAcknowledgementHappenTogetherOrNotAtAll() {
    client.push(queue, "p", "1", "2", "3");
    client.configure(queue, "{\"retryLimit\":0}");
    var got = client.pop(queue, "batch=3");
    assertTrue(transaction(got.get(0), "completed", "out1").json().get("success").booleanValue());
    assertEquals(List.of("out1"), texts(client.pop(queue + "-out", "batch=9&autoAck=true")));

    var refused = transaction(got.get(1), "completed", "out1");
    assertEquals(200, refused.status());
    assertFalse(refused.json().get("success").booleanValue());
    assertEquals("duplicate", refused.json().get("reason").stringValue());
    assertEquals("[]", refused.json().get("results").toString());
    assertEquals(2, place("__QUEUE_MODE__").get("offsetLag").intValue());

    var failed = transaction(got.get(1), "failed", "out2");
    assertTrue(failed.json().get("success").booleanValue(), failed.body());
    assertTrue(failed.json().get("results").get(0).get("dlq").booleanValue());
    assertEquals(List.of("out2"), texts(client.pop(queue + "-out", "batch=9")));
    assertEquals(1, client.get("/api/v1/dlq?queue=" + queue).json().get("messages").size());
    assertEquals(List.of("3"), texts(client.pop(queue, "batch=3")));
  }

  /** Acknowledges a message and pushes another to the next queue, or does neither. */
  private ApiFixture.Answer transaction(Message message, String status, String pushed) {
    var body = Json.object();
    var operations = body.putArray("operations");
    operations
        .addObject()
        .put("type", "ack")
        .put("transactionId", message.transactionId())
        .put("partitionId", message.partitionId())
        .put("leaseId", message.leaseId())
        .put("status", status);
    operations
        .addObject()
        .put("type", "push")
        .put("queue", queue + "-out")
        .put("transactionId", pushed)
        .put("payload", pushed);
    return client.post("/api/v1/transaction", body);
  }

  @Test
  void check20WhatIsBufferedDuringMaintenanceArrivesExactlyOnce() {
    client.push(queue, "p", "before");
    maintenance(true);
    var expected = new ArrayList<>(List.of("before"));
    for (int i = 0; i < 50; i++) {
      expected.add("m" + i);
      // Twice, as a producer does that got no answer; and once more what is stored already.
      client.push(queue, "p", "m" + i);
      for (var row : client.push(queue, "p", "m" + i, "before")) {
        assertEquals("buffered", row.get("status").stringValue());
      }
    }
    maintenance(false);
    Await.until(
        "all is replayed",
        () -> api.get("/api/v1/status/buffers").json().get("pending").intValue() == 0);
    assertEquals(expected, texts(client.pop(queue, "batch=1000")));
  }

  private static void maintenance(boolean enabled) {
    ObjectNode body = Json.object().put("enabled", enabled);
    assertEquals(200, api.post("/api/v1/system/maintenance", body.toString()).status());
  }
}
