package dev.queencell.broker.engine;

import dev.queencell.broker.store.Segment;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Keeps recent segments unpacked under one byte budget, so that a pop of recent messages needs no
 * SQL. First in, first out: what was written or read longest ago leaves first. Used by one thread.
 *
 * <p>It makes room for lanes. They and what is kept share twice the budget, so that a heap which is
 * large enough for either is not filled by a million lanes that each have a recent segment. An
 * eighth of the budget stays.
 */
final class TailCache {
  /** What a segment costs beside its frames. */
  private static final int OVERHEAD_BYTES = 96;

  /** What a lane takes that a group has caught up with, see {@code LaneMemoryIT}. */
  private static final int LANE_BYTES = 400;

  private static final int SHARE_KEPT = 8;

  private record Entry(Partition partition, Segment segment) {}

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final long budgetBytes;
  private final LongSupplier lanes;
  private long bytes;

  /**
   * @param lanes tells how many lanes of messages there are
   */
  TailCache(long budgetBytes, LongSupplier lanes) {
    this.budgetBytes = budgetBytes;
    this.lanes = lanes;
  }

  void add(Partition partition, Segment segment) {
    if (!partition.cache(segment)) {
      return;
    }
    entries.add(new Entry(partition, segment));
    bytes += cost(segment);
    // The newest always stays, whatever its size: somebody is about to read it.
    long room = room();
    while (bytes > room && entries.size() > 1) {
      var oldest = entries.remove();
      oldest.partition().uncache(oldest.segment());
      bytes -= cost(oldest.segment());
    }
  }

  private long room() {
    long left = 2 * budgetBytes - lanes.getAsLong() * LANE_BYTES;
    return Math.clamp(left, budgetBytes / SHARE_KEPT, budgetBytes);
  }

  /** Forgets what is kept of a queue that goes, and with it the queue's lanes. */
  void drop(Queue queue) {
    entries.removeIf(
        entry -> {
          boolean goes = entry.partition().queue == queue;
          bytes -= goes ? cost(entry.segment()) : 0;
          return goes;
        });
  }

  long bytes() {
    return bytes;
  }

  private static long cost(Segment segment) {
    return (long) segment.frames().length + OVERHEAD_BYTES;
  }
}
