package dev.queencell.broker.engine;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.KeyReader;
import dev.queencell.broker.store.SegmentReader;
import dev.queencell.broker.store.SegmentReader.Hashes;
import dev.queencell.broker.store.SegmentReader.Place;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The deduplication windows of one lane's partitions under one byte budget. What is not in memory
 * is read before whoever asks for it can append: the whole window where it fits, else an answer for
 * the keys that are asked for. Over budget, the window that was used longest ago is forgotten; that
 * costs a read later, never a wrong verdict.
 *
 * <p>The broker's own ids stand in no window. They carry their time and a mark (see {@link
 * IdMint}), so that a client's key which bears the mark is looked for in the segments of that time.
 * Used by the lane's thread.
 */
final class DedupWindows {
  private static final long MICROS_PER_MS = 1_000;

  private final Lane lane;
  private final long budgetBytes;
  private final Map<Partition, Long> byUse = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Partition, ArrayDeque<Waiter>> waiting = new HashMap<>();

  /** Windows that a work still needs, for as long as it waits for others. */
  private final Map<Work, Set<Partition>> pinned = new HashMap<>();

  private long bytes;

  private record Waiter(Work work, List<TransactionKey> keys) {}

  /** Where one of the broker's own ids is; -1 for nowhere. */
  private record Minted(TransactionKey key, long offset, long createdAtMicros) {}

  /**
   * What a read brought.
   *
   * @param whole the rows are all there are, else those that hold what was asked for
   */
  private record Reading(boolean whole, List<Hashes> rows, List<Minted> minted) {}

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
      var asked = new HashSet<>(keys);
      long since = since(partition);
      var keyPlace = partition.hashPlace();
      var place = partition.place();
      lane.reader.ask(
          connection -> read(connection, keyPlace, place, since, asked),
          reading -> loaded(partition, since, asked, reading));
    }
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

  private Reading read(
      Connection connection, Place keyPlace, Place place, long since, Set<TransactionKey> asked)
      throws SQLException {
    var keys = new KeyReader(connection);
    boolean whole = keys.count(keyPlace, since) * DedupWindow.ENTRY_BYTES <= budgetBytes / 2;
    var rows =
        whole
            ? new SegmentReader(connection).hashes(keyPlace, since)
            : keys.probe(keyPlace, since, asked.stream().map(DedupWindows::bytes).toList());
    var minted = new ArrayList<Minted>(0);
    for (var key : asked) {
      if (IdMint.isMinted(key)) {
        minted.add(find(keys, place, since, key));
      }
    }
    return new Reading(whole, rows, minted);
  }

  private static byte[] bytes(TransactionKey key) {
    return ByteBuffer.allocate(TransactionKey.BYTES).putLong(key.high()).putLong(key.low()).array();
  }

  private static Minted find(KeyReader keys, Place place, long since, TransactionKey key)
      throws SQLException {
    long ms = IdMint.epochMs(key);
    long from = ms * MICROS_PER_MS;
    if (from + MICROS_PER_MS > since) {
      for (var segment : keys.segmentsOf(place, from, from + MICROS_PER_MS)) {
        var frame = new Frames.Reader(segment.frames());
        for (long offset = segment.base(); frame.next(); offset++) {
          if (frame.transactionIsId() && TransactionKey.of(frame).equals(key)) {
            return new Minted(key, offset, segment.createdAtMicros());
          }
        }
      }
    }
    return new Minted(key, DedupWindow.ABSENT, 0);
  }

  private void loaded(Partition partition, long since, Set<TransactionKey> asked, Reading reading) {
    partition.windowLoading = false;
    if (reading.whole()) {
      var before = partition.window;
      partition.window = DedupWindow.wholeSince(since);
      reading
          .rows()
          .forEach(r -> partition.window.addAll(r.base(), r.createdAtMicros(), r.hashes()));
      if (before != null) {
        // What came while it was read, and what was asked for one by one.
        partition.window.takeOver(before);
      }
    } else {
      if (partition.window == null) {
        partition.window = DedupWindow.partial();
      }
      var probed = DedupWindow.wholeSince(since);
      reading.rows().forEach(r -> keep(asked, r, probed, partition.window));
      for (var key : asked) {
        if (!IdMint.isMinted(key) && probed.find(key, since) == DedupWindow.ABSENT) {
          partition.window.addAbsent(key, since);
        }
      }
    }
    for (var minted : reading.minted()) {
      if (minted.offset() >= 0) {
        partition.window.add(minted.key(), minted.offset(), minted.createdAtMicros());
      } else if (partition.window.find(minted.key(), since) == DedupWindow.UNREAD) {
        partition.window.addAbsent(minted.key(), since);
      }
    }
    used(partition);
    for (var waiter : waiting.remove(partition)) {
      lane.resume(waiter.work());
    }
  }

  /** Takes those keys of a row that were asked for. */
  private static void keep(
      Set<TransactionKey> asked, Hashes row, DedupWindow probed, DedupWindow window) {
    var bytes = ByteBuffer.wrap(row.hashes());
    for (long offset = row.base(); bytes.hasRemaining(); offset++) {
      var key = new TransactionKey(bytes.getLong(), bytes.getLong());
      if (asked.contains(key)) {
        probed.add(key, offset, row.createdAtMicros());
        window.add(key, offset, row.createdAtMicros());
      }
    }
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
