package dev.queencell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.client.ScriptedServer.Reply;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConsumptionTest {
  private static final String BATCH =
      "{\"messages\":[{\"transactionId\":\"a\",\"partitionId\":\"P\",\"leaseId\":\"L\",\"data\":1},"
          + "{\"transactionId\":\"b\",\"partitionId\":\"P\",\"leaseId\":\"L\",\"data\":2},"
          + "{\"transactionId\":\"c\",\"partitionId\":\"Q\",\"leaseId\":\"L\",\"data\":3}]}";

  private final CountDownLatch extended = new CountDownLatch(1);
  private final CountDownLatch acked = new CountDownLatch(1);
  private final CountDownLatch parked = new CountDownLatch(1);
  private final CountDownLatch never = new CountDownLatch(1);
  private final AtomicInteger pops = new AtomicInteger();

  /** One batch, then a poll that parks until the client goes. */
  private Reply serve(ScriptedServer.Seen request) throws InterruptedException {
    if (request.method().equals("GET")) {
      if (pops.getAndIncrement() == 0) {
        return Reply.json(200, BATCH);
      }
      parked.countDown();
      never.await(20, TimeUnit.SECONDS);
      return new Reply(204, null, Map.of());
    }
    if (request.target().endsWith("/extend")) {
      extended.countDown();
      return Reply.json(200, "{\"renewed\":1,\"newExpiresAt\":\"x\"}");
    }
    acked.countDown();
    int rows = request.body().split("transactionId", -1).length - 1;
    return Reply.json(200, "[" + "{\"success\":true},".repeat(rows - 1) + "{\"success\":true}]");
  }

  @Test
  void aSlowHandlersLeaseIsRenewedAndItsBatchAckedWhenItReturns() throws Exception {
    try (var server = new ScriptedServer(this::serve);
        var transport = new QueenTransport(server.url())) {
      var settings =
          Consumption.Settings.of(PopRequest.fromQueue("q").group("g").waitUpTo(20_000), 1);
      try (var _ = transport.client(Caller.ANONYMOUS).consume(settings, _ -> extended.await())) {
        assertTrue(acked.await(20, TimeUnit.SECONDS));
        assertTrue(parked.await(20, TimeUnit.SECONDS));
      }
      never.countDown();
      var ack = server.seen().stream().filter(r -> r.target().endsWith("/ack/batch")).toList();
      assertEquals(1, ack.size());
      assertEquals(4, ack.getFirst().body().split("\"completed\"", -1).length);
      assertTrue(ack.getFirst().body().contains("\"consumerGroup\":\"g\""));
    }
  }

  @Test
  void aHandlerThatThrowsFailsTheFirstMessageOfEachPartition() throws Exception {
    var failures = new ConcurrentLinkedQueue<String>();
    try (var server = new ScriptedServer(this::serve);
        var transport = new QueenTransport(server.url())) {
      var settings =
          new Consumption.Settings(
              PopRequest.fromQueue("q").waitUpTo(20_000), 1, 60, e -> failures.add(e.getMessage()));
      try (var _ =
          transport
              .client(Caller.ANONYMOUS)
              .consume(
                  settings,
                  _ -> {
                    throw new IllegalStateException("no room");
                  })) {
        assertTrue(acked.await(20, TimeUnit.SECONDS));
      }
      never.countDown();
      var body =
          server.seen().stream()
              .filter(r -> r.target().endsWith("/ack/batch"))
              .findFirst()
              .orElseThrow()
              .body();
      assertTrue(
          body.contains("\"transactionId\":\"a\"") && body.contains("\"transactionId\":\"c\""),
          body);
      assertTrue(!body.contains("\"transactionId\":\"b\"") && body.contains("no room"), body);
      assertTrue(failures.peek().contains("no room"), failures::toString);
    }
  }

  @Test
  void aServerThatIsAwayIsReportedAndAskedAgain() throws Exception {
    var failures = new CountDownLatch(2);
    try (var server = new ScriptedServer(_ -> Reply.json(500, "{\"error\":\"pool\"}"));
        var transport = new QueenTransport(server.url())) {
      var settings =
          new Consumption.Settings(PopRequest.fromQueue("q"), 1, 60, _ -> failures.countDown());
      try (var _ = transport.client(Caller.ANONYMOUS).consume(settings, _ -> {})) {
        assertTrue(failures.await(20, TimeUnit.SECONDS));
      }
    }
  }
}
