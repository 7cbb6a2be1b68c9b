package dev.queencell.broker.http;

import static dev.queencell.broker.http.WireClient.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineConfig;
import dev.queencell.broker.http.WireClient.Message;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Transactions over HTTP on the real engine with four lanes and a real PostgreSQL. Each test has
 * eight queues, so that they are on more than one lane, and a second tenant with the same names.
 */
@Timeout(120)
class TransactionIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int QUEUES = 8;
  private static CellEngine engine;
  private static ApiFixture api;

  private static final UUID TENANT = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final UUID NEIGHBOUR = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");

  private WireClient client;
  private WireClient neighbour;
  private String queue;

  @BeforeAll
  static void open() {
    start();
    api = new ApiFixture(engine, true);
  }

  private static void start() {
    // Next to no memory for windows and segments: most of what is asked for must be read.
    engine =
        CellEngine.open(
            new EngineConfig(
                DATABASE.jdbcUrl(),
                DATABASE.user(),
                DATABASE.password(),
                ApiFixture.OWN_URL,
                4,
                4,
                4));
    Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
  }

  @AfterAll
  static void close() {
    engine.close();
    api.close();
  }

  @BeforeEach
  void nameTheQueue(TestInfo test) {
    client = new WireClient(api, TENANT);
    neighbour = new WireClient(api, NEIGHBOUR);
    queue = "tx." + test.getTestMethod().orElseThrow().getName();
  }

  @Test
  void aPushAndAnAcknowledgementHappenTogether() {
    client.push(queue, "p", "in");
    neighbour.push(queue, "p", "in");
    var got = client.pop(queue, "batch=1").getFirst();
    var answer = execute(ops(ack(got, "completed", got.leaseId()), push(queue + "-out", "out")));
    assertTrue(answer.get("success").booleanValue(), answer.toString());
    var results = answer.get("results");
    assertEquals(2, results.size());
    assertEquals("ack", results.get(0).get("type").stringValue());
    assertTrue(results.get(0).get("error").isNull());
    assertFalse(results.get(0).get("dlq").booleanValue());
    assertEquals("push", results.get(1).get("type").stringValue());
    assertEquals(1, results.get(1).get("index").intValue());
    assertEquals(queue + "-out", results.get(1).get("queueName").stringValue());
    assertEquals("out", results.get(1).get("transactionId").stringValue());
    var out = client.pop(queue + "-out", "batch=5");
    assertEquals(List.of("out"), texts(out));
    assertEquals(
        results.get(1).get("messageId").stringValue(),
        out.getFirst().json().get("id").stringValue());
    assertEquals(List.of(), client.pop(queue, "batch=5"));
    assertEquals(List.of("in"), texts(neighbour.pop(queue, "batch=5")));
  }

  @Test
  void aPushOfNothingIsDoneAndNoOperationIsRefused() {
    var nothing = Json.object().put("type", "push");
    nothing.putArray("items");
    var answer = execute(ops(nothing));
    assertTrue(answer.get("success").booleanValue(), answer.toString());
    assertEquals("[]", answer.get("results").toString());
    // Beside others it takes no place in the results.
    var beside = execute(ops(nothing, push(queue, "1")));
    assertEquals(1, beside.get("results").size());
    assertEquals(0, beside.get("results").get(0).get("index").intValue());
    assertEquals(List.of("1"), texts(client.pop(queue, "batch=5")));
    var none = api.postAs(TENANT, "/api/v1/transaction", "{\"operations\":[]}");
    assertEquals(400, none.status());
    assertEquals("bad body: operations is empty", none.json().get("error").stringValue());
  }

  @Test
  void aReasonThatIsNoTextRefusesNothing() {
    client.push(queue, "p", "bad");
    var got = client.pop(queue, "batch=1").getFirst();
    var ack = ack(got, "dlq", got.leaseId());
    ack.putObject("error").put("code", 7);
    var result = execute(ops(ack)).get("results").get(0);
    assertTrue(result.get("success").booleanValue());
    assertTrue(result.get("dlq").booleanValue());
    var filed = client.get("/api/v1/dlq?queue=" + queue).json().get("messages").get(0);
    assertEquals("{\"code\":7}", filed.get("errorMessage").stringValue());
  }

  @Test
  void everyQueueOfEveryLaneGetsItsMessageAndItsCursorOrNone() {
    for (int i = 0; i < QUEUES; i++) {
      client.push(queue + i, "p", "in" + i);
    }
    var got = new ArrayList<Message>();
    for (int i = 0; i < QUEUES; i++) {
      got.addAll(client.pop(queue + i, "batch=1"));
    }
    var operations = ops();
    for (int i = 0; i < QUEUES; i++) {
      operations.add(push(queue + i, "out" + i));
      operations.add(ack(got.get(i), "completed", got.get(i).leaseId()));
    }
    // The last one has been there before, on whatever lane: nothing of all this happens.
    var spoilt = operations.deepCopy();
    spoilt.add(push(queue + "0", "in0"));
    var refused = execute(spoilt);
    assertFalse(refused.get("success").booleanValue());
    assertEquals("duplicate", refused.get("reason").stringValue());
    assertEquals(0, refused.get("results").size());
    assertTrue(
        refused
            .get("error")
            .stringValue()
            .startsWith("QDUP duplicate messages in queue \"" + queue + "0\" partition \"p\""));
    for (int i = 0; i < QUEUES; i++) {
      assertEquals(List.of(), client.pop(queue + i, "batch=5"), "the lease still stands");
    }
    var done = execute(operations);
    assertTrue(done.get("success").booleanValue(), done.toString());
    assertEquals(2 * QUEUES, done.get("results").size());
    for (int i = 0; i < QUEUES; i++) {
      var next = client.pop(queue + i, "batch=5");
      assertEquals(List.of("out" + i), texts(next));
      assertEquals(1, next.getFirst().json().get("offset").intValue());
    }
    assertEquals("duplicate", execute(operations).get("reason").stringValue());
  }

  @Test
  void aTransactionOverLanesSurvivesARestartWhole() {
    for (int i = 0; i < QUEUES; i++) {
      client.push(queue + i, "p", "in" + i);
    }
    var operations = ops();
    for (int i = 0; i < QUEUES; i++) {
      var got = client.pop(queue + i, "batch=1&leaseSeconds=60").getFirst();
      operations.add(ack(got, "completed", got.leaseId()));
      operations.add(push(queue + i, "out" + i));
    }
    restart();
    // Leases without keys and windows out of memory: all must be read before it is decided.
    assertTrue(execute(operations).get("success").booleanValue());
    restart();
    for (int i = 0; i < QUEUES; i++) {
      assertEquals(List.of("out" + i), texts(client.pop(queue + i, "batch=5")));
    }
  }

  @Test
  void aWrongLeaseRollsEverythingBack() {
    client.push(queue, "p", "in");
    var got = client.pop(queue, "batch=1").getFirst();
    var wrong = UUID.randomUUID().toString();
    for (var operations :
        List.of(
            ops(push(queue + "1", "x"), ack(got, "completed", wrong)),
            ops(push(queue + "2", "x"), ack(got, "completed", "no lease at all")))) {
      var answer = execute(operations);
      assertEquals("ack_rejected", answer.get("reason").stringValue());
      assertTrue(answer.get("error").stringValue().contains("invalid or expired lease"));
    }
    // Of somebody else's lease only: what was required is not what is held.
    var answer = execute(ops(ack(got, "completed", null)), wrong);
    assertEquals("ack_rejected", answer.get("reason").stringValue());
    assertEquals(List.of(), client.pop(queue + "1", "batch=5"));
    assertTrue(execute(ops(ack(got, "completed", null)), got.leaseId()).get("success").asBoolean());
  }

  @Test
  void withoutAnyLeaseTheAcknowledgementNeedsNone() {
    client.push(queue, "p", "1", "2");
    var got = client.pop(queue, "batch=1").getFirst();
    assertTrue(execute(ops(ack(got, "completed", null))).get("success").booleanValue());
    assertEquals(List.of("2"), texts(client.pop(queue, "batch=5")));
  }

  @Test
  void whatIsBeyondTheLeasedBatchOrUnknownRollsBack() {
    client.push(queue, "p", "1", "2", "3");
    var got = client.pop(queue, "batch=2");
    var beyond =
        op("ack")
            .put("transactionId", "3")
            .put("partitionId", got.getFirst().partitionId())
            .put("leaseId", got.getFirst().leaseId());
    assertTrue(
        execute(ops(beyond))
            .get("error")
            .stringValue()
            .startsWith("QTXN ack is beyond the leased"));
    var ghost = beyond.deepCopy().put("transactionId", "ghost");
    var answer = execute(ops(ghost, push(queue, "x")));
    assertEquals("ack_rejected", answer.get("reason").stringValue());
    assertEquals(
        "QTXN ack references unknown transactionId; transaction rolled back",
        answer.get("error").stringValue());
    var foreign = op("ack").put("transactionId", "1").put("partitionId", neighboursPartition());
    assertEquals("ack_rejected", execute(ops(foreign)).get("reason").stringValue());
    var malformed = op("ack").put("transactionId", "1").put("partitionId", "p");
    assertEquals("ack_rejected", execute(ops(malformed)).get("reason").stringValue());
    assertEquals("3", client.push(queue, "p", "3").get(0).get("transaction_id").stringValue());
  }

  private String neighboursPartition() {
    neighbour.push(queue, "p", "1");
    return neighbour.pop(queue, "batch=1").getFirst().partitionId();
  }

  @Test
  void theSameIdTwiceInOneBundleIsStoredOnce() {
    var answer = execute(ops(push(queue, "twice"), push(queue, "twice"), push(queue, "other")));
    var results = answer.get("results");
    assertFalse(results.get(0).has("duplicate"));
    assertTrue(results.get(1).get("duplicate").booleanValue());
    assertEquals(results.get(0).get("messageId"), results.get(1).get("messageId"));
    assertNotEquals(results.get(0).get("messageId"), results.get(2).get("messageId"));
    assertEquals(List.of("twice", "other"), texts(client.pop(queue, "batch=5")));
  }

  @Test
  void anAcknowledgementBelowTheCursorIsDoneAlready() {
    client.push(queue, "p", "1", "2");
    var got = client.pop(queue, "batch=2");
    client.ack(got.getFirst(), "completed");
    var answer = execute(ops(ack(got.getFirst(), "completed", got.getFirst().leaseId())));
    assertTrue(answer.get("success").booleanValue(), answer.toString());
    assertTrue(answer.get("results").get(0).get("success").booleanValue());
  }

  @Test
  void aValidFailureDeadLettersInsideTheCommit() throws SQLException {
    client.configure(queue, "{\"retryLimit\":0}");
    client.push(queue, "p", "poison");
    var got = client.pop(queue, "batch=1").getFirst();
    var answer = execute(ops(ack(got, "failed", got.leaseId()), push(queue + "-out", "note")));
    assertTrue(answer.get("success").booleanValue(), answer.toString());
    assertTrue(answer.get("results").get(0).get("dlq").booleanValue());
    assertEquals(List.of("note"), texts(client.pop(queue + "-out", "batch=5")));
    assertEquals(List.of(), client.pop(queue, "batch=5"));
    try (var connection = DATABASE.connect();
        var row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT count(*) FROM queen.dead_letters d JOIN queen.queues q"
                        + " ON q.id = d.queue_id WHERE q.name = '"
                        + queue
                        + "'")) {
      row.next();
      assertEquals(1, row.getInt(1));
    }
  }

  @Test
  void nestedPushesAndTheDataAliasComeOutByteForByteWithTheirTrace() {
    var trace = "0190a5d0-ac96-774b-bcce-b302099a8057";
    var body =
        """
        {"operations":[{"items":[
          {"queue":"%1$s","partition":"p","payload": {"a" : 1e400,"\\u00e9":[ ]},"traceId":"%2$s"},
          {"queue":"%1$s","partition":"p","data":"text"},
          {"queue":"%1$s","partition":"p"}],"type":"push"}]}"""
            .formatted(queue, trace);
    var answer = api.postAs(TENANT, "/api/v1/transaction", body);
    assertEquals(200, answer.status(), answer.body());
    assertEquals(3, answer.json().get("results").size());
    var popped = client.get("/api/v1/pop/queue/" + queue + "?batch=5").body();
    assertTrue(popped.contains("{\"a\" : 1e400,\"\\u00e9\":[ ]}"), popped);
    assertTrue(popped.contains("\"traceId\":\"" + trace + "\""), popped);
    assertTrue(popped.contains("\"data\":\"text\""), popped);
    assertTrue(popped.contains("\"data\":{}"), popped);
  }

  @Test
  void whatCanNotBeReadIs400InTheSameEnvelope() {
    for (var body :
        List.of(
            "no json",
            "[]",
            "{}",
            "{\"operations\":{}}",
            "{\"operations\":[]}",
            "{\"operations\":[{\"type\":\"pop\"}]}",
            "{\"operations\":[{}]}",
            "{\"operations\":[{\"type\":\"push\",\"queue\":\"q\",\"traceId\":\"x\"}]}",
            "{\"operations\":[{\"type\":\"push\",\"queue\":7}]}",
            "{\"operations\":[{\"type\":\"push\",\"queue\":\"q\"}],\"kv\":[{\"op\":\"set\"}]}",
            "{\"operations\":[{\"type\":\"push\",\"queue\":\"q\"}],\"timers\":[{}]}",
            "{\"operations\":[{\"type\":\"push\",\"queue\":\"q\"},{\"type\":\"nope\"}]}")) {
      var answer = api.postAs(TENANT, "/api/v1/transaction", body);
      assertEquals(400, answer.status(), body);
      assertEquals("bad_request", answer.json().get("reason").stringValue(), body);
      assertFalse(answer.json().get("success").booleanValue());
      assertEquals(0, answer.json().get("results").size());
      assertEquals(36, answer.json().get("transactionId").stringValue().length());
    }
  }

  @Test
  void transactionsOverTheSameLanesAtOnceAllHappenInOneOrder() throws Exception {
    var threads = new ArrayList<Thread>();
    var failed = new ArrayList<String>();
    for (int t = 0; t < 6; t++) {
      int thread = t;
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int round = 0; round < 10; round++) {
                      var operations = ops();
                      for (int i = 0; i < QUEUES; i++) {
                        // Half of them in the other direction.
                        int target = thread % 2 == 0 ? i : QUEUES - 1 - i;
                        operations.add(push(queue + target, thread + "-" + round));
                      }
                      var answer = execute(operations);
                      if (!answer.get("success").booleanValue()) {
                        synchronized (failed) {
                          failed.add(answer.toString());
                        }
                      }
                    }
                  }));
    }
    for (var thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), failed);
    var first = texts(client.pop(queue + "0", "batch=100"));
    assertEquals(60, first.size());
    for (int i = 1; i < QUEUES; i++) {
      // One after the other: each queue saw them in the same order.
      assertEquals(first, texts(client.pop(queue + i, "batch=100")));
    }
  }

  private void restart() {
    api.close();
    engine.close();
    start();
    api = new ApiFixture(engine, true);
    client = new WireClient(api, TENANT);
  }

  private JsonNode execute(ArrayNode operations, String... requiredLeases) {
    var body = Json.object();
    body.set("operations", operations);
    if (requiredLeases.length > 0) {
      var leases = body.putArray("requiredLeases");
      List.of(requiredLeases).forEach(leases::add);
    }
    var answer = client.post("/api/v1/transaction", body);
    assertEquals(200, answer.status(), answer.body());
    return answer.json();
  }

  private static ArrayNode ops(ObjectNode... operations) {
    var all = Json.mapper().createArrayNode();
    List.of(operations).forEach(all::add);
    return all;
  }

  private static ObjectNode op(String type) {
    return Json.object().put("type", type);
  }

  private static ObjectNode push(String queue, String text) {
    return op("push")
        .put("queue", queue)
        .put("partition", "p")
        .put("transactionId", text)
        .put("payload", text);
  }

  private static ObjectNode ack(Message message, String status, String leaseId) {
    var operation =
        op("ack")
            .put("transactionId", message.transactionId())
            .put("partitionId", message.partitionId())
            .put("status", status);
    return leaseId == null ? operation : operation.put("leaseId", leaseId);
  }
}
