package dev.queencell.broker.engine;

import dev.queencell.broker.store.ExpiryStore.Head;
import dev.queencell.broker.store.ExpiryStore.Start;
import dev.queencell.broker.store.QueueCount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * What of a lane's partitions has become too old, by the age of the oldest segment of each. A
 * partition stands here when something of it can become due; nothing is looked for in any other.
 * One whose old segments wait for a slow group stands here again when that group has completed
 * something.
 *
 * <p>The lane alone decides what goes: {@link Retention} reads for it what the oldest segments are,
 * beside the lane, and deletes afterwards what is dead. The new first offset is durable before the
 * first row goes. Used by the lane's thread.
 */
final class Expiry {
  private static final long MICROS = 1_000_000L;
  private static final long SECONDS_PER_DAY = 86_400L;
  private static final long RETRY_MICROS = 1_000_000L;

  /** Fewer cancelled entries than this are not worth a sweep. */
  private static final int SWEEP_MIN = 1024;

  private final Lane lane;
  private final long cleanupMicros;
  private final PriorityQueue<Entry> due =
      new PriorityQueue<>((a, b) -> Long.compare(a.dueMicros, b.dueMicros));

  private int cancelled;

  /** Empty for longer than the cleanup wants; may hold some that are in use again. */
  private final List<Partition> unused = new ArrayList<>();

  private volatile long nextMicros = Long.MAX_VALUE;
  private volatile boolean unusedWaits;

  /** Stands for a partition that was taken and has not come back. */
  private static final Entry TAKEN = new Entry(null, 0);

  /** A partition's place; without the partition when it has another by now. */
  static final class Entry {
    private Partition partition;
    private final long dueMicros;

    private Entry(Partition partition, long dueMicros) {
      this.partition = partition;
      this.dueMicros = dueMicros;
    }
  }

  /**
   * A partition whose dead rows are to be deleted.
   *
   * @param start as it was when they died
   */
  record Dead(Partition partition, Start start) {}

  Expiry(Lane lane, RetentionConfig config) {
    this.lane = lane;
    this.cleanupMicros = config.partitionCleanupDays() * SECONDS_PER_DAY * MICROS;
  }

  /** When the next partition is due, by the message clock; read from anywhere. */
  long nextMicros() {
    return nextMicros;
  }

  /** Whether there are partitions to clean up; read from anywhere. */
  boolean unusedWaits() {
    return unusedWaits;
  }

  /** Something of a partition may become due that could not before; or it has become empty. */
  void watch(Partition partition) {
    if (partition.due == TAKEN || partition.waitsForGroup) {
      return;
    }
    long at = dueMicros(partition);
    if (partition.due == null ? at != Long.MAX_VALUE : at < partition.due.dueMicros) {
      // An empty partition waits for its cleanup; its first segment may be due long before.
      cancel(partition);
      add(partition, at);
    }
  }

  private void cancel(Partition partition) {
    if (partition.due == null) {
      return;
    }
    partition.due.partition = null;
    partition.due = null;
    cancelled++;
    if (cancelled > SWEEP_MIN && cancelled > due.size() / 2) {
      due.removeIf(entry -> entry.partition == null);
      cancelled = 0;
    }
  }

  /** What was said before of when a partition is due counts for nothing. */
  void watchAnew(Partition partition) {
    partition.waitsForGroup = false;
    if (partition.due == TAKEN) {
      return;
    }
    cancel(partition);
    watch(partition);
  }

  /** A group has completed something: old segments may have waited for that. */
  void completed(Partition partition) {
    if (partition.queue.retention.completedSeconds() > 0 && partition.waitsForGroup) {
      watchAnew(partition);
    }
  }

  private void add(Partition partition, long at) {
    partition.due = new Entry(partition, at);
    due.add(partition.due);
    told();
  }

  private void told() {
    nextMicros = due.isEmpty() ? Long.MAX_VALUE : due.peek().dueMicros;
  }

