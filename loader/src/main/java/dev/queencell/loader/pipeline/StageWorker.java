package dev.queencell.loader.pipeline;

import dev.queencell.client.AckBatch;
import dev.queencell.client.AckResult;
import dev.queencell.client.AckStatus;
import dev.queencell.client.PopRequest;
import dev.queencell.client.PopResult;
import dev.queencell.client.PushBatch;
import dev.queencell.client.PushStatus;
import dev.queencell.client.QueenException;
import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.options.Options;
import dev.queencell.loader.payload.PayloadReader;
import dev.queencell.loader.payload.Stamp;
import dev.queencell.loader.run.Bench;
import dev.queencell.loader.run.PollingWorker;
import dev.queencell.loader.run.RunOptions;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer of one stage: pops, and for each property's batch works a while, pushes what follows
 * from it as one batch, then acks. A push that fails is tried again with the same deduplication
 * keys until it is taken or the run ends; only then the batch is acked, so that nothing is lost on
 * the way. What is never acked comes again.
 */
final class StageWorker extends PollingWorker {
  private static final Logger LOG = LoggerFactory.getLogger(StageWorker.class);
  private static final long BACKOFF_MS = 100;

  private final Pipeline pipeline;
  private final Topology.Stage stage;
  private final PayloadReader reader;
  private final AckBatch acks;
  private final PushBatch derived = new PushBatch();
  private final Stamp stamp = new Stamp();

  /** The derived messages' sequences, of one property. */
  private long[] sequences = new long[16];

  private int noted;
  private int notedProperty;

  /**
   * Makes a worker.
   *
   * @param property the lane that it pops by name; -1 for any lanes
   */
  StageWorker(Pipeline pipeline, Topology.Stage stage, int property) {
    super(
        stage.name(),
        pipeline.client(),
        pipeline.causes(),
        1,
        emptySleepMs(pipeline.options()),
        request(pipeline.options(), stage, property));
    this.pipeline = pipeline;
    this.stage = stage;
    reader = new PayloadReader(pipeline.bench().filler(), pipeline.bench().run());
    acks = new AckBatch(stage.group());
  }

  private static long emptySleepMs(Options options) {
    int asked = options.get(RunOptions.EMPTY_SLEEP);
    return options.get(RunOptions.POP_WAIT) ? 0 : asked;
  }

  private static PopRequest request(Options options, Topology.Stage stage, int property) {
    int partitions = options.get(CmOptions.POP_PARTITIONS);
    var lanes =
        property < 0
            ? PopRequest.fromQueue(stage.queue()).partitions(partitions)
            : PopRequest.fromPartition(stage.queue(), Topology.lane(property));
    var request =
        lanes.group(stage.group()).batch(options.get(RunOptions.POP_BATCH)).subscriptionMode("all");
    int timeoutMs = options.get(RunOptions.POP_TIMEOUT);
    return options.get(RunOptions.POP_WAIT) ? request.waitUpTo(timeoutMs) : request;
  }

  @Override
  protected Bench bench() {
    return pipeline.bench();
  }

  @Override
  protected void handle(PopResult popped) {
    long received = pipeline.bench().now();
    int from = 0;
    for (int i = 1; i <= popped.size(); i++) {
      if (i == popped.size() || !popped.message(i).samePartition(popped.message(from))) {
        property(popped, from, i, received);
        from = i;
      }
    }
  }

  /** One property's part of a pop. */
  private void property(PopResult popped, int from, int to, long received) {
    derived.clear();
    acks.clear();
    for (int i = from; i < to; i++) {
      var message = popped.message(i);
      acks.add(message, AckStatus.COMPLETED);
      var finding =
          reader.read(
              message.payloadBuffer(), message.payloadOffset(), message.payloadLength(), stamp);
      if (finding == PayloadReader.Finding.FOREIGN) {
        continue;
      }
      account(received, message.payloadLength());
      if (!stage.isFinal()) {
        derived.add(
            stage.next(),
            Topology.lane(stamp.partition),
            pipeline.transactionId(stage.flow(), stamp.partition, stamp.sequence),
            message.payloadBuffer(),
            message.payloadOffset(),
            message.payloadLength());
        note(stamp.partition, stamp.sequence);
      }
    }
    work();
    if (stage.isFinal() || derived.size() == 0 || pushOn()) {
      ack();
    }
    noted = 0;
  }

