package dev.queencell.broker.engine;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Segment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The messages that one partition gets in the commit being filled; consecutive pushes become one
 * segment. Used by one thread.
 */
final class OpenSegment {
  private static final int FIRST_BYTES = 512;

  final long base;
  private final Frames.Writer writer = new Frames.Writer(FIRST_BYTES);
  private final List<UUID> ids = new ArrayList<>(1);

  /** One per message, null where it is not to be kept; shorter when the last ones are null. */
  private final List<TransactionKey> keys = new ArrayList<>(0);

  OpenSegment(long base) {
    this.base = base;
  }

  /**
   * Adds a message.
   *
   * @param traceId null for none
   * @param key what deduplication must find it by later, or null
   */
  void add(UUID id, PushItem item, UUID traceId, TransactionKey key) {
    writer.add(
        id, item.transactionId(), traceId, item.producer(), item.payload(), item.delaySeconds());
    if (key != null) {
      while (keys.size() < ids.size()) {
        keys.add(null);
      }
      keys.add(key);
    }
    ids.add(id);
  }

  long next() {
    return base + ids.size();
  }

  /** The id of the message at an offset of this segment. */
  UUID idAt(long offset) {
    return ids.get((int) (offset - base));
  }

  Segment seal(long createdAtMicros) {
    return new Segment(base, ids.size(), createdAtMicros, writer.toBytes());
  }

  /** The keys in offset order, 16 bytes each and zero for none; null when none are kept. */
  byte[] keyBytes() {
    if (keys.isEmpty()) {
      return null;
    }
    var bytes = ByteBuffer.allocate(keys.size() * TransactionKey.BYTES);
    for (var key : keys) {
      bytes.putLong(key == null ? 0 : key.high()).putLong(key == null ? 0 : key.low());
    }
    return bytes.array();
  }
}
