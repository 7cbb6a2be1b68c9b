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
  final long base;
  private final List<UUID> ids = new ArrayList<>(1);

  /**
   * Framed only when the segment is sealed: then their size is known, and nothing is copied twice.
   */
  private final List<PushItem> items = new ArrayList<>(1);

  /** One per message, null where it has none; shorter when the last ones have none. */
  private final List<UUID> traceIds = new ArrayList<>(0);

  private int framesBytes;

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
    framesBytes +=
        Frames.sizeBytes(
            item.transactionId(), traceId, item.producer(), item.payload(), item.delaySeconds());
    if (key != null) {
      addAt(ids.size(), keys, key);
    }
    if (traceId != null) {
      addAt(ids.size(), traceIds, traceId);
    }
    items.add(item);
    ids.add(id);
  }

  private static <T> void addAt(int index, List<T> list, T value) {
    while (list.size() < index) {
      list.add(null);
    }
    list.add(value);
  }

  long next() {
    return base + ids.size();
  }

  /** The id of the message at an offset of this segment. */
  UUID idAt(long offset) {
    return ids.get((int) (offset - base));
  }

  Segment seal(long createdAtMicros) {
    var writer = new Frames.Writer(framesBytes);
    for (int i = 0; i < items.size(); i++) {
      var item = items.get(i);
      writer.add(
          ids.get(i),
          item.transactionId(),
          i < traceIds.size() ? traceIds.get(i) : null,
          item.producer(),
          item.payload(),
          item.delaySeconds());
    }
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
