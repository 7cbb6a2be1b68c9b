package dev.queencell.broker.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What is known of the transaction keys that a partition got within its deduplication window, in
 * blocks by time so that what is too old goes a block at a time. A whole window knows every key
 * since an instant. Of one that is too large for memory the older keys stand in an index of the
 * database: it knows those that came since and those that were asked for. It never guesses: what it
 * does not know is {@link #UNREAD}. Used by the lane's thread.
 */
final class DedupWindow {
  static final long ABSENT = -1;
  static final long UNREAD = -2;

  /** Memory of an entry: key, value and their place in the map. */
  static final int ENTRY_BYTES = 112;

  private static final long BLOCK_MICROS = 60_000_000;

  /** Where a key was seen. */
  private record Seen(long offset, long createdAtMicros) {}

  private record Block(long startMicros, Map<TransactionKey, Seen> seen) {}

  private final ArrayDeque<Block> blocks = new ArrayDeque<>(1);

  /** Keys that were looked for and not found, each with the instant from which on. */
  private final Map<TransactionKey, Long> absent = new HashMap<>(0);

  private final boolean indexed;
  private long wholeSinceMicros;
  private long entries;

  private DedupWindow(long wholeSinceMicros, boolean indexed) {
    this.indexed = indexed;
    this.wholeSinceMicros = wholeSinceMicros;
  }

  /** The window of a partition that is new: there is nothing to know. */
  static DedupWindow ofNew() {
    return new DedupWindow(Long.MIN_VALUE, false);
  }

  /** A window that is about to be given every key since an instant. */
  static DedupWindow wholeSince(long micros) {
    return new DedupWindow(micros, false);
  }

  /** A window that is about to be given every key that is not in the index. */
  static DedupWindow indexed() {
    return new DedupWindow(Long.MAX_VALUE, true);
  }

  /** Whether what it does not know is in the index or nowhere. */
  boolean isIndexed() {
    return indexed;
  }

  long keys() {
    return entries;
  }

  /**
   * The offset of a message with this key created at or after {@code sinceMicros}; {@link #ABSENT}
   * when there is none, {@link #UNREAD} when that is not known.
   */
  long find(TransactionKey key, long sinceMicros) {
    for (var block : blocks) {
      var seen = block.seen().get(key);
      if (seen != null && seen.createdAtMicros() >= sinceMicros) {
        return seen.offset();
      }
    }
    // Ids of the broker's own are not among the stored keys.
    if (wholeSinceMicros <= sinceMicros && !IdMint.isMinted(key)) {
      return ABSENT;
    }
    var since = absent.get(key);
    return since != null && since <= sinceMicros ? ABSENT : UNREAD;
  }

  void add(TransactionKey key, long offset, long createdAtMicros) {
    absent.remove(key);
    var newest = blocks.peekLast();
    if (newest == null || createdAtMicros - newest.startMicros() >= BLOCK_MICROS) {
      newest = new Block(createdAtMicros, new HashMap<>());
      blocks.add(newest);
    }
    var seen = new Seen(offset, createdAtMicros);
    var before = newest.seen().put(key, seen);
    if (before == null) {
      entries++;
    } else if (before.offset() > offset) {
      // What is read may be older than what is known.
      newest.seen().put(key, before);
    }
  }

  /** A key was looked for among all that came since an instant, and is not there. */
  void addAbsent(TransactionKey key, long sinceMicros) {
    absent.put(key, sinceMicros);
  }

  void addAll(long base, long createdAtMicros, byte[] hashes) {
    var bytes = ByteBuffer.wrap(hashes);
    for (long offset = base; bytes.hasRemaining(); offset++) {
      long high = bytes.getLong();
      long low = bytes.getLong();
      if ((high | low) != 0) {
        add(new TransactionKey(high, low), offset, createdAtMicros);
      }
    }
  }

  /** Takes over what another window of the same partition knows of offsets from one on. */
  void takeOver(DedupWindow other, long fromOffset) {
    for (var block : other.blocks) {
      block
          .seen()
          .forEach(
              (key, seen) -> {
                if (seen.offset() >= fromOffset) {
                  add(key, seen.offset(), seen.createdAtMicros());
                }
              });
    }
    absent.putAll(other.absent);
  }

  /** Forgets the blocks that hold nothing young enough. */
  void expire(long sinceMicros) {
    while (blocks.size() > 1 && blocks.peekFirst().startMicros() + BLOCK_MICROS < sinceMicros) {
      entries -= blocks.remove().seen().size();
      wholeSinceMicros = Math.max(wholeSinceMicros, sinceMicros);
    }
  }

  long bytes() {
    return (entries + absent.size()) * ENTRY_BYTES;
  }
}
