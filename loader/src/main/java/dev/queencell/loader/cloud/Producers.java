package dev.queencell.loader.cloud;

import dev.queencell.client.PushBatch;
import dev.queencell.client.PushStatus;
import dev.queencell.client.QueenClient;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenStatusException;
import dev.queencell.client.RetryOn429;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.pace.Pacer;
import dev.queencell.loader.payload.PayloadWriter;
import dev.queencell.loader.payload.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends what the pacer says is due: one virtual thread and one attempt per push. Events go round
 * the active tenants' producers; each producer walks its own share of its tenant's lanes. {@link
 * #offer} runs on the pacer's thread and returns at once; everything else runs on the pushes'
 * threads.
 */
final class Producers implements Pacer.Sink {
  private final Bench bench;
  private final Producer[] producers;
  private final int pushBatch;
  private final int inFlightMax;
  private final boolean transactionIds;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final ConcurrentLinkedQueue<Buffers> idleBuffers = new ConcurrentLinkedQueue<>();
  private final ThreadFactory threads = Thread.ofVirtual().name("push").factory();

  /** One producer's tenant and lanes; touched by the pacer's thread only. */
  private static final class Producer {
    private final Member member;
    private final QueenClient client;
    private final int[] partitions;
    private int next;

    Producer(Member member, QueenClient client, int[] partitions, int first) {
      this.member = member;
      this.client = client;
      this.partitions = partitions;
      this.next = first;
    }

    int nextPartition() {
      int partition = partitions[next];
      next = next + 1 == partitions.length ? 0 : next + 1;
      return partition;
    }
  }

  /** Buffers that one push uses at a time. */
  private final class Buffers {
    private final PushBatch batch = new PushBatch();
    private final Stamp stamp = new Stamp();
    private final PayloadWriter writer =
        new PayloadWriter(bench.filler(), bench.options().get(CloudOptions.PAYLOAD));
  }

  Producers(Bench bench) {
    this.bench = bench;
    var options = bench.options();
    pushBatch = options.get(CloudOptions.PUSH_BATCH);
    inFlightMax = options.get(CloudOptions.MAX_INFLIGHT);
    transactionIds = options.get(CloudOptions.DEDUP_WINDOW) > 0;
    int active = activeTenants(bench);
    int perTenant = options.get(CloudOptions.PRODUCERS);
    var retry = new RetryOn429(options.get(CloudOptions.RETRY429_ATTEMPTS));
    var all = new ArrayList<Producer>();
    for (int p = 0; p < perTenant; p++) {
      for (var member : bench.members().subList(0, active)) {
        var partitions = share(bench.partitionNames().size(), p, perTenant);
        // A lane that several producers walk is entered at different places.
        all.add(
            new Producer(
                member, member.client().retrying(retry), partitions, p % partitions.length));
      }
    }
    producers = all.toArray(Producer[]::new);
  }

  /** How many tenants produce: the fraction, rounded up. */
  static int activeTenants(Bench bench) {
    return (int)
        Math.ceil(bench.members().size() * bench.options().get(CloudOptions.ACTIVE_FRACTION));
  }

  /** Every n-th lane; all of them when there are fewer lanes than producers. */
  private static int[] share(int partitions, int producer, int producers) {
    if (partitions < producers) {
      return java.util.stream.IntStream.range(0, partitions).toArray();
    }
    return java.util.stream.IntStream.range(0, partitions)
        .filter(i -> i % producers == producer)
        .toArray();
  }

  @Override
  public boolean offer(long event, long dueNanos) {
    var producer = producers[(int) (event % producers.length)];
    var account = bench.ledger().tenant(producer.member.index());
    boolean steady = bench.window().contains(dueNanos);
    bench.counters().add(Counter.OFFERED, pushBatch, steady);
    account.offered(pushBatch);
    if (inFlight.get() >= inFlightMax) {
      bench.counters().add(Counter.SHED, pushBatch, steady);
      account.shed(pushBatch);
      return false;
    }
    inFlight.incrementAndGet();
    int partition = producer.nextPartition();
    long base = bench.ledger().issue(producer.member.index(), partition, pushBatch);
    threads.newThread(() -> send(producer, partition, base, dueNanos)).start();
    return true;
  }

  int inFlight() {
    return inFlight.get();
  }

  private void send(Producer producer, int partition, long base, long dueNanos) {
    var buffers = idleBuffers.poll();
    if (buffers == null) {
      buffers = new Buffers();
    }
    try {
      push(producer, partition, base, dueNanos, buffers);
    } finally {
      bench.ledger().conclude(producer.member.index(), partition, base, pushBatch);
      idleBuffers.offer(buffers);
      inFlight.decrementAndGet();
    }
  }

  private void push(Producer producer, int partition, long base, long dueNanos, Buffers buffers) {
    var member = producer.member;
    boolean steady = bench.window().contains(dueNanos);
    var stamp = buffers.stamp;
    stamp.run = bench.run();
    stamp.tenant = member.index();
    stamp.partition = partition;
    stamp.answered = bench.ledger().answeredThrough(member.index(), partition);
    stamp.base = base;
    stamp.scheduledMicros = bench.micros(dueNanos);
    long sent = System.nanoTime();
    stamp.sentMicros = bench.micros(sent);
    bench.latencies().record(Series.LATENESS, sent - dueNanos, steady);
    buffers.batch.clear();
    long bytes = 0;
    for (int i = 0; i < pushBatch; i++) {
      stamp.sequence = base + i;
      bytes += add(member, stamp, buffers, "");
    }
    // Decided before the message can be delivered, so that no other fault hits it.
    boolean again = bench.judge().takeDuplicatePush(stamp);
    bench.counters().add(Counter.PUSH_REQUESTS, 1, steady);
    bench.counters().add(Counter.PAYLOAD_BYTES_PUSHED, bytes, steady);
    try {
      var result = producer.client.push(buffers.batch);
      long answered = System.nanoTime();
      bench.latencies().record(Series.PUSH, answered - dueNanos, steady);
      bench.latencies().record(Series.PUSH_FROM_SEND, answered - sent, steady);
      boolean answeredInSteady = bench.window().contains(answered);
      for (int i = 0; i < pushBatch; i++) {
        settle(member, partition, base + i, result.status(i), answeredInSteady);
      }
      if (again && result.status(pushBatch - 1).accepted()) {
        pushAgain(producer, stamp, buffers);
      } else if (again) {
        bench.judge().returnDuplicatePush();
      }
    } catch (QueenException e) {
      fail(member, pushBatch, e);
      if (again) {
        bench.judge().returnDuplicatePush();
      }
    }
  }

  private int add(Member member, Stamp stamp, Buffers buffers, String suffix) {
    int length = buffers.writer.write(stamp);
    var transactionId =
        transactionIds
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
        bench.partitionNames().get(stamp.partition),
        transactionId,
        buffers.writer.buffer(),
        0,
        length);
    return length;
  }

  private void settle(
      Member member, int partition, long sequence, PushStatus status, boolean steady) {
    if (status.accepted()) {
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

  private void fail(Member member, int messages, QueenException e) {
    bench.counters().error("push", e.kind());
    bench.counters().add(Counter.PUSH_FAILED, messages, bench.window().contains(System.nanoTime()));
    var account = bench.ledger().tenant(member.index());
    if (isRefusal(e)) {
      account.refused(messages);
    } else {
      account.failed(messages);
    }
  }

  /** A quota or rate that was enforced. */
  static boolean isRefusal(QueenException e) {
    return e instanceof QueenStatusException s && (s.status() == 429 || s.status() == 403);
  }

  /** The fault {@code dup-push}: the request's last message once more, as a request of its own. */
  private void pushAgain(Producer producer, Stamp stamp, Buffers buffers) {
    buffers.batch.clear();
    add(producer.member, stamp, buffers, "-again");
    try {
      if (!producer.client.push(buffers.batch).allAccepted()) {
        bench.judge().returnDuplicatePush();
      }
    } catch (QueenException e) {
      bench.counters().error("push", e.kind());
      bench.judge().returnDuplicatePush();
    }
  }

  /** The names of the lanes, the same for every tenant. */
  static List<String> partitionNames(int count) {
    return java.util.stream.IntStream.range(0, count).mapToObj(i -> "p" + i).toList();
  }
}
