package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.http.LaneHistory.Ack;
import dev.queencell.broker.http.LaneHistory.Delivered;
import dev.queencell.broker.http.LaneHistory.Pop;
import dev.queencell.broker.http.LaneHistory.Push;
import dev.queencell.broker.http.LaneHistory.Renewal;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * Many clients of two tenants with the same names push, pop, acknowledge and renew at once, while
 * every database session of the broker is cut now and then; what each was answered is judged by
 * {@link LaneHistory}. A failure names its seed; {@code -Dqueencell.seed=N} runs that one, though
 * the threads take their own turns.
 */
@Timeout(180)
class LaneHistoryIT {
  private static final List<String> PARTITIONS = List.of("p", "q", "r", "s");
  private static final List<String> GROUPS = List.of("readers", "writers");
  private static final String AT_MOST_ONCE = "once";
  private static final int CLIENTS_PER_TENANT = 4;
  private static final int STEPS = 500;
  private static final int CUTS = 3;
  private static final int LEASE_SECONDS = 1;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static CellEngine engine;
  private static ApiFixture api;

  private final AtomicInteger steps = new AtomicInteger();
  private long seed;

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

  private final Tenant tenant = new Tenant(UUID.randomUUID());
  private final Tenant neighbour = new Tenant(UUID.randomUUID());