  private long dueMicros(Partition partition) {
    if (partition.sweepDue) {
      return 0;
    }
    if (partition.segmentCount == 0) {
      return usedMicros(partition) + cleanupMicros;
    }
    int seconds = partition.queue.retention.firstSeconds();
    return seconds == 0 ? Long.MAX_VALUE : partition.oldestAtMicros + seconds * MICROS;
  }

  private static long usedMicros(Partition partition) {
    return Math.max(
        Math.max(partition.createdAtMicros, partition.newestAtMicros),
        partition.usedAtSeconds * MICROS);
  }

  /**
   * Takes out partitions of which something is old enough, up to a number. Each must come back, to
   * {@link #expire} or {@link #leave}.
   */
  List<Partition> take(int partitionsMax) {
    var taken = new ArrayList<Partition>();
    long now = lane.createdAtMicros();
    while (taken.size() < partitionsMax && !due.isEmpty() && due.peek().dueMicros <= now) {
      var partition = due.remove().partition;
      if (partition == null) {
        cancelled--;
        continue;
      }
      partition.due = null;
      if (!isThere(partition)) {
        continue;
      }
      if (partition.sweepDue || mayExpire(partition, now)) {
        partition.due = TAKEN;
        partition.waitsForGroup = false;
        taken.add(partition);
      } else if (dueMicros(partition) > now) {
        watch(partition);
      } else if (partition.segmentCount == 0) {
        unused.add(partition);
      } else {
        waitForGroup(partition);
      }
    }
    told();
    unusedWaits = !unused.isEmpty();
    return taken;
  }

  /** Its old segments stay until a group completes them, or until they are too old even so. */
  private void waitForGroup(Partition partition) {
    partition.due = null;
    partition.waitsForGroup = true;
    int seconds = partition.queue.retention.allSeconds();
    if (seconds > 0) {
      add(partition, partition.oldestAtMicros + seconds * MICROS);
    }
  }

  /** Forgets the partitions of a queue that goes; their time may be days away. */
  void drop(Queue queue) {
    due.removeIf(entry -> entry.partition == null || entry.partition.queue == queue);
    cancelled = 0;
    unused.removeIf(partition -> partition.queue == queue);
    told();
    unusedWaits = !unused.isEmpty();
  }

  private boolean isThere(Partition partition) {
    return lane.term().queue(partition.queue.id) == partition.queue
        && partition.queue.partitionsById.get(partition.id) == partition;
  }

  private static boolean mayExpire(Partition partition, long now) {
    var policy = partition.queue.retention;
    return partition.segmentCount > 0
        && (isOlder(partition.oldestAtMicros, policy.allSeconds(), now)
            || (isOlder(partition.oldestAtMicros, policy.completedSeconds(), now)
                && completedBelow(partition) > partition.firstOffset));
  }

  private static boolean isOlder(long createdAtMicros, int seconds, long now) {
    return seconds > 0 && createdAtMicros + seconds * MICROS <= now;
  }

  /** Every group has completed everything below; without a group nothing is completed. */
  private static long completedBelow(Partition partition) {
    long below = partition.cursors().length == 0 ? 0 : Long.MAX_VALUE;
    for (var cursor : partition.cursors()) {
      below = Math.min(below, cursor.committed + 1);
    }
    return below;
  }

  /** Where what is kept of a partition begins. */
  static Start start(Partition partition) {
    return new Start(partition.id, partition.firstOffset, partition.queue.bucketMax);
  }

  /**
   * Moves the first offsets of partitions over their oldest segments, as far as these are to go by
   * what is true now.
   *
   * @param heads the oldest segments of each, which may not be all
   * @return all whose dead rows are to be deleted
   */
  List<Dead> expire(List<Partition> partitions, Map<Long, List<Head>> heads) {
    long now = lane.createdAtMicros();
    var dead = new ArrayList<Dead>();
    for (var partition : partitions) {
      if (isThere(partition)) {
        var known = heads.getOrDefault(partition.id, List.of());
        boolean moved = expire(partition, known, now);
        if (partition.sweepDue) {
          dead.add(new Dead(partition, start(partition)));
        } else if (moved || partition.segmentCount == 0) {
          leave(partition);
        } else if (known.isEmpty()) {
          // Its only segment is being committed.
          add(partition, now + RETRY_MICROS);
        } else {
          waitForGroup(partition);
        }
      }
    }
    return dead;
  }

