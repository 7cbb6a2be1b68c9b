package dev.queencell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.client.examples.HelloQueue;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every call of the client against the real broker, beside a tenant with the same names. */
@Timeout(120)
class ClientAgainstBrokerIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String TENANT = "11111111-1111-4111-8111-111111111111";
  private static final String NEIGHBOUR = "22222222-2222-4222-8222-222222222222";
  private static JavaProcess broker;
  private static URI url;

  @BeforeAll
  static void startBroker() {
    broker =
        JavaProcess.ofClass("dev.queencell.broker.BrokerMain")
            .env("PORT", "0")
            .env("PG_HOST", DATABASE.host())
            .env("PG_PORT", Integer.toString(DATABASE.port()))
            .env("PG_USER", DATABASE.user())
            .env("PG_PASSWORD", DATABASE.password())
            .env("PG_DB", DATABASE.database())
            .env("QUEEN_TENANCY_HEADER", "true")
            .env("QUEEN_KV_TRUSTED_PROXY", "true")
            .start();
    url = broker.awaitReady();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> texts(PopResult popped) {
    return popped.messages().stream()
        .map(m -> new String(m.payload(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void theExampleRuns() throws InterruptedException {
    HelloQueue.run(url, Caller.ANONYMOUS);
  }

  @Test
  void whatIsPushedIsPoppedByteForByteAndAckedOnce() {
    try (var transport = new QueenTransport(url)) {
      var client = transport.client(Caller.withTenant(TENANT));
      var neighbour = transport.client(Caller.withTenant(NEIGHBOUR));
      neighbour.push(new PushBatch().add("orders", "p0", "tx \"1\"", utf8("7"), 0, 1));
      client.configure("orders", QueueOptions.UNCHANGED.leaseSeconds(30));
      var pushed =
          client.push(
              new PushBatch()
                  .add("orders", "p0", utf8("{\"a\": [1, \"é\"]}"))
                  .add("orders", "p0", "tx \"1\"", utf8("null"), 0, 4)
                  .add("orders", "p1", utf8("-1.50e2")));
      assertTrue(pushed.allAccepted());
      assertEquals("tx \"1\"", pushed.items().get(1).transactionId());

      var all = PopRequest.fromPartition("orders", "p0").group("g").subscriptionMode("all");
      var popped = client.pop(all);
      assertEquals(List.of("{\"a\": [1, \"é\"]}", "null"), texts(popped));
      assertEquals("tx \"1\"", popped.message(1).transactionId());
      assertEquals(1, popped.message(0).deliveryAttempt());
      assertTrue(client.extendLease(popped.leaseId(), 60).alive());
      assertTrue(client.pop(all).isEmpty(), "a leased lane was handed out twice");

      assertEquals(2, client.depth("orders", "g").pendingByPartition().get("p0"));
      var acks = new AckBatch("g");
      popped.messages().forEach(m -> acks.add(m, AckStatus.COMPLETED));
      assertEquals(new AckResult(2, 0, List.of()), client.ack(acks));
      assertEquals(0, client.depth("orders", "g").pendingByPartition().getOrDefault("p0", 0L));

      var late = client.ack("g", popped.message(0), AckStatus.COMPLETED, null);
      assertEquals(AckResult.LEASE_EXPIRED, late.refused().getFirst().error());
      assertFalse(client.extendLease(popped.leaseId(), 60).alive());

      var rest = client.pop(PopRequest.fromQueue("orders").autoAck().partitions(0));
      assertEquals(3, rest.size(), "queue mode is a group of its own");
      assertEquals("", rest.leaseId());
      assertEquals(List.of("7"), texts(neighbour.pop(all)));
      assertEquals(1, neighbour.depth("orders", "g").pendingByPartition().get("p0"));
    }
  }

  @Test
  void aFailedMessageComesAgainAndTenantsNeverMeet() {
    try (var transport = new QueenTransport(url)) {
      var client = transport.client(Caller.withTenant(TENANT));
      client.push(new PushBatch().add("retries", "p0", utf8("1")));
      var pop = PopRequest.fromQueue("retries");
      var first = client.pop(pop);
      client.ack("", first.message(0), AckStatus.FAILED, "not today");
      var second = client.pop(pop.waitUpTo(5_000));
      assertEquals(2, second.message(0).deliveryAttempt());

      var stranger = transport.client(Caller.withTenant(NEIGHBOUR));
      assertTrue(stranger.pop(pop).isEmpty());
      assertEquals(
          1, stranger.ack("", second.message(0), AckStatus.COMPLETED, null).refused().size());
    }
  }

  @Test
  void queuesAreListedShownAndDeleted() {
    try (var transport = new QueenTransport(url)) {
      var client = transport.client(Caller.withTenant("33333333-3333-4333-8333-333333333333"));
      client.configure("shelf", QueueOptions.UNCHANGED.leaseSeconds(9).minPopWaitMs(5));
      client.push(new PushBatch().add("shelf", "p0", utf8("1")));
      var neighbour = transport.client(Caller.withTenant("44444444-4444-4444-8444-444444444444"));
      neighbour.push(new PushBatch().add("shelf", "p0", utf8("2")).add("shelf", "p1", utf8("3")));
      assertEquals(List.of("shelf"), client.queues().stream().map(QueueInfo::name).toList());
      assertEquals(9, client.queue("shelf").options().get("leaseTime"));
      assertEquals(1, client.queue("shelf").partitions());
      assertTrue(client.deleteQueue("shelf"));
      assertFalse(client.deleteQueue("shelf"));
      assertEquals(2, neighbour.queue("shelf").partitions());
      assertEquals(List.of("2"), texts(neighbour.pop(PopRequest.fromPartition("shelf", "p0"))));
      assertEquals(
          404, assertThrows(QueenStatusException.class, () -> client.queue("shelf")).status());
    }
  }

  @Test
  void aBadTenantIsRefusedWithTheBrokersWords() {
    try (var transport = new QueenTransport(url)) {
      var refusal =
          assertThrows(
              QueenStatusException.class, transport.client(Caller.withTenant("nobody"))::queues);
      assertEquals(400, refusal.status());
      assertTrue(refusal.getMessage().contains("x-queen-tenant"), refusal.getMessage());
    }
  }
}
