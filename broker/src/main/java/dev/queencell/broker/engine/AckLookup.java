package dev.queencell.broker.engine;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Segment;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Where the messages of some transaction keys are, relative to a cursor, gathered from segments
 * that are scanned newest first.
 */
final class AckLookup {
  private final Set<TransactionKey> keys;
  private final long committed;
  private final Map<TransactionKey, Found> found = new HashMap<>();

  /**
   * What is known of a key.
   *
   * @param above the smallest offset above the cursor; -1 when there is none
   * @param atOrBelow it occurs at or below the cursor
   */
  record Found(long above, boolean atOrBelow) {}

  AckLookup(Set<TransactionKey> keys, long committed) {
    this.keys = keys;
    this.committed = committed;
  }

  void scan(Segment segment) {
    var frame = new Frames.Reader(segment.frames());
    for (long offset = segment.base(); frame.next(); offset++) {
      var key = TransactionKey.of(frame);
      if (keys.contains(key)) {
        var before = found.getOrDefault(key, new Found(-1, false));
        found.put(
            key,
            offset <= committed
                ? new Found(before.above(), true)
                : new Found(
                    before.above() < 0 ? offset : Math.min(before.above(), offset),
                    before.atOrBelow()));
      }
    }
  }

  /** Nothing below {@code below} could change the answer. */
  boolean isDone(long below) {
    return below <= committed + 1 && found.size() == keys.size();
  }

  Map<TransactionKey, Found> found() {
    return found;
  }
}