  /** The rule by which a segment goes, or null. */
  private static QueueCount rule(RetentionPolicy policy, Head head, long completedBelow, long now) {
    long createdAt = head.createdAtMicros();
    if (isOlder(createdAt, policy.ageSeconds(), now)) {
      return QueueCount.RETENTION_MESSAGES;
    }
    if (isOlder(createdAt, policy.waitSeconds(), now)) {
      return QueueCount.EVICTION_MESSAGES;
    }
    boolean completed = head.end() <= completedBelow;
    return completed && isOlder(createdAt, policy.completedSeconds(), now)
        ? QueueCount.COMPLETED_RETENTION_MESSAGES
        : null;
  }

  private boolean expire(Partition partition, List<Head> heads, long now) {
    var policy = partition.queue.retention;
    long completedBelow = completedBelow(partition);
    int gone = 0;
    for (var head : heads) {
      var rule = rule(policy, head, completedBelow, now);
      if (rule == null) {
        break;
      }
      gone++;
      lane.history.add(partition.queue, rule, head.end() - partition.firstOffset);
      partition.firstOffset = head.end();
      partition.segmentCount--;
      partition.retainedBytes -= head.bytes();
    }
    if (gone < heads.size()) {
      partition.oldestAtMicros = heads.get(gone).createdAtMicros();
    } else if (gone > 0) {
      // The next one, if there is one, is not older; the next look will tell.
      partition.oldestAtMicros = heads.getLast().createdAtMicros();
    }
    if (gone == 0) {
      return false;
    }
    lane.history.add(partition.queue, QueueCount.RETENTION_EVENTS, 1);
    partition.sweepDue = true;
    partition.uncacheBelow(partition.firstOffset);
    lane.contentsChanged(partition);
    for (var cursor : partition.cursors()) {
      lane.delivery.ready(cursor);
    }
    return true;
  }

  /** The dead rows of partitions have been deleted. */
  boolean swept(List<Dead> dead) {
    for (var one : dead) {
      var partition = one.partition();
      if (partition.firstOffset == one.start().firstOffset() && isThere(partition)) {
        partition.sweepDue = false;
        lane.checkpointDue(partition);
      }
      leave(partition);
    }
    return true;
  }

  /** What was taken could not be looked at. */
  boolean putBack(List<Partition> partitions) {
    partitions.forEach(this::leave);
    return true;
  }

  /** A partition that was taken has nothing to expire for now. */
  void leave(Partition partition) {
    partition.due = null;
    watch(partition);
  }

  /** Takes out partitions that have been empty for long, up to a number. */
  List<Partition> takeUnused(int partitionsMax) {
    var some = unused.subList(0, Math.min(partitionsMax, unused.size()));
    var taken = new ArrayList<>(some);
    some.clear();
    unusedWaits = !unused.isEmpty();
    return taken;
  }

  /** Removes those of the partitions that are still unused and have no dead letters. */
  int removeUnused(List<Partition> partitions, Set<Long> withDeadLetters) {
    long now = lane.createdAtMicros();
    int removed = 0;
    for (var partition : partitions) {
      boolean unusedStill =
          isThere(partition)
              && partition.isIdle()
              && usedMicros(partition) + cleanupMicros <= now
              && !withDeadLetters.contains(partition.id);
      if (unusedStill) {
        lane.removePartition(partition);
        removed++;
      } else {
        partition.usedAtSeconds = (int) (now / MICROS);
        watch(partition);
      }
    }
    return removed;
  }
}
