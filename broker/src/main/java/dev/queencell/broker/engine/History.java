package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.QueueCounts;
import dev.queencell.broker.store.Rows.MinuteRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * What happens to the queues of one lane, counted per queue and minute as it is decided: an array's
 * element per event, no lock, no row looked at twice. The first event of a minute sets a timer;
 * when the minute is over, the counts of all queues that had any go into the open commit in one
 * statement. So an idle lane writes nothing, and a busy one writes once a minute.
 *
 * <p>Used by the lane's thread; {@link #lastMinute()} is for everybody.
 */
final class History {
  private static final long MICROS_PER_MINUTE = 60_000_000;

  private final Lane lane;
  private final Set<Queue> touched = new LinkedHashSet<>();
  private int minute;
  private long flushes;
  private volatile Minute last = new Minute(0, List.of());

  /**
   * The counts of a minute that is over.
   *
   * @param minute since the epoch
   */
  record Minute(int minute, List<KeyMinute> queues) {}

  /** The counts of one queue that may be gone by now: it must not stay for them. */
  record KeyMinute(Queue.Key key, QueueCounts counts) {}

  /** The counts of one queue. */
  private record QueueMinute(Queue queue, QueueCounts counts) {}

  /**
   * Counts that are not written yet.
   *
   * @param flushes how often the lane has written; two equal readings have nothing between them
   */
  record Unwritten(long flushes, int minute, List<Counted> queues) {}

  /** A queue as it is called now. */
  record Named(UUID tenant, String name, String namespace, String task) {}

  /** The counts of one queue, for other threads. */
  record Counted(Named queue, QueueCounts counts) {}

  History(Lane lane) {
    this.lane = lane;
  }

  void pushed(Queue queue, int messages) {
    var counts = counts(queue);
    counts.add(QueueCount.PUSH_REQUESTS, 1);
    counts.add(QueueCount.PUSH_MESSAGES, messages);
    queue.meters.pushRequests.increment();
    queue.meters.pushMessages.add(messages);
  }

  /** A pop was served from a partition; the lag is the age of the oldest message of it. */
  void popped(Queue queue, int messages, long lagMicros) {
    var counts = counts(queue);
    long lagMillis = Math.max(0, lagMicros) / 1_000;
    counts.add(QueueCount.POPS, 1);
    counts.add(QueueCount.POP_MESSAGES, messages);
    counts.add(QueueCount.LAG_MILLIS, lagMillis);
    counts.raise(QueueCount.LAG_MILLIS_MAX, lagMillis);
    queue.meters.popMessages.add(messages);
  }

  /** A pop on the queue ended with nothing. */
  void poppedEmpty(Queue queue) {
    add(queue, QueueCount.POP_EMPTY, 1);
  }

  void acked(Queue queue, int succeeded, int failed) {
    var counts = counts(queue);
    counts.add(QueueCount.ACK_REQUESTS, 1);
    counts.add(QueueCount.ACK_SUCCESS, succeeded);
    counts.add(QueueCount.ACK_FAILED, failed);
    queue.meters.acksSucceeded.add(succeeded);
    queue.meters.acksFailed.add(failed);
  }

  void deadLettered(Queue queue) {
    add(queue, QueueCount.DEAD_LETTERS, 1);
    queue.meters.deadLetters.increment();
  }

  void add(Queue queue, QueueCount what, long number) {
    counts(queue).add(what, number);
  }

  private QueueCounts counts(Queue queue) {
    if (queue.minuteCounts == null) {
      queue.minuteCounts = new QueueCounts();
      if (touched.isEmpty()) {
        minute = (int) (lane.createdAtMicros() / MICROS_PER_MINUTE);
        long leftMicros = MICROS_PER_MINUTE - lane.createdAtMicros() % MICROS_PER_MINUTE;
        lane.timers.at(System.nanoTime() + leftMicros * 1_000, () -> flush());
      }
      touched.add(queue);
    }
    return queue.minuteCounts;
  }

  /** Puts what was counted into the open commit, begins anew, and tells of how many queues. */
  int flush() {
    if (touched.isEmpty()) {
      return 0;
    }
    var queues = unwritten();
    var rows = new ArrayList<MinuteRow>(queues.size());
    for (var entry : queues) {
      rows.add(new MinuteRow(entry.queue().id, minute, entry.counts()));
      entry.queue().minuteCounts = null;
    }
    touched.clear();
    lane.commit().minutes(rows);
    var sample = lane.term().sampler().take(minute);
    if (sample != null) {
      lane.commit().cellMinute(sample);
    }
    lane.term().pruner().tick(minute);
    flushes++;
    last = new Minute(minute, sameMinute(queues));
    return rows.size();
  }

  /** A flush on demand has split the minute: its halves are one for whoever reads the last one. */
  private List<KeyMinute> sameMinute(List<QueueMinute> queues) {
    var written =
        queues.stream().map(entry -> new KeyMinute(entry.queue().key, entry.counts())).toList();
    if (last.minute() != minute) {
      return written;
    }
    Map<Queue.Key, QueueCounts> folded = new HashMap<>();
    for (var half : List.of(last.queues(), written)) {
      for (var entry : half) {
        folded.computeIfAbsent(entry.key(), key -> new QueueCounts()).fold(entry.counts());
      }
    }
    return folded.entrySet().stream()
        .map(entry -> new KeyMinute(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** What is counted but not written, of some queues. */
  Unwritten snapshot(Predicate<Queue> wanted) {
    var counted = new ArrayList<Counted>();
    for (var entry : unwritten()) {
      var queue = entry.queue();
      if (wanted.test(queue)) {
        counted.add(
            new Counted(
                new Named(queue.key.tenant(), queue.key.name(), queue.namespace, queue.task),
                entry.counts().copy()));
      }
    }
    return new Unwritten(flushes, minute, counted);
  }

  private List<QueueMinute> unwritten() {
    var all = new ArrayList<QueueMinute>(touched.size());
    for (var queue : touched) {
      var counts = queue.minuteCounts;
      counts.set(QueueCount.PARTITION_COUNT, queue.partitions.size());
      counts.set(QueueCount.PARKED, Delivery.parkedOn(queue).size());
      all.add(new QueueMinute(queue, counts));
    }
    return all;
  }

  /** A queue is going: nothing of it may be written any more. */
  void drop(Queue queue) {
    touched.remove(queue);
    queue.minuteCounts = null;
  }

  /** The newest minute that was written. */
  Minute lastMinute() {
    return last;
  }
}
