package dev.queencell.broker.engine;

import dev.queencell.broker.engine.DedupRead.Extent;
import dev.queencell.broker.engine.DedupRead.Reading;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The deduplication windows of one lane's partitions under one byte budget. What is not in memory
 * is read before whoever asks for it can append. Once in a term a window is read whole, where it
 * fits half of the budget: so a broker that starts anew asks once per partition. Over budget, the
 * window that was used longest ago is forgotten. Where it does not fit, or was forgotten, its keys
 * go into an index of the database, each once, and what a push costs from then on follows its own
 * keys: a probe for each that memory does not know. Memory may cost time, never a wrong verdict.
 *
 * <p>The broker's own ids stand in no window. They carry their time and a mark (see {@link
 * IdMint}), so that a client's key which bears the mark is looked for in the segments of that time.
 * Used by the lane's thread.
 */
final class DedupWindows {
  /** Keys of a forgotten window that are read anew rather than put into the index. */
  private static final int READ_KEYS_MAX = 1_000;

  /** Keys that a window over an index holds before they go there too. */
  private static final int OPEN_KEYS_MAX = 20_000;

  private final Lane lane;
  private final long budgetBytes;
  private final Map<Partition, Long> byUse = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Partition, ArrayDeque<Waiter>> waiting = new HashMap<>();

  /** Windows that a work still needs, for as long as it waits for others. */
  private final Map<Work, Set<Partition>> pinned = new HashMap<>();

  private long bytes;

  private record Waiter(Work work, List<TransactionKey> keys) {}

  DedupWindows(Lane lane, long budgetBytes) {
    this.lane = lane;
    this.budgetBytes = budgetBytes;
  }

  /**
   * The offset of the message that has this key in a partition's window; or {@link
   * DedupWindow#ABSENT}, or {@link DedupWindow#UNREAD}: then {@link #load} finds out.
   */
  long find(Partition partition, TransactionKey key) {
    return partition.window == null
        ? DedupWindow.UNREAD
        : partition.window.find(key, since(partition));
  }

  /** Has the verdicts for some keys read, and the work processed anew behind that. */
  void load(Partition partition, List<TransactionKey> keys, Work work) {
    lane.hold(work);
    pin(partition, work);
    waiting
        .computeIfAbsent(partition, key -> new ArrayDeque<>())
        .add(new Waiter(work, List.copyOf(keys)));
    if (!partition.windowLoading) {
      partition.windowLoading = true;
      ask(partition, since(partition), new HashSet<>(keys));
    }
  }

  private void ask(Partition partition, long since, Set<TransactionKey> asked) {
    var window = partition.window;
    boolean probesOnly = window != null && window.isIndexed() && window.keys() < openKeysMax();
    var read =
        new DedupRead(
            partition.hashPlace(),
            partition.place(),
            partition.nextOffset,
            since,
            asked,
            probesOnly,
            readKeysMax(partition));
    lane.reader.ask(
        read::read,
        reading -> {
          if (reading.extent() == Extent.STEP) {
            // Other reads take their turn in between.
            ask(partition, since, asked);
          } else {
            loaded(partition, read, reading);
          }
        });
  }

  private int readKeysMax(Partition partition) {
    long fit = Math.max(1, budgetBytes / 2 / DedupWindow.ENTRY_BYTES);
    return (int) Math.min(fit, partition.windowRead ? READ_KEYS_MAX : Integer.MAX_VALUE - 1);
  }

  private long openKeysMax() {
    return Math.clamp(budgetBytes / 4 / DedupWindow.ENTRY_BYTES, 1, OPEN_KEYS_MAX);
  }

  /** Keeps what is known of a partition for a work, until its {@link #release}. */
  void pin(Partition partition, Work work) {
    if (pinned.computeIfAbsent(work, key -> new HashSet<>(2)).add(partition)) {
      partition.windowPins++;
    }
  }

  /** A work has what it needed, or needs it no more. */
  void release(Work work) {
    var partitions = pinned.remove(work);
    if (partitions != null) {
      partitions.forEach(partition -> partition.windowPins--);
    }
  }

  private void loaded(Partition partition, DedupRead read, Reading reading) {
    partition.windowLoading = false;
    if (!read.probesOnly()) {
      partition.windowRead = true;
      replaceWindow(partition, read.sinceMicros(), reading);
    }
    var window = partition.window;
    for (var found : reading.found()) {
      var key = ByteBuffer.wrap(found.key());
      window.add(
          new TransactionKey(key.getLong(), key.getLong()),
          found.offset(),
          found.createdAtMicros());
    }
    for (var minted : reading.minted()) {
      if (minted.offset() >= 0) {
        window.add(minted.key(), minted.offset(), minted.createdAtMicros());
      }
    }
    for (var key : read.asked()) {
      if (window.find(key, read.sinceMicros()) == DedupWindow.UNREAD) {
        window.addAbsent(key, read.sinceMicros());
      }
    }
    used(partition);
    for (var waiter : waiting.remove(partition)) {
      lane.resume(waiter.work());
    }
  }

  private static void replaceWindow(Partition partition, long since, Reading reading) {
    var before = partition.window;
    boolean whole = reading.extent() == Extent.WHOLE;
    var window = whole ? DedupWindow.wholeSince(since) : DedupWindow.indexed();
    reading.rows().forEach(row -> window.addAll(row.base(), row.createdAtMicros(), row.hashes()));
    if (before != null) {
      // What came while it was read, and what was asked for one by one.
      window.takeOver(before, whole ? Long.MIN_VALUE : reading.indexedTo());
    }
    partition.window = window;
  }

  void add(Partition partition, TransactionKey key, long offset, long createdAtMicros) {
    partition.window.expire(since(partition));
    partition.window.add(key, offset, createdAtMicros);
    used(partition);
  }

  /** A partition is gone. */
  void forget(Partition partition) {
    var size = byUse.remove(partition);
    bytes -= size == null ? 0 : size;
  }

  private void used(Partition partition) {
    long size = partition.window.bytes();
    var before = byUse.put(partition, size);
    bytes += size - (before == null ? 0 : before);
  }

  /** Comes back under the budget; between commits, so that every key forgotten is in a row. */
  void trim() {
    var oldest = byUse.entrySet().iterator();
    while (bytes > budgetBytes && oldest.hasNext()) {
      var entry = oldest.next();
      if (entry.getKey().windowPins == 0) {
        bytes -= entry.getValue();
        entry.getKey().window = null;
        oldest.remove();
      }
    }
  }

  /** Forgets the windows of a queue that goes. */
  void drop(Queue queue) {
    byUse
        .entrySet()
        .removeIf(
            entry -> {
              boolean goes = entry.getKey().queue == queue;
              bytes -= goes ? entry.getValue() : 0;
              return goes;
            });
  }

  private long since(Partition partition) {
    return lane.createdAtMicros() - partition.queue.options.dedupWindowSeconds() * 1_000_000L;
  }
}
