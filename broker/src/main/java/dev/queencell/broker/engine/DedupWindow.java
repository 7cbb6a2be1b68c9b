package dev.queencell.broker.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The transaction keys that one partition got within its window: exact, by key and age. Kept in
 * blocks by time, so that old keys leave a block at a time while every answer still checks the age
 * of the entry itself. Used by one thread.
 */
final class DedupWindow {
  /** Memory of an entry: key, value and their place in the map. */
  static final int ENTRY_BYTES = 112;

  private static final long BLOCK_MICROS = 60_000_000;

  /** Where a key was seen. */
  private record Seen(long offset, long createdAtMicros) {}

  private record Block(long startMicros, Map<TransactionKey, Seen> seen) {}

  private final ArrayDeque<Block> blocks = new ArrayDeque<>();
  private long entries;

  /** The offset of a message with this key created at or after {@code sinceMicros}; -1 for none. */
  long find(TransactionKey key, long sinceMicros) {
    for (var block : blocks) {
      var seen = block.seen().get(key);
      if (seen != null && seen.createdAtMicros() >= sinceMicros) {
        return seen.offset();
      }
    }
    return -1;
  }

  void add(TransactionKey key, long offset, long createdAtMicros) {
    var newest = blocks.peekLast();
    if (newest == null || createdAtMicros - newest.startMicros() >= BLOCK_MICROS) {
      newest = new Block(createdAtMicros, new HashMap<>());
      blocks.add(newest);
    }
    if (newest.seen().put(key, new Seen(offset, createdAtMicros)) == null) {
      entries++;
    }
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

  /** Forgets the blocks that hold nothing young enough. */
  void expire(long sinceMicros) {
    while (blocks.size() > 1 && blocks.peekFirst().startMicros() + BLOCK_MICROS < sinceMicros) {
      entries -= blocks.remove().seen().size();
    }
  }

  long bytes() {
    return entries * ENTRY_BYTES;
  }
}
