package dev.queencell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.client.ScriptedServer.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class QueenClientTest {
  private static final String ONE_MESSAGE =
      """
      {"success":true,"queue":"q","partition":"p0","partitionId":"pid","leaseId":"L1",
       "messages":[{"id":"m1","transactionId":"t\\"1","traceId":null,"data": {"a": [1,2]} ,
       "producerSub":null,"createdAt":"2026-01-01T00:00:00.000001Z","partitionId":"pid",
       "partition":"p0","leaseId":"L1","consumerGroup":"g","deliveryAttempt":2}],
       "partitionsClaimed":1}""";

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aPushSendsPayloadsAsTheyAreAndReadsAStatusPerItem() {
    var rows =
        """
        [{"index":0,"message_id":"m0","transaction_id":"x","queueName":"q","status":"queued"},
         {"index":1,"message_id":"m1","transaction_id":"y","queueName":"q","status":"duplicate"}]""";
    try (var server = new ScriptedServer(_ -> Reply.json(201, rows));
        var transport = new QueenTransport(server.url())) {
      var batch =
          new PushBatch()
              .add("q\"uote", "p\n1", "tx", utf8("xx{\"a\": 1}yy"), 2, 8)
              .add("q", null, utf8("null"));
      var result = transport.client(Caller.ANONYMOUS).push(batch);

      assertEquals("POST /api/v1/push", server.seen().getFirst().line());
      assertEquals(
          "{\"items\":[{\"queue\":\"q\\\"uote\",\"partition\":\"p\\u000a1\",\"transactionId\":\"tx\","
              + "\"payload\":{\"a\": 1}},{\"queue\":\"q\",\"payload\":null}]}",
          server.seen().getFirst().body());
      assertEquals(PushStatus.QUEUED, result.status(0));
      assertEquals(PushStatus.DUPLICATE, result.status(1));
      assertFalse(result.allAccepted());
      assertEquals(
          List.of(
              new PushResult.Item("m0", "x", PushStatus.QUEUED),
              new PushResult.Item("m1", "y", PushStatus.DUPLICATE)),
          result.items());
    }
  }

  @Test
  void aBatchCanBeClearedAndFilledAgain() {
    var row = "[{\"index\":0,\"status\":\"queued\"}]";
    try (var server = new ScriptedServer(_ -> Reply.json(201, row));
        var transport = new QueenTransport(server.url())) {
      var client = transport.client(Caller.ANONYMOUS);
      var batch = new PushBatch().add("q", "p", utf8("1"));
      client.push(batch);
      client.push(batch);
      client.push(batch.clear().add("q", "p", utf8("2")));

      assertEquals(server.seen().get(0).body(), server.seen().get(1).body());
      assertTrue(
          server.seen().get(2).body().contains("\"payload\":2"), server.seen().get(2).body());
    }
  }

  @Test
  void anAnswerWithTooFewRowsIsABadAnswer() {
    try (var server = new ScriptedServer(_ -> Reply.json(201, "[]"));
        var transport = new QueenTransport(server.url())) {
      var batch = new PushBatch().add("q", "p", utf8("1"));
      var failure =
          assertThrows(
              QueenTransportException.class, () -> transport.client(Caller.ANONYMOUS).push(batch));
      assertEquals("bad_answer", failure.kind());
      assertTrue(failure.outcomeUnknown());
    }
  }

  @Test
  void theThreePopShapesAskForWhatTheContractNames() {
    try (var server = new ScriptedServer(_ -> new Reply(204, null, Map.of()));
        var transport = new QueenTransport(server.url())) {
      var client = transport.client(Caller.ANONYMOUS);
      assertTrue(
          client
              .pop(
                  PopRequest.fromQueue("a+b c")
                      .group("g&h")
                      .batch(50)
                      .partitions(3)
                      .waitUpTo(1)
                      .subscriptionMode("all"))
              .isEmpty());
      client.pop(PopRequest.fromPartition("q", "p é").autoAck().leaseSeconds(9));
      client.pop(PopRequest.discover("ns", ""));

      assertEquals(
          List.of(
              "GET /api/v1/pop/queue/a%2Bb%20c?consumerGroup=g%26h&batch=50&partitions=3"
                  + "&wait=true&timeout=1&subscriptionMode=all",
              "GET /api/v1/pop/queue/q/partition/p%20%C3%A9?autoAck=true&leaseSeconds=9",
              "GET /api/v1/pop?namespace=ns"),
          server.seen().stream().map(ScriptedServer.Seen::line).toList());
    }
  }

  @Test
  void aPoppedMessageIsReadFromTheAnswersBytesAndAckedWithItsOwnWords() {
    var ackRow =
        "[{\"index\":0,\"transactionId\":\"t\",\"success\":false,\"error\":\"invalid or expired"
            + " lease\",\"leaseReleased\":false,\"dlq\":false}]";
    try (var server =
            new ScriptedServer(
                r -> Reply.json(200, r.method().equals("GET") ? ONE_MESSAGE : ackRow));
        var transport = new QueenTransport(server.url())) {
      var client = transport.client(Caller.ANONYMOUS);
      var popped = client.pop(PopRequest.fromQueue("q"));
      var message = popped.message(0);

      assertEquals(1, popped.size());
      assertEquals("L1", popped.leaseId());
      assertEquals("m1", message.id());
      assertEquals("t\"1", message.transactionId());
      assertEquals("pid", message.partitionId());
      assertEquals("p0", message.partition());
      assertEquals("2026-01-01T00:00:00.000001Z", message.createdAt());
      assertEquals(2, message.deliveryAttempt());
      assertEquals("{\"a\": [1,2]}", new String(message.payload(), StandardCharsets.UTF_8));

      var result = client.ack(new AckBatch("g").add(message, AckStatus.FAILED, "no \"luck\""));
      assertEquals(
          "{\"consumerGroup\":\"g\",\"acknowledgments\":[{\"transactionId\":\"t\\\"1\","
              + "\"partitionId\":\"pid\",\"leaseId\":\"L1\",\"status\":\"failed\","
              + "\"error\":\"no \\\"luck\\\"\"}]}",
          server.seen().getLast().body());
      assertEquals(
          new AckResult(0, 0, List.of(new AckResult.Refused(0, AckResult.LEASE_EXPIRED))), result);

      client.ack("g", message, AckStatus.COMPLETED, null);
      assertEquals("POST /api/v1/ack", server.seen().getLast().line());
      assertTrue(server.seen().getLast().body().endsWith("\"consumerGroup\":\"g\"}"));
    }
  }

  @Test
  void manyCallersShareOneConnectionAndEachSendsItsOwnIdentity() {
    try (var server = new ScriptedServer(_ -> new Reply(204, null, Map.of()));
        var transport = new QueenTransport(server.url())) {
      var pop = PopRequest.fromQueue("q");
      transport.client(Caller.withApiKey("qk_one").atHost("t0.queencell.localhost:6711")).pop(pop);
      transport.client(Caller.withTenant("11111111-1111-4111-8111-111111111111")).pop(pop);

      var first = server.seen().get(0);
      var second = server.seen().get(1);
      assertEquals("t0.queencell.localhost:6711", first.headers().get("host"));
      assertEquals("Bearer qk_one", first.headers().get("authorization"));
      assertEquals(server.url().getAuthority(), second.headers().get("host"));
      assertEquals("11111111-1111-4111-8111-111111111111", second.headers().get("x-queen-tenant"));
      assertFalse(second.headers().containsKey("authorization"));
      assertEquals(first.port(), second.port(), "the connection was not reused");
      assertFalse(Caller.withApiKey("qk_one").toString().contains("qk_one"));
    }
  }

  @Test
  void aRefusalCarriesStatusCodeAndWaitAndIsNotRetriedUnasked() {
    var reply =
        new Reply(
            429,
            "{\"error\":\"request rate limit exceeded\",\"code\":\"rate_limited\"}",
            Map.of("Retry-After", "7"));
    try (var server = new ScriptedServer(_ -> reply);
        var transport = new QueenTransport(server.url())) {
      var client = transport.client(Caller.ANONYMOUS);
      var refusal =
          assertThrows(
              QueenStatusException.class,
              () -> client.push(new PushBatch().add("q", "p", utf8("1"))));

      assertEquals(429, refusal.status());
      assertEquals("rate_limited", refusal.code());
      assertEquals(7, refusal.retryAfterSeconds());
      assertEquals("429.rate_limited", refusal.kind());
      assertFalse(refusal.outcomeUnknown());
      assertEquals(1, server.seen().size());
    }
  }

  @Test
  void a429IsRetriedAsOftenAsAskedAndNothingElseIs() {
    var calls = new AtomicInteger();
    try (var server =
            new ScriptedServer(
                _ ->
                    calls.incrementAndGet() < 3
                        ? new Reply(429, "{}", Map.of("Retry-After", "0"))
                        : Reply.json(503, "{\"error\":\"paused\"}"));
        var transport = new QueenTransport(server.url())) {
      var client = transport.client(Caller.ANONYMOUS).retrying(new RetryOn429(10));
      var refusal = assertThrows(QueenStatusException.class, client::queues);

      assertEquals(503, refusal.status());
      assertEquals(3, calls.get());
    }
  }

  @Test
  void withoutRetryAfterTheWaitDoublesUpToItsCap() {
    var policy = new RetryOn429(10);
    assertEquals(500, policy.waitMs(1, -1));
    assertEquals(1000, policy.waitMs(2, -1));
    assertEquals(30_000, policy.waitMs(9, -1));
    long jittered = policy.waitMs(1, 10);
    assertTrue(jittered >= 8_000 && jittered <= 12_000, () -> jittered + " ms");
  }

  @Test
  void theManagementCallsReadTheirDocuments() {
    try (var server = new ScriptedServer(QueenClientTest::management);
        var transport = new QueenTransport(server.url())) {
      var client = transport.client(Caller.ANONYMOUS);
      client.configure("q", QueueOptions.UNCHANGED.leaseSeconds(9).retentionSeconds(60));
      assertEquals(
          "{\"leaseTime\":9,\"retentionSeconds\":60,\"retentionEnabled\":true}",
          HttpExchange.JSON.readTree(server.seen().getFirst().body()).path("options").toString());
      assertEquals(List.of(new QueueInfo("q", "ns", "", 2, 9, 4, Map.of())), client.queues());
      var detail = client.queue("q");
      assertEquals(1, detail.partitions());
      assertEquals(5, detail.pending());
      assertEquals(9, detail.options().get("leaseTime"));
      assertTrue(client.deleteQueue("q"));
      assertEquals(new QueueDepth(5, 2, Map.of("p0", 5L)), client.depth("q", "g"));
      assertEquals(new LeaseExtension(1, "2026-01-01T00:00:00Z"), client.extendLease("L1", 30));
      assertEquals(
          404, assertThrows(QueenStatusException.class, () -> client.get("/nope")).status());
    }
  }

  private static Reply management(ScriptedServer.Seen request) {
    return switch (request.line()) {
      case "POST /api/v1/configure" -> Reply.json(200, "{\"configured\":true}");
      case "GET /api/v1/resources/queues" ->
          Reply.json(
              200,
              "{\"queues\":[{\"name\":\"q\",\"namespace\":\"ns\",\"task\":\"\",\"partitions\":2,"
                  + "\"messages\":{\"total\":9,\"pending\":4,\"processing\":0}}]}");
      case "GET /api/v1/resources/queues/q" ->
          Reply.json(
              200,
              "{\"name\":\"q\",\"options\":{\"leaseTime\":9},\"partitions\":[{\"name\":\"p0\"}],"
                  + "\"totals\":{\"total\":9,\"pending\":5}}");
      case "DELETE /api/v1/resources/queues/q" ->
          Reply.json(200, "{\"deleted\":true,\"queue\":\"q\",\"existed\":true}");
      case "GET /api/v1/resources/queues/q/depth?group=g" ->
          Reply.json(
              200,
              "{\"queue\":\"q\",\"pending\":5,\"processing\":2,"
                  + "\"partitions\":[{\"partition\":\"p0\",\"pending\":5}]}");
      case "POST /api/v1/lease/L1/extend" ->
          Reply.json(
              200,
              "{\"leaseId\":\"L1\",\"success\":true,\"renewed\":1,"
                  + "\"newExpiresAt\":\"2026-01-01T00:00:00Z\"}");
      default -> Reply.json(404, "{\"error\":\"Not Found\",\"code\":\"no_such_route\"}");
    };
  }

  @Test
  void theControlPlaneCreatesTenantsAndChecksKeys() {
    try (var server =
            new ScriptedServer(
                r ->
                    r.target().endsWith("/bootstrap")
                        ? Reply.json(
                            200,
                            "{\"tenant_id\":\"T\",\"cluster_id\":\"C\",\"broker_tenant_uuid\":\"B\","
                                + "\"key_id\":null,\"api_key\":null}")
                        : Reply.json(
                            200,
                            "{\"results\":[{\"key_hash\":\"aa\",\"valid\":true,"
                                + "\"cluster_slug\":\"t0\"},{\"key_hash\":\"bb\",\"valid\":false,"
                                + "\"cluster_slug\":null}]}"));
        var transport = new QueenTransport(server.url())) {
      var control = transport.controlPlane("admin-token");
      assertEquals(
          new ControlPlane.Tenant("T", "C", "B", "", ""),
          control.bootstrap("t0", "bench", "bench", "loader"));
      assertEquals(Map.of("aa", "t0", "bb", ""), control.checkKeys(List.of("aa", "bb")));
      assertEquals("admin-token", server.seen().getFirst().headers().get("x-queen-cp-token"));
    }
  }
}
