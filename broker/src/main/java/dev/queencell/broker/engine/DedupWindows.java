package dev.queencell.broker.engine;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The deduplication windows of one lane's partitions under one byte budget. A window that is not in
 * memory is read from PostgreSQL before the partition's next append; pushes to it wait meanwhile,
 * in order. Over budget, the window that was used longest ago is forgotten: that costs a read
 * later, never a wrong verdict. Used by the lane's thread.
 */
final class DedupWindows {
  private final Lane lane;
  private final long budgetBytes;
  private final Map<Partition, Long> byUse = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Partition, ArrayDeque<Work>> waiting = new LinkedHashMap<>();
  private long bytes;

  DedupWindows(Lane lane, long budgetBytes) {
    this.lane = lane;
    this.budgetBytes = budgetBytes;
  }

  /** Has a partition's window read, and the work processed anew behind it. */
  void load(Partition partition, Work work) {
    lane.hold(work);
    waiting.computeIfAbsent(partition, key -> new ArrayDeque<>()).add(work);
    if (partition.windowLoading) {
      return;
    }
    partition.windowLoading = true;
    long since = lane.createdAtMicros() - windowMicros(partition);
    lane.reader.hashes(
        partition,
        since,
        rows -> {
          var window = new DedupWindow();
          rows.forEach(row -> window.addAll(row.base(), row.createdAtMicros(), row.hashes()));
          partition.window = window;
          partition.windowLoading = false;
          used(partition);
          for (var waiter : waiting.remove(partition)) {
            lane.resume(waiter);
          }
        });
  }

  void add(Partition partition, TransactionKey key, long offset, long createdAtMicros) {
    partition.window.expire(createdAtMicros - windowMicros(partition));
    partition.window.add(key, offset, createdAtMicros);
    used(partition);
  }

  private void used(Partition partition) {
    long size = partition.window.bytes();
    var before = byUse.put(partition, size);
    bytes += size - (before == null ? 0 : before);
    var oldest = byUse.entrySet().iterator();
    while (bytes > budgetBytes && byUse.size() > 1) {
      var entry = oldest.next();
      if (entry.getKey() == partition) {
        break;
      }
      // An open segment's keys are in no row yet: such a window is not to be forgotten.
      if (entry.getKey().open == null) {
        bytes -= entry.getValue();
        entry.getKey().window = null;
        oldest.remove();
      }
    }
  }

  private static long windowMicros(Partition partition) {
    return partition.queue.options.dedupWindowSeconds() * 1_000_000L;
  }
}
