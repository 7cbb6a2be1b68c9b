package dev.queencell.loader.cloud;

import dev.queencell.client.AckBatch;
import dev.queencell.client.AckResult;
import dev.queencell.client.AckStatus;
import dev.queencell.client.PopRequest;
import dev.queencell.client.PopResult;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenStatusException;
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
final class Consumer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Consumer.class);
  private static final long FIRST_BACKOFF_MS = 20;
  private static final long BACKOFF_MAX_MS = 1_000;

  private final Bench bench;
  private final Member member;
  private final TenantAccount account;
  private final PopRequest pop;
  private final boolean autoAck;
  private final long emptySleepMs;
  private final int popBatch;
  private final int ackAttempts;
  private final AckBatch acks;
  private final PayloadReader reader;
  private final Stamp stamp = new Stamp();
  private final Thread thread;
  private boolean parked;
  private volatile boolean stopped;

  Consumer(Bench bench, Member member, int number) {
    this.bench = bench;
    this.member = member;
    var options = bench.options();
    account = bench.ledger().tenant(member.index());
    autoAck = options.get(CloudOptions.AUTO_ACK);
    boolean wait = options.get(CloudOptions.POP_WAIT);
    emptySleepMs = wait ? 0 : options.get(CloudOptions.EMPTY_SLEEP);
    popBatch = options.get(CloudOptions.POP_BATCH);
    ackAttempts = 1 + options.get(CloudOptions.RETRIES);
    var group = options.get(CloudOptions.GROUP);
    var request =
        PopRequest.fromQueue(member.queue())
            .group(group)
            .batch(popBatch)
            .partitions(options.get(CloudOptions.POP_PARTITIONS))
            // Whatever was pushed before the group was first seen belongs to the run too.
            .subscriptionMode("all");
    request = autoAck ? request.autoAck() : request;
    pop = wait ? request.waitUpTo(options.get(CloudOptions.POP_TIMEOUT)) : request;
    acks = new AckBatch(group);
    reader = new PayloadReader(bench.filler(), bench.run());
    thread = Thread.ofVirtual().name("consumer-" + member.index() + "-" + number).unstarted(this);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopped = true;
    synchronized (this) {
      if (parked) {
        thread.interrupt();
      }
    }
  }

  void join() throws InterruptedException {
    thread.join();
  }

  @Override
  public void run() {
    while (!stopped) {
      try {
        consume();
      } catch (RuntimeException e) {
        // Anything but a failed request is a fault of the loader; the run goes on and says so.
        LOG.error("consumer of tenant {} starts again", member.name(), e);
        bench.counters().error("consumer", "restart");
        account.causes().consumerRestarted(popBatch);
      }
    }
  }

  private void consume() {
    long backoffMs = FIRST_BACKOFF_MS;
    while (!stopped) {
      var popped = pop();
      if (popped == null) {
        pause(ThreadLocalRandom.current().nextLong(backoffMs / 2, backoffMs + 1));
        backoffMs = Math.min(BACKOFF_MAX_MS, backoffMs * 2);
      } else if (popped.isEmpty()) {
        backoffMs = FIRST_BACKOFF_MS;
        pause(emptySleepMs);
      } else {
        backoffMs = FIRST_BACKOFF_MS;
        handle(popped);
      }
    }
  }

  /** Null when the request failed. */
  private PopResult pop() {
    if (!park()) {
      return PopResult.EMPTY;
    }
    try {
      var popped = member.client().pop(pop);
      boolean steady = bench.window().contains(System.nanoTime());
      bench.counters().add(Counter.POP_REQUESTS, 1, steady);
      if (popped.isEmpty()) {
        bench.counters().add(Counter.EMPTY_POPS, 1, steady);
      }
      return popped;
    } catch (QueenException e) {
      if (!stopped) {
        bench.counters().error("pop", e.kind());
        if (e.outcomeUnknown()) {
          account.causes().popLost(popBatch);
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
    long received = System.nanoTime();
    boolean steady = bench.window().contains(received);
    int untouchedTail = 0;
    long bytes = 0;
    long first = 0;
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
    }
    bench.counters().add(Counter.DELIVERED, first, steady);
    bench.counters().add(Counter.REPEATED, popped.size() - first, steady);
    bench.counters().add(Counter.PAYLOAD_BYTES_DELIVERED, bytes, steady);
    if (!autoAck) {
      ack(popped, popped.size() - bench.judge().takeDroppedAcks(untouchedTail));
    }
  }

  /** Acks the first messages of a batch. */
  private void ack(PopResult popped, int count) {
    if (count == 0) {
      return;
    }
    acks.clear();
    for (int i = 0; i < count; i++) {
      acks.add(popped.message(i), AckStatus.COMPLETED);
    }
    for (int attempt = 1; ; attempt++) {
      long sent = System.nanoTime();
      boolean steady = bench.window().contains(sent);
      bench.counters().add(Counter.ACK_REQUESTS, 1, steady);
      try {
        var result = member.client().ack(acks);
        bench.latencies().record(Series.ACK, System.nanoTime() - sent, steady);
        bench.counters().add(Counter.ACKED, result.succeeded(), steady);
        noteRefusals(result, popped.size());
        return;
      } catch (QueenException e) {
        bench.counters().error("ack", e.kind());
        if (attempt >= ackAttempts || isFinal(e)) {
          account.causes().ackFailed(popped.size());
          return;
        }
        pause(FIRST_BACKOFF_MS << Math.min(attempt, 5));
      }
    }
  }

  private static boolean isFinal(QueenException e) {
    return e instanceof QueenStatusException s && s.status() < 500 && s.status() != 429;
  }

  private void noteRefusals(AckResult result, int batch) {
    if (result.allSucceeded()) {
      return;
    }
    int lease = 0;
    for (var refused : result.refused()) {
      boolean expired = refused.error().equals(AckResult.LEASE_EXPIRED);
      lease += expired ? 1 : 0;
      bench.counters().error("ack", expired ? "lease_expired" : "refused");
    }
    account.causes().acksRefused(result.refused().size(), lease, batch);
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
