package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.testsupport.TestDatabase;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The Prometheus page of a broker that works. A second tenant has a queue of the same name with a
 * dead letter of its own.
 */
@Timeout(120)
class MetricsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private CellEngine engine;
  private ApiFixture api;
  private WireClient client;
  private WireClient neighbour;

  @BeforeEach
  void open() {
    start(UUID.randomUUID(), UUID.randomUUID());
  }

  private void start(UUID tenant, UUID otherTenant) {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, true);
    client = new WireClient(api, tenant);
    neighbour = new WireClient(api, otherTenant);
  }

  @AfterEach
  void close() {
    engine.close();
    api.close();
  }

  private double value(String series) {
    return api.get("/metrics/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  private double depth(WireClient who) {
    return value("queen_dlq_depth_by_queue{queue=\"dead\",tenant=\"%s\"}".formatted(who.tenant()));
  }

  private double depth() {
    return value("queen_dlq_depth{scope=\"cluster\"}");
  }

  private static void giveUp(WireClient who, String text) {
    who.push("dead", "p", text);
    var answer = who.ack(who.pop("dead", "batch=1").getFirst(), "dlq");
    assertTrue(answer.get("dlq").booleanValue());
  }

  @Test
  void theDepthOfDeadLettersFollowsEveryWayInAndOut() {
    giveUp(client, "a");
    giveUp(client, "b");
    giveUp(client, "c");
    giveUp(neighbour, "a");
    assertEquals(3, depth(client));
    assertEquals(1, depth(neighbour));
    assertEquals(4, depth());
    close();
    start(client.tenant(), neighbour.tenant());
    assertEquals(3, depth(client), "as loaded");
    assertEquals(4, depth());
    var letter = client.get("/api/v1/dlq?queue=dead&limit=1").json().get("messages").get(0);
    var replayed = "/api/v1/dlq/" + letter.get("id").stringValue() + "/replay";
    assertEquals(200, api.postAs(client.tenant(), replayed, "").status());
    assertEquals(2, depth(client));
    assertEquals(200, client.delete("/api/v1/dlq?queue=dead").status());
    assertEquals(0, depth(client));
    assertEquals(1, depth());
    assertEquals(200, neighbour.delete("/api/v1/resources/queues/dead").status());
    assertEquals(0, depth());
  }

  @Test
  void commitsTellWhatTheyCarriedAndLanesWhatTheyTookUp() {
    double pushes = value("queen_batch_requests_total{op=\"push\"}");
    double admitted = value("queen_admission_admitted_total{lane=\"push\"}");
    client.push("work", "p", "1", "2", "3");
    neighbour.push("work", "p", "1");
    assertEquals(pushes + 2, value("queen_batch_requests_total{op=\"push\"}"));
    assertEquals(admitted + 2, value("queen_admission_admitted_total{lane=\"push\"}"));
    assertEquals(4, value("queen_batch_messages_total{op=\"push\"}"));
    assertTrue(value("queen_batch_commits_total{op=\"push\"}") >= 1);
    client.ackBatch(client.pop("work", "batch=2"), "completed", "completed");
    assertEquals(2, value("queen_batch_messages_total{op=\"pop\"}"));
    assertEquals(2, value("queen_batch_messages_total{op=\"ack\"}"));
    assertEquals(1, value("queen_batch_commits_total{op=\"ack\"}"));
    assertEquals(1, value("queen_admission_admitted_total{lane=\"ack\"}"));
    assertTrue(value("queen_admission_wait_seconds_total{lane=\"ack\"}") > 0);
    assertEquals(0, value("queen_admission_waiting{lane=\"ack\"}"));
  }
}
