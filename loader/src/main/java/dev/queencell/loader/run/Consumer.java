package dev.queencell.loader.run;

import dev.queencell.client.PopRequest;
import dev.queencell.client.PopResult;
import dev.queencell.client.QueenException;
import dev.queencell.loader.account.TenantAccount;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.payload.PayloadReader;
import dev.queencell.loader.payload.Stamp;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer of one tenant: pop, account, ack, on a virtual thread until stopped. No failure ends
 * it: failed requests are counted by kind and followed by a backoff. {@link #stop} lets a batch in
 * hand be acked and cuts a parked poll.
 */
public final class Consumer implements Worker {
  private static final Logger LOG = LoggerFactory.getLogger(Consumer.class);
  private static final long FIRST_BACKOFF_MS = 20;
  private static final long BACKOFF_MAX_MS = 1_000;

  private final Bench bench;
  private final Member member;
  private final TenantAccount account;
  private final PopRequest[] pops;
  private final PopPlan plan;
  private final Acks acks;
  private final PayloadReader reader;
  private final Stamp stamp = new Stamp();
  private final Thread thread;
  private int turn;
  private boolean parked;
  private volatile boolean stopped;

  /** A consumer of any lanes of the member's queue. */
  public Consumer(Bench bench, Member member, int number) {
    this(bench, member, number, bench.pops().fromQueue(member.queue()));
  }

  /** A consumer that asks these lanes in turn, by name. */
  public static Consumer ofPartitions(Bench bench, Member member, int number, int... partitions) {
    var requests = new PopRequest[partitions.length];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = bench.pops().fromPartition(member.queue(), Member.partitionName(partitions[i]));
    }
    return new Consumer(bench, member, number, requests);
  }

  private Consumer(Bench bench, Member member, int number, PopRequest... pops) {
    this.bench = bench;
    this.member = member;
    this.pops = pops;
    plan = bench.pops();
    account = bench.ledger().tenant(member.index());
    acks = new Acks(bench, member);
    reader = new PayloadReader(bench.filler(), bench.run());
    thread =
        Thread.ofVirtual().name("consumer-" + member.index() + "-" + number).unstarted(this::run);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void stop() {
    stopped = true;
    synchronized (this) {
      if (parked) {
        thread.interrupt();
      }
    }
  }

  @Override
  public void join() throws InterruptedException {
    thread.join();
  }

  private void run() {
    while (!stopped) {
      try {
        consume();
      } catch (RuntimeException e) {
        // Anything but a failed request is a fault of the loader; the run goes on and says so.
        LOG.error("consumer of tenant {} starts again", member.name(), e);
        bench.counters().error("consumer", "restart");
        account.causes().consumerRestarted(plan.batch());
      }
    }
    acks.awaitAll();
  }

  private void consume() {
    long backoffMs = FIRST_BACKOFF_MS;
    int emptyInTurn = 0;
    while (!stopped) {
      var popped = pop();
      if (popped == null) {
        pause(ThreadLocalRandom.current().nextLong(backoffMs / 2, backoffMs + 1));
        backoffMs = Math.min(BACKOFF_MAX_MS, backoffMs * 2);
        continue;
      }
      backoffMs = FIRST_BACKOFF_MS;
      if (!popped.isEmpty()) {
        emptyInTurn = 0;
        handle(popped);
      } else if (++emptyInTurn >= pops.length && plan.waitMs() == 0) {
        emptyInTurn = 0;
        pause(plan.emptySleepMs());
      }
    }
  }

  /** Null when the request failed. */
  private PopResult pop() {
    if (!park()) {
      return PopResult.EMPTY;
    }
    try {
      turn = turn + 1 >= pops.length ? 0 : turn + 1;
      var popped = member.client().pop(pops[turn]);
      boolean steady = bench.window().contains(bench.now());
      bench.counters().add(Counter.POP_REQUESTS, 1, steady);
      if (popped.isEmpty()) {
        bench.counters().add(Counter.EMPTY_POPS, 1, steady);
      }
      return popped;
    } catch (QueenException e) {
      if (!stopped) {
        bench.counters().error("pop", e.kind());
        if (e.outcomeUnknown()) {
          account.causes().popLost(plan.batch());
        }
      }
      return null;
    } finally {
      unpark();
    }
  }

  private synchronized boolean park() {
    parked = !stopped;
    return parked;
  }

  private synchronized void unpark() {
    parked = false;
    if (Thread.interrupted()) {
      LOG.debug("a parked poll was cut");
    }
  }

  private void handle(PopResult popped) {
    long received = bench.now();
    boolean steady = bench.window().contains(received);
    int untouchedTail = 0;
    long bytes = 0;
    long first = 0;
    acks.open();
    for (int i = 0; i < popped.size(); i++) {
      var message = popped.message(i);
      if (message.deliveryAttempt() > 1) {
        account.causes().redelivered();
      }
      bytes += message.payloadLength();
      var finding =
          reader.read(
              message.payloadBuffer(), message.payloadOffset(), message.payloadLength(), stamp);
      if (finding == PayloadReader.Finding.FOREIGN) {
        account.foreign();
        untouchedTail = 0;
        acks.add(-1, -1);
        continue;
      }
      if (finding == PayloadReader.Finding.CORRUPT) {
        account.corrupt(stamp.partition, stamp.sequence);
      }
      var fate = bench.judge().deliver(member.index(), stamp);
      if (fate != Judge.Fate.REPEATED) {
        long due = bench.nanos(stamp.scheduledMicros);
        bench.latencies().record(Series.END_TO_END, received - due, bench.window().contains(due));
        first++;
      }
      boolean sameLane = i > 0 && message.samePartition(popped.message(i - 1));
      untouchedTail = fate == Judge.Fate.FIRST ? (sameLane ? untouchedTail : 0) + 1 : 0;
      acks.add(stamp.partition, stamp.sequence);
    }
    bench.counters().add(Counter.DELIVERED, first, steady);
    bench.counters().add(Counter.REPEATED, popped.size() - first, steady);
    bench.counters().add(Counter.PAYLOAD_BYTES_DELIVERED, bytes, steady);
    acks.send(popped, popped.size() - bench.judge().takeDroppedAcks(untouchedTail));
  }

  private void pause(long waitMs) {
    if (waitMs == 0 || !park()) {
      return;
    }
    try {
      Thread.sleep(waitMs);
    } catch (InterruptedException e) {
      LOG.debug("stopped while pausing");
    } finally {
      unpark();
    }
  }
}
