package dev.queencell.loader.run;

import dev.queencell.client.AckBatch;
import dev.queencell.client.AckResult;
import dev.queencell.client.AckStatus;
import dev.queencell.client.PopResult;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenStatusException;
import dev.queencell.loader.account.TenantAccount;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * One consumer's acks: a batch per pop, sent at once and waited for, or, where the plan allows
 * several in flight, by threads of their own while the consumer goes on. Tells the ledger what the
 * broker need not hold any longer. Belongs to its consumer's thread.
 */
final class Acks {
  private static final long RETRY_AFTER_MS = 20;

  private final Bench bench;
  private final Member member;
  private final PopPlan plan;
  private final TenantAccount account;
  private final Semaphore free;
  private final int inFlightMax;
  private final ConcurrentLinkedQueue<Unit> idle = new ConcurrentLinkedQueue<>();
  private Unit open;

  /** The acks of one pop, and which messages they are for. */
  private static final class Unit {
    private final AckBatch batch;
    private int[] partitions = new int[16];
    private long[] sequences = new long[16];
    private int size;

    Unit(String group) {
      batch = new AckBatch(group);
    }

    void note(int partition, long sequence) {
      if (size == partitions.length) {
        partitions = Arrays.copyOf(partitions, size * 2);
        sequences = Arrays.copyOf(sequences, size * 2);
      }
      partitions[size] = partition;
      sequences[size++] = sequence;
    }
  }

  Acks(Bench bench, Member member) {
    this.bench = bench;
    this.member = member;
    plan = bench.pops();
    account = bench.ledger().tenant(member.index());
    inFlightMax = Math.max(1, plan.acksInFlight());
    free = new Semaphore(inFlightMax);
  }

  /** Begins a batch. */
  void open() {
    open = idle.poll();
    if (open == null) {
      open = new Unit(member.group());
    }
    open.size = 0;
  }

  /**
   * Notes the next message of the pop.
   *
   * @param partition -1 for one that is none of this run's
   */
  void add(int partition, long sequence) {
    open.note(partition, sequence);
  }

  /** Acks the first messages of the pop; the rest is left to its lease. */
  void send(PopResult popped, int count) {
    var unit = open;
    open = null;
    if (plan.autoAck()) {
      for (int i = 0; i < unit.size; i++) {
        complete(unit, i);
      }
      idle.offer(unit);
      return;
    }
    if (count == 0) {
      idle.offer(unit);
      return;
    }
    unit.batch.clear();
    for (int i = 0; i < count; i++) {
      unit.batch.add(popped.message(i), AckStatus.COMPLETED);
    }
    free.acquireUninterruptibly();
    if (plan.acksInFlight() == 0) {
      request(unit, popped.size());
    } else {
      int batch = popped.size();
      Thread.ofVirtual().name("ack").start(() -> request(unit, batch));
    }
  }

  private void request(Unit unit, int popSize) {
    try {
      ack(unit, popSize);
    } finally {
      idle.offer(unit);
      free.release();
    }
  }

  private void ack(Unit unit, int popSize) {
    for (int attempt = 1; ; attempt++) {
      long sent = bench.now();
      boolean steady = bench.window().contains(sent);
      bench.counters().add(Counter.ACK_REQUESTS, 1, steady);
      try {
        var result = member.client().ack(unit.batch);
        bench.latencies().record(Series.ACK, bench.now() - sent, steady);
        bench.counters().add(Counter.ACKED, result.succeeded(), steady);
        settle(unit, result, popSize);
        return;
      } catch (QueenException e) {
        bench.counters().error("ack", e.kind());
        if (attempt >= plan.ackAttempts() || isFinal(e)) {
          account.causes().ackFailed(popSize);
          if (e.outcomeUnknown()) {
            for (int i = 0; i < unit.batch.size(); i++) {
              complete(unit, i);
            }
          }
          return;
        }
        pause(RETRY_AFTER_MS << Math.min(attempt, 5));
      }
    }
  }

  private static boolean isFinal(QueenException e) {
    return e instanceof QueenStatusException s && s.status() < 500 && s.status() != 429;
  }

  private void settle(Unit unit, AckResult result, int popSize) {
    var refused = result.refused();
    int next = 0;
    int lease = 0;
    for (int i = 0; i < unit.batch.size(); i++) {
      if (next < refused.size() && refused.get(next).index() == i) {
        boolean expired = refused.get(next++).error().equals(AckResult.LEASE_EXPIRED);
        lease += expired ? 1 : 0;
        bench.counters().error("ack", expired ? "lease_expired" : "refused");
      } else {
        complete(unit, i);
      }
    }
    if (!refused.isEmpty()) {
      account.causes().acksRefused(refused.size(), lease, popSize);
    }
  }

  private void complete(Unit unit, int index) {
    if (unit.partitions[index] >= 0) {
      bench.ledger().complete(member.index(), unit.partitions[index], unit.sequences[index]);
    }
  }

  /** Waits for the acks underway; each ends by its own timeout at the latest. */
  void awaitAll() {
    free.acquireUninterruptibly(inFlightMax);
    free.release(inFlightMax);
  }

  private static void pause(long waitMs) {
    try {
      Thread.sleep(waitMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
