package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.testsupport.Await;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL is killed in the middle of pushes, pops and acknowledgements, twice. What was answered
 * as queued is delivered, in order, and what was acknowledged with success is not delivered again.
 * Two tenants with the same names do so at once, each with messages of its own.
 */
class PostgresCrashIT {
  private static final UUID TENANT = UUID.fromString("22222222-2222-4222-8222-222222222222");
  private static final UUID NEIGHBOUR = Neighbour.TENANT;
  private static final int PRODUCERS_PER_TENANT = 2;
  private static final int CONSUMERS_PER_TENANT = 2;

  /** How long a client rests whom a reloading engine refused. */
  private static final long BACKOFF_NANOS = 1_000_000;

  private static final int MESSAGES_BEFORE_EACH_CRASH = 300;

  private final Set<String> accepted = ConcurrentHashMap.newKeySet();
  private final Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();
  private final Set<String> finished = ConcurrentHashMap.newKeySet();
  private final List<String> violations = new ArrayList<>();
  private final AtomicBoolean producing = new AtomicBoolean(true);
  private final AtomicBoolean consuming = new AtomicBoolean(true);

  @Test
  void whatWasAnsweredSurvivesTheCrashOfPostgres() throws Exception {
    try (var postgres = PostgresServer.durable();
        var engine = open(postgres)) {
      Await.until("the engine owns", () -> engine.role() == Engine.Role.OWNER);
      var threads = new ArrayList<Thread>();
      for (var tenant : List.of(TENANT, NEIGHBOUR)) {
        for (int producer = 0; producer < PRODUCERS_PER_TENANT; producer++) {
          int number = producer;
          threads.add(Thread.ofVirtual().start(() -> produce(engine, tenant, number)));
        }
        for (int consumer = 0; consumer < CONSUMERS_PER_TENANT; consumer++) {
          threads.add(Thread.ofVirtual().start(() -> consume(engine, tenant)));
        }
      }
      for (int crash = 1; crash <= 2; crash++) {
        int wanted = crash * MESSAGES_BEFORE_EACH_CRASH;
        Await.until("some messages got through", () -> finished.size() >= wanted);
        postgres.kill9();
        postgres.start();
      }
      Await.until("traffic goes on", () -> finished.size() >= 3 * MESSAGES_BEFORE_EACH_CRASH);
      producing.set(false);
      Await.until("everything accepted is finished", () -> finished.containsAll(accepted));
      consuming.set(false);
      for (var thread : threads) {
        thread.join();
      }
    } finally {
      producing.set(false);
      consuming.set(false);
    }
    synchronized (violations) {
      assertEquals(List.of(), violations);
    }
    assertTrue(deliveries.keySet().containsAll(accepted));
  }

  private static CellEngine open(PostgresServer postgres) {
    return CellEngine.open(
        new EngineConfig(
            postgres.jdbcUrl("postgres"),
            PostgresServer.USER,
            postgres.password(),
            "http://127.0.0.1:1",
            1,
            1 << 20,
            1 << 20));
  }

  /** What all messages of a tenant begin with. */
  private static String mark(UUID tenant) {
    return tenant.equals(NEIGHBOUR) ? "n" : "t";
  }

  private void produce(CellEngine engine, UUID tenant, int producer) {
    for (int i = 0; producing.get(); i++) {
      var text = mark(tenant) + producer + "-" + i;
      try {
        var item = new PushItem("crash", "p" + producer, null, null, Slice.utf8('"' + text + '"'));
        if (engine.push(tenant, List.of(item)).getFirst().status() == Status.QUEUED) {
          accepted.add('"' + text + '"');
        }
      } catch (EngineUnavailableException e) {
        LockSupport.parkNanos(BACKOFF_NANOS);
      }
    }
  }

  private void consume(CellEngine engine, UUID tenant) {
    var lastFirst = new HashMap<String, Integer>();
    while (consuming.get()) {
      try {
        var request =
            new PopRequest(
                tenant, "crash", null, null, null, "g", 20, 2, false, 200, 5, false, null);
        var result = engine.pop(request).result().get(20, TimeUnit.SECONDS);
        for (var claim : result.claims()) {
          handle(engine, tenant, result.leaseId(), claim, lastFirst);
        }
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        // The engine is reloading; the next pop waits for it.
        LockSupport.parkNanos(BACKOFF_NANOS);
      }
    }
  }

  private void handle(
      CellEngine engine,
      UUID tenant,
      UUID leaseId,
      PopResult.Claim claim,
      Map<String, Integer> lastFirst) {
    var items = new ArrayList<AckItem>();
    var texts = new ArrayList<String>();
    for (var run : claim.runs()) {
      var frame = new Frames.Reader(run.frames());
      frame.skip(run.skip());
      for (int i = 0; i < run.count(); i++) {
        frame.next();
        var text = frame.payload().text();
        texts.add(text);
        if (!text.startsWith('"' + mark(tenant))) {
          violation("delivered to the other tenant: " + text);
        }
        if (finished.contains(text)) {
          violation("delivered again after a successful acknowledgement: " + text);
        }
        deliveries.computeIfAbsent(text, key -> new AtomicInteger()).incrementAndGet();
        items.add(
            new AckItem(
                Slice.of(frame.transactionId().toBytes()),
                claim.partitionId().toString(),
                AckStatus.COMPLETED,
                leaseId.toString(),
                null));
      }
    }
    checkOrder(claim.partition(), texts, lastFirst);
    var outcomes = engine.ack(tenant, "g", items);
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i).success()) {
        finished.add(texts.get(i));
      }
    }
  }

  /** Inside one delivery numbers rise by what was stored: never back. */
  private void checkOrder(String partition, List<String> texts, Map<String, Integer> last) {
    int previous = -1;
    for (var text : texts) {
      int number = Integer.parseInt(text.substring(text.indexOf('-') + 1, text.length() - 1));
      if (number <= previous) {
        violation(partition + " out of order at " + text);
      }
      previous = number;
    }
    last.merge(partition, previous, Math::max);
  }

  private void violation(String text) {
    synchronized (violations) {
      violations.add(text);
    }
  }
}
