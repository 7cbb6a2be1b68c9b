package dev.queencell.loader.run;

import dev.queencell.client.PushBatch;
import dev.queencell.client.PushStatus;
import dev.queencell.client.QueenClient;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenStatusException;
import dev.queencell.client.RetryOn429;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.payload.PayloadWriter;
import dev.queencell.loader.payload.Stamp;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Makes one push: stamps its messages, sends them, accounts for every one by the answer. A failure
 * is counted by its kind and the messages are dropped. Thread-safe; blocks until the answer.
 */
final class Sender {
  private static final long RETRY_AFTER_MS = 50;

  private final Bench bench;
  private final int batch;
  private final QueenClient[] clients;
  private final ConcurrentLinkedQueue<Buffers> idleBuffers = new ConcurrentLinkedQueue<>();

  /** What one push uses at a time. */
  private final class Buffers {
    private final PushBatch batch = new PushBatch();
    private final Stamp stamp = new Stamp();
    private final PayloadWriter writer =
        new PayloadWriter(bench.filler(), bench.pushes().payloadBytes());
  }

  Sender(Bench bench) {
    this.bench = bench;
    batch = bench.pushes().batch();
    var retry = new RetryOn429(bench.pushes().attempts429());
    clients =
        bench.members().stream().map(m -> m.client().retrying(retry)).toArray(QueenClient[]::new);
  }

  /**
   * Pushes one batch.
   *
   * @param base its first sequence, as the ledger issued it
   */
  void push(int tenant, int partition, long base, long dueNanos) {
    var buffers = idleBuffers.poll();
    if (buffers == null) {
      buffers = new Buffers();
    }
    try {
      push(bench.members().get(tenant), partition, base, dueNanos, buffers);
    } finally {
      bench.ledger().conclude(tenant, partition, base, batch);
      idleBuffers.offer(buffers);
    }
  }

  private void push(Member member, int partition, long base, long dueNanos, Buffers buffers) {
    boolean steady = bench.window().contains(dueNanos);
    var stamp = buffers.stamp;
    stamp.run = bench.run();
    stamp.tenant = member.index();
    stamp.partition = partition;
    stamp.answered = bench.ledger().answeredThrough(member.index(), partition);
    stamp.base = base;
    stamp.scheduledMicros = bench.micros(dueNanos);
    long sent = bench.now();
    stamp.sentMicros = bench.micros(sent);
    bench.latencies().record(Series.LATENESS, sent - dueNanos, steady);
    buffers.batch.clear();
    long bytes = 0;
    for (int i = 0; i < batch; i++) {
      stamp.sequence = base + i;
      bytes += add(member, stamp, buffers, "");
    }
    // Decided before the message can be delivered, so that no other fault hits it.
    boolean again = bench.judge().takeDuplicatePush(stamp);
    bench.counters().add(Counter.PAYLOAD_BYTES_PUSHED, bytes, steady);
    boolean lastAccepted = false;
    for (int attempt = 0; attempt <= bench.pushes().retries(); attempt++) {
      bench.counters().add(Counter.PUSH_REQUESTS, 1, steady);
      try {
        var result = clients[member.index()].push(buffers.batch);
        long answered = bench.now();
        bench.latencies().record(Series.PUSH, answered - dueNanos, steady);
        bench.latencies().record(Series.PUSH_FROM_SEND, answered - sent, steady);
        boolean answeredInSteady = bench.window().contains(answered);
        for (int i = 0; i < batch; i++) {
          settle(member, partition, base + i, result.status(i), answeredInSteady);
        }
        lastAccepted = result.status(batch - 1).accepted();
        break;
      } catch (QueenException e) {
        fail(member, e, attempt == bench.pushes().retries());
      }
    }
    if (again && lastAccepted) {
      pushAgain(member, stamp, buffers);
    } else if (again) {
      bench.judge().returnDuplicatePush();
    }
  }

  private int add(Member member, Stamp stamp, Buffers buffers, String suffix) {
    int length = buffers.writer.write(stamp);
    var transactionId =
        bench.pushes().transactionIds()
            ? bench.run()
                + "-"
                + stamp.tenant
                + "-"
                + stamp.partition
                + "-"
                + stamp.sequence
                + suffix
            : null;
    buffers.batch.add(
        member.queue(),
        Member.partitionName(stamp.partition),
        transactionId,
        buffers.writer.buffer(),
        0,
        length);
    return length;
  }

  private void settle(
      Member member, int partition, long sequence, PushStatus status, boolean steady) {
    // A retried push whose first attempt was stored after all is answered as a duplicate.
    if (status.accepted() || (status == PushStatus.DUPLICATE && bench.pushes().retries() > 0)) {
      bench.ledger().accept(member.index(), partition, sequence);
      bench.counters().add(Counter.ACCEPTED, 1, steady);
      if (status == PushStatus.BUFFERED) {
        bench.ledger().tenant(member.index()).buffered(1);
      }
    } else {
      bench.ledger().tenant(member.index()).failed(1);
      bench.counters().add(Counter.PUSH_FAILED, 1, steady);
      bench.counters().error("push", "status_" + status.name().toLowerCase(Locale.ROOT));
    }
  }

  private void fail(Member member, QueenException e, boolean last) {
    bench.counters().error("push", e.kind());
    if (!last) {
      pause();
      return;
    }
    bench.counters().add(Counter.PUSH_FAILED, batch, bench.window().contains(bench.now()));
    var account = bench.ledger().tenant(member.index());
    if (isRefusal(e)) {
      account.refused(batch);
    } else {
      account.failed(batch);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RETRY_AFTER_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A quota or rate that was enforced. */
  private static boolean isRefusal(QueenException e) {
    return e instanceof QueenStatusException s && (s.status() == 429 || s.status() == 403);
  }

  /** The fault {@code dup-push}: the request's last message once more, as a request of its own. */
  private void pushAgain(Member member, Stamp stamp, Buffers buffers) {
    buffers.batch.clear();
    add(member, stamp, buffers, "-again");
    try {
      if (!clients[member.index()].push(buffers.batch).allAccepted()) {
        bench.judge().returnDuplicatePush();
      }
    } catch (QueenException e) {
      bench.counters().error("push", e.kind());
      bench.judge().returnDuplicatePush();
    }
  }
}