  private void note(int property, long sequence) {
    if (noted == sequences.length) {
      sequences = Arrays.copyOf(sequences, noted * 2);
    }
    notedProperty = property;
    sequences[noted++] = sequence;
  }

  private void account(long received, int bytes) {
    var bench = pipeline.bench();
    var account = pipeline.account(stage);
    if (!account.accepts(stamp.partition, stamp.sequence)) {
      bench.counters().error("consumer", "never_issued");
      return;
    }
    boolean first = account.deliver(stamp.partition, stamp.sequence);
    pipeline.log(stage).delivered(stamp.partition, stamp.sequence);
    boolean steady = bench.window().contains(received);
    if (!first) {
      bench.counters().add(Counter.REPEATED, 1, steady);
    } else if (stage.counts()) {
      bench.counters().add(Counter.DELIVERED, 1, steady);
      bench.counters().add(Counter.PAYLOAD_BYTES_DELIVERED, bytes, steady);
      long due = bench.nanos(stamp.scheduledMicros);
      bench.latencies().record(Series.END_TO_END, received - due, bench.window().contains(due));
    }
  }

  private void work() {
    int least = pipeline.options().get(CmOptions.WORK_MIN_MS);
    int most = pipeline.options().get(CmOptions.WORK_MAX_MS);
    long workMs = ThreadLocalRandom.current().nextLong(least, Math.max(least, most) + 1L);
    try {
      Thread.sleep(workMs);
    } catch (InterruptedException e) {
      LOG.debug("work was cut");
    }
  }

  /** False when the run ended before the batch was taken. */
  private boolean pushOn() {
    while (true) {
      try {
        var result = pipeline.client().push(derived);
        boolean all = true;
        for (int i = 0; i < noted; i++) {
          boolean there = result.status(i).accepted() || result.status(i) == PushStatus.DUPLICATE;
          all &= there;
          if (there) {
            pipeline.produced().get(stage.next()).accepted(notedProperty, sequences[i]);
          }
        }
        if (all) {
          return true;
        }
        pipeline.bench().counters().error("push_on", "status_failed");
      } catch (QueenException e) {
        pipeline.bench().counters().error("push_on", e.kind());
        if (!pipeline.transactionIds() && e.outcomeUnknown()) {
          // Without deduplication the next attempt may store it twice.
          pipeline.causes().ackFailed(noted);
        }
      }
      if (isStopped()) {
        pipeline.causes().ackFailed(noted);
        return false;
      }
      pause(BACKOFF_MS);
    }
  }

  private void ack() {
    var bench = pipeline.bench();
    long sent = bench.now();
    boolean steady = bench.window().contains(sent);
    bench.counters().add(Counter.ACK_REQUESTS, 1, steady);
    try {
      var result = pipeline.client().ack(acks);
      bench.latencies().record(Series.ACK, bench.now() - sent, steady);
      bench.counters().add(Counter.ACKED, result.succeeded(), steady);
      if (!result.allSucceeded()) {
        long expired =
            result.refused().stream()
                .filter(r -> r.error().equals(AckResult.LEASE_EXPIRED))
                .count();
        bench.counters().error("ack", expired > 0 ? "lease_expired" : "refused");
        pipeline.causes().acksRefused(result.refused().size(), (int) expired, acks.size());
      }
    } catch (QueenException e) {
      bench.counters().error("ack", e.kind());
      pipeline.causes().ackFailed(acks.size());
    }
  }
}
