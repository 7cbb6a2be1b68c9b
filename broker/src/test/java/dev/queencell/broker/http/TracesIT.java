package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Traces;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** Traces over HTTP on a real PostgreSQL; a second tenant uses the same names throughout. */
@Timeout(120)
class TracesIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String TRACES = "/api/v1/traces";

  private static CellEngine engine;
  private static ApiFixture api;
  private static ApiFixture withoutTenants;

  private final WireClient client = new WireClient(api, UUID.randomUUID());
  private final WireClient neighbour = new WireClient(api, UUID.randomUUID());

  @BeforeAll
  static void open() {
    engine = ApiFixture.engineOn(DATABASE);
    api = new ApiFixture(engine, true);
    withoutTenants = new ApiFixture(engine, false);
  }

  @AfterAll
  static void close() {
    engine.close();
    api.close();
    withoutTenants.close();
  }

  @Test
  void tracesOfAMessageComeBackOldestFirstWithTheirDataAsWritten() {
    var partitionId = partition(client, "q", "t1");
    var neighbours = partition(neighbour, "q", "t1");
    record(neighbour, body("t1", neighbours, "\"the neighbour's\"").put("traceNames", "order"));
    var first =
        record(client, body("t1", partitionId, "{\"n\":1.50,\"big\":12345678901234567890}"));
    record(
        client,
        body("t1", partitionId, "\"second\"")
            .put("consumerGroup", "g")
            .put("eventType", "warning")
            .put("traceNames", "order"));
    var answer = client.get(TRACES + "/" + partitionId + "/t1");
    assertEquals(200, answer.status());
    var traces = answer.json().get("traces");
    assertEquals(2, traces.size());
    assertEquals(first, traces.get(0).get("id").stringValue());
    assertTrue(answer.body().contains("\"data\":{\"n\":1.50,\"big\":12345678901234567890}"));
    assertEquals("__QUEUE_MODE__", traces.get(0).get("consumer_group").stringValue());
    assertEquals("info", traces.get(0).get("event_type").stringValue());
    assertEquals("seg-rust", traces.get(0).get("worker_id").stringValue());
    assertEquals("[]", traces.get(0).get("trace_names").toString());
    assertEquals("g", traces.get(1).get("consumer_group").stringValue());
    assertEquals("warning", traces.get(1).get("event_type").stringValue());
    assertEquals("[\"order\"]", traces.get(1).get("trace_names").toString());
    assertEquals("{\"traces\":[]}", neighbour.get(TRACES + "/" + partitionId + "/t1").body());
    assertEquals("{\"traces\":[]}", client.get(TRACES + "/" + partitionId + "/t2").body());
    assertEquals("{\"traces\":[]}", client.get(TRACES + "/nonsense/t1").body());
  }

  @Test
  void namesCountTheirTracesAndMessagesAndStaticRoutesWin() {
    for (var who : List.of(client, neighbour)) {
      var partitionId = partition(who, "q", "t1", "t2");
      for (var id : List.of("t1", "t1", "t2")) {
        var body = body(id, partitionId, "1");
        body.putArray("traceNames").add("by-name").add("names").add("names");
        record(who, body);
      }
    }
    var names = client.get(TRACES + "/names?limit=1").json();
    assertEquals(2, names.get("total").intValue());
    assertEquals(1, names.get("trace_names").size());
    assertEquals(1, names.get("pagination").get("limit").intValue());
    var name = names.get("trace_names").get(0);
    assertEquals("by-name", name.get("trace_name").stringValue());
    assertEquals(3, name.get("trace_count").intValue());
    assertEquals(2, name.get("message_count").intValue());
    assertTrue(name.get("last_seen").stringValue().endsWith("Z"));
    assertEquals(2, client.get(TRACES + "/names?limit=1&offset=7").json().get("total").intValue());
    var page = client.get(TRACES + "/by-name/names?limit=2&offset=1").json();
    assertEquals(3, page.get("total").intValue());
    assertEquals(2, page.get("traces").size());
    var trace = page.get("traces").get(0);
    assertEquals("t1", trace.get("transaction_id").stringValue());
    assertEquals("q", trace.get("queue_name").stringValue());
    assertEquals("p", trace.get("partition_name").stringValue());
    assertTrue(trace.get("message_payload").isNull());
    var unknown = client.get(TRACES + "/by-name/nobody").json();
    assertEquals(0, unknown.get("total").intValue());
    assertEquals(0, unknown.get("traces").size());
  }

  @Test
  void aDeletedQueueLeavesItsTracesToWhoeverKnowsTheMessage() {
    var partitionId = partition(client, "q", "t1");
    record(client, body("t1", partitionId, "1").put("traceNames", "order"));
    client
        .api()
        .send(
            api.request("/api/v1/resources/queues/q")
                .header("x-queen-tenant", client.tenant().toString())
                .DELETE());
    assertEquals(0, client.get(TRACES + "/names").json().get("total").intValue());
    assertEquals(0, client.get(TRACES + "/by-name/order").json().get("total").intValue());
    assertEquals(1, client.get(TRACES + "/" + partitionId + "/t1").json().get("traces").size());
  }

  @Test
  void aForeignPartitionIsAMissingMessage() {
    var foreign = partition(neighbour, "q", "t1");
    for (var id : List.of(foreign, UUID.randomUUID().toString(), "nonsense")) {
      var answer = client.post(TRACES, body("t1", id, "1"));
      assertEquals(404, answer.status());
      assertEquals("{\"success\":false,\"error\":\"Message not found\"}", answer.body());
    }
  }

  @Test
  void withoutTenantsEveryPartitionIsOwnedAndNonsenseIsAFault() {
    var partitionId = UUID.randomUUID().toString();
    var body = body("t1", partitionId, "1").put("traceNames", "loose");
    assertEquals(201, withoutTenants.post(TRACES, body.toString()).status());
    var found = withoutTenants.get(TRACES + "/" + partitionId + "/t1").json();
    assertEquals(1, found.get("traces").size());
    var named = withoutTenants.get(TRACES + "/by-name/loose").json().get("traces").get(0);
    assertTrue(named.get("queue_name").isNull());
    var bad = withoutTenants.post(TRACES, body("t1", "nonsense", "1").toString());
    assertEquals(500, bad.status());
    assertTrue(bad.json().get("error").stringValue().startsWith("trace failed: "), bad.body());
  }

  @Test
  void whatIsMissingOrTooLargeIsRefused() {
    var partitionId = partition(client, "q", "t1");
    refused(Json.object().put("partitionId", partitionId).put("data", 1), "transactionId and");
    refused(Json.object().put("transactionId", "t1").put("data", 1), "partitionId are required");
    refused(body("t1", partitionId, "null"), "data is required");
    refused(body("t1", partitionId, "1").put("consumerGroup", "x".repeat(256)), "consumerGroup");
    refused(
        body("t1", partitionId, '"' + "x".repeat(Traces.DATA_BYTES_MAX) + '"'), "data is 262146");
    var many = new ArrayList<String>();
    for (int i = 0; i <= Traces.NAMES_MAX; i++) {
      many.add("n" + i);
    }
    var body = body("t1", partitionId, "1");
    body.set("traceNames", Json.mapper().valueToTree(many));
    refused(body, "traceNames holds more than 32");
    assertEquals(400, client.get(TRACES + "/names?limit=-1").status());
    assertEquals(400, client.get(TRACES + "/names?offset=100001").status());
  }

  private void refused(ObjectNode body, String text) {
    var answer = client.post(TRACES, body);
    assertEquals(400, answer.status(), answer.body());
    assertTrue(answer.json().get("error").stringValue().contains(text), answer.body());
  }

  /** Pushes messages and returns the id of their partition. */
  private static String partition(WireClient who, String queue, String... ids) {
    who.push(queue, "p", ids);
    return who.pop(queue, "batch=10&autoAck=true").getFirst().partitionId();
  }

  private static ObjectNode body(String transactionId, String partitionId, String data) {
    var body = Json.object().put("transactionId", transactionId).put("partitionId", partitionId);
    JsonNode parsed = Json.mapper().readTree(data);
    return data.startsWith("{")
        ? body.set("data", Json.mapper().getNodeFactory().rawValueNode(raw(data)))
        : body.set("data", parsed);
  }

  private static RawValue raw(String json) {
    return new RawValue(json);
  }

  private static String record(WireClient who, ObjectNode body) {
    var answer = who.post(TRACES, body);
    assertEquals(201, answer.status(), answer.body());
    assertTrue(answer.json().get("success").booleanValue());
    return answer.json().get("traceId").stringValue();
  }
}