  @Test
  void everyHistoryObeysTheRulesOfALane() throws Exception {
    seed = Long.getLong("queencell.seed", System.nanoTime());
    System.out.println("LaneHistoryIT seed " + seed);
    var tenants = List.of(tenant, neighbour);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<?>>();
      for (int number = 0; number < CLIENTS_PER_TENANT; number++) {
        for (var each : tenants) {
          var random = new Random(seed + running.size());
          running.add(threads.submit(() -> each.work(random)));
        }
      }
      int all = STEPS * CLIENTS_PER_TENANT * tenants.size();
      for (int cut = 1; cut <= CUTS; cut++) {
        int at = cut * all / (CUTS + 1);
        Await.until("the clients have come so far", () -> steps.get() >= at);
        cutAllSessions();
      }
      for (var client : running) {
        client.get();
      }
    }
    for (var each : tenants) {
      each.drain();
      System.out.println("LaneHistoryIT: " + each.history.summary());
      assertEquals(List.of(), each.history.violations(), "seed " + seed);
      for (var group : GROUPS) {
        assertEquals(List.of(), each.history.undelivered(group), "seed " + seed);
      }
    }
  }

  /** Two queues, on two commit lanes. */
  private static String queueOf(String partition) {
    return partition.equals("s") ? "annals" : "history";
  }

  private static void cutAllSessions() throws Exception {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }
  }

  /** One tenant's clients and what they saw. */
  private final class Tenant {
    final UUID id;
    final LaneHistory history = new LaneHistory();
    private final AtomicInteger ids = new AtomicInteger();
    private final List<Pop> held = new ArrayList<>();
    private final Map<String, String> partitionIds = new ConcurrentHashMap<>();

    Tenant(UUID id) {
      this.id = id;
    }

    void work(Random random) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3, 4 -> push(random);
          case 5, 6, 7, 8, 9, 10, 11 ->
              popSome(random, GROUPS.get(random.nextInt(2)), LEASE_SECONDS);
          case 12 -> popSome(random, AT_MOST_ONCE, 0);
          case 13 -> renew(random);
          case 14, 15 -> transact(random);
          default -> ack(random);
        }
        steps.incrementAndGet();
      }
    }

    private void push(Random random) {
      var partition = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
      // One in six repeats an id that this partition may have.
      int number = random.nextInt(6) == 0 ? random.nextInt(ids.get() + 1) : ids.incrementAndGet();
      var key = partition + number;
      var body = Json.object();
      body.putArray("items")
          .addObject()
          .put("queue", queueOf(partition))
          .put("partition", partition)
          .put("transactionId", key)
          .put("payload", key);
      long start = System.nanoTime();
      var answer = api.postAs(id, "/api/v1/push", body.toString());
      long end = System.nanoTime();
      JsonNode item = answer.status() == 201 ? answer.json().get(0) : null;
      var status = item == null ? "" : item.get("status").stringValue();
      boolean known = status.equals("queued") || status.equals("duplicate");
      history.add(
          new Push(
              partition,
              key,
              known ? status : null,
              known ? item.get("message_id").stringValue() : null,
              start,
              end));
    }

    private void popSome(Random random, String group, int leaseSeconds) {
      var partition = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
      var where = queueOf(partition) + (random.nextInt(3) == 0 ? "/partition/" + partition : "");
      int batch = 1 + random.nextInt(6);
      pop(where, group, leaseSeconds, "batch=%d&partitions=%d".formatted(batch, random.nextInt(4)))
          .forEach(this::hold);
    }

    private void hold(Pop pop) {
      if (pop.isLeased()) {
        synchronized (held) {
          held.add(pop);
        }
      }
    }

    /** Pops under a lease, or with 0 seconds acknowledges at once. */
    private List<Pop> pop(String where, String group, int leaseSeconds, String width) {
      var query =
          "consumerGroup=%s&subscriptionMode=all&%s%s"
              .formatted(
                  group,
                  width,
                  leaseSeconds == 0 ? "&autoAck=true" : "&leaseSeconds=" + leaseSeconds);
      long start = System.nanoTime();
      var answer = api.getAs(id, "/api/v1/pop/queue/" + where + "?" + query);
      long end = System.nanoTime();
      var pops = new ArrayList<Pop>();
      if (answer.status() == 200) {
        var byPartition = new TreeMap<String, List<Delivered>>();
        for (var message : answer.json().get("messages")) {
          var partition = message.get("partition").stringValue();
          partitionIds.put(partition, message.get("partitionId").stringValue());
          byPartition
              .computeIfAbsent(partition, key -> new ArrayList<>())
              .add(
                  new Delivered(
                      message.get("transactionId").stringValue(),
                      message.get("offset").longValue()));
        }
        var lease = answer.json().get("leaseId").stringValue();
        byPartition.forEach(
            (name, messages) ->
                pops.add(
                    new Pop(
                        group,
                        name,
                        lease,
                        leaseSeconds * NANOS_PER_SECOND,
                        messages,
                        start,
                        end)));
        pops.forEach(history::add);
      }
      return pops;
    }

    private Pop anyHeld(Random random, boolean remove) {
      synchronized (held) {
        if (held.isEmpty()) {
          return null;
        }
        int at = random.nextInt(held.size());
        return remove ? held.remove(at) : held.get(at);
      }
    }

    private void renew(Random random) {
      var pop = anyHeld(random, false);
      if (pop == null) {
        return;
      }
      long start = System.nanoTime();
      var answer = api.postAs(id, "/api/v1/lease/" + pop.lease() + "/extend", "{\"seconds\":1}");
      long end = System.nanoTime();
      // A lease over several partitions may have ended on some of them.
      if (answer.status() == 200
          && answer.json().get("success").booleanValue()
          && answer.json().get("renewed").intValue() == partitionsOf(pop)) {
        history.add(new Renewal(pop.lease(), LEASE_SECONDS * NANOS_PER_SECOND, start, end));
      }
    }

    private long partitionsOf(Pop pop) {
      synchronized (held) {
        return held.stream().filter(other -> other.lease().equals(pop.lease())).count();
      }
    }

    /** Completes some of a batch from its beginning, and in one of four refuses what follows. */
    private void ack(Random random) {
      var pop = anyHeld(random, true);
      if (pop == null) {
        return;
      }
      int completed = random.nextInt(pop.messages().size() + 1);
      boolean refuse =
          completed == 0 || (completed < pop.messages().size() && random.nextInt(4) == 0);
      acknowledge(pop, completed, refuse ? "retry" : null);
    }

    private void acknowledge(Pop pop, int completed, String refusal) {
      var body = Json.object().put("consumerGroup", pop.group());
      var items = body.putArray("acknowledgments");
      int count = completed + (refusal == null ? 0 : 1);
      for (int i = 0; i < Math.min(count, pop.messages().size()); i++) {
        items
            .addObject()
            .put("transactionId", pop.messages().get(i).transactionId())
            .put("partitionId", partitionIds.get(pop.partition()))
            .put("leaseId", pop.lease())
            .put("status", i < completed ? "completed" : refusal);
      }
      long start = System.nanoTime();
      var answer = api.postAs(id, "/api/v1/ack/batch", body.toString());
      long end = System.nanoTime();
      JsonNode first = answer.status() == 200 ? answer.json().get(0) : null;
      boolean unknown =
          first == null || first.path("error").asString("").startsWith("ack flush failed");
      history.add(
          new Ack(
              pop.group(),
              pop.partition(),
              pop.lease(),
              completed == 0 ? -1 : pop.messages().get(completed - 1).offset(),
              unknown ? null : first.get("success").booleanValue(),
              unknown || first.get("leaseReleased").booleanValue(),
              start,
              end));
    }

    /** Completes a batch and stores a message, most often of another lane: both or neither. */
    private void transact(Random random) {
      var pop = anyHeld(random, true);
      if (pop == null) {
        return;
      }
      var partition = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
      // An id that no push repeats.
      var key = partition + "-" + ids.incrementAndGet();
      var last = pop.messages().getLast();
      // One in four comes under a lease that nobody was given.
      boolean forged = random.nextInt(4) == 0;
      var lease = forged ? UUID.randomUUID().toString() : pop.lease();
      if (forged) {
        hold(pop);
      }
      var body = Json.object();
      var operations = body.putArray("operations");
      operations
          .addObject()
          .put("type", "push")
          .put("queue", queueOf(partition))
          .put("partition", partition)
          .put("transactionId", key)
          .put("payload", key);
      operations
          .addObject()
          .put("type", "ack")
          .put("transactionId", last.transactionId())
          .put("partitionId", partitionIds.get(pop.partition()))
          .put("consumerGroup", pop.group())
          .put("leaseId", lease);
      long start = System.nanoTime();
      var answer = api.postAs(id, "/api/v1/transaction", body.toString());
      long end = System.nanoTime();
      var success = answer.status() == 200 ? answer.json().get("success").booleanValue() : null;
      boolean clear =
          Boolean.TRUE.equals(success)
              || (answer.status() == 200
                  && answer.json().path("reason").asString("").equals("ack_rejected"));
      history.add(
          new Ack(
              pop.group(),
              pop.partition(),
              lease,
              last.offset(),
              clear ? success : null,
              !clear || success,
              start,
              end));
      if (clear && !success) {
        history.addRolledBack(key);
        return;
      }
      var stored = clear ? answer.json().get("results").get(0) : null;
      history.add(
          new Push(
              partition,
              key,
              clear ? "queued" : null,
              clear ? stored.get("messageId").stringValue() : null,
              start,
              end));
    }

    /** Takes everything that is left for both groups, until nothing comes any more. */
    void drain() {
      for (var group : GROUPS) {
        Await.until(
            "everything has been delivered to " + group,
            () -> {
              for (var queue : List.of("history", "annals")) {
                pop(queue, group, LEASE_SECONDS, "batch=1000&partitions=0")
                    .forEach(pop -> acknowledge(pop, pop.messages().size(), null));
              }
              return history.undelivered(group).isEmpty();
            });
      }
    }
  }
}
