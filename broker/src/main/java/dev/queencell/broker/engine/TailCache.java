package dev.queencell.broker.engine;

import dev.queencell.broker.store.Segment;
import java.util.ArrayDeque;

/**
 * Keeps recent segments unpacked under one byte budget, so that a pop of recent messages needs no
 * SQL. First in, first out: what was written or read longest ago leaves first. Used by one thread.
 */
final class TailCache {
  /** What a segment costs beside its frames. */
  private static final int OVERHEAD_BYTES = 96;

  private record Entry(Partition partition, Segment segment) {}

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final long budgetBytes;
  private long bytes;

  TailCache(long budgetBytes) {
    this.budgetBytes = budgetBytes;
  }

  void add(Partition partition, Segment segment) {
    if (!partition.cache(segment)) {
      return;
    }
    entries.add(new Entry(partition, segment));
    bytes += cost(segment);
    // The newest always stays, whatever its size: somebody is about to read it.
    while (bytes > budgetBytes && entries.size() > 1) {
      var oldest = entries.remove();
      oldest.partition().uncache(oldest.segment());
      bytes -= cost(oldest.segment());
    }
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
