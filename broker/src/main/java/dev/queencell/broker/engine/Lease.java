package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PopResult.Run;
import dev.queencell.broker.store.Frames;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The span (cursor, {@link #end}] of a partition that one consumer holds until a deadline, with the
 * keys of its messages, so that an acknowledgement finds its offset without a read. The deadline is
 * monotonic: a jump of the wall clock neither ends a lease early nor holds it for ever.
 *
 * <p>A lease that was loaded from PostgreSQL has no keys until they are read back.
 */
final class Lease {
  /** From here on a map of first offsets is cheaper than scanning. */
  private static final int SCAN_MAX = 64;

  final UUID id;
  final long end;
  long deadlineNanos;
  Timers.Timer timer;

  /** It is in memory only, see {@link Leases}. */
  boolean unwritten;

  private long[] keys;
  private long[] offsets;
  private int count;
  private int hint;
  private Map<TransactionKey, Integer> firstIndex;

  Lease(UUID id, long end, long deadlineNanos) {
    this.id = id;
    this.end = end;
    this.deadlineNanos = deadlineNanos;
  }

  boolean hasKeys() {
    return keys != null;
  }

  /** Remembers the keys of the leased messages. */
  void index(List<Run> runs) {
    int total = 0;
    for (var run : runs) {
      total += run.count();
    }
    keys = new long[2 * total];
    offsets = new long[total];
    for (var run : runs) {
      var frame = new Frames.Reader(run.frames());
      frame.skip(run.skip());
      for (int i = 0; i < run.count(); i++) {
        frame.next();
        var key = TransactionKey.of(frame);
        keys[2 * count] = key.high();
        keys[2 * count + 1] = key.low();
        offsets[count++] = run.firstOffset() + i;
      }
    }
  }

  /** The smallest leased offset above {@code committed} with this key; -1 when there is none. */
  long find(TransactionKey key, long committed) {
    // Consumers acknowledge in order: the next one is most often where the last one ended. An equal
    // key further up front would be at or below the cursor by then, or found by the scan.
    if (count > SCAN_MAX) {
      return findIndexed(key, committed);
    }
    if (hint < count && matches(hint, key) && offsets[hint] == committed + 1) {
      return offsets[hint++];
    }
    return scan(key, committed, 0);
  }

  private long findIndexed(TransactionKey key, long committed) {
    if (firstIndex == null) {
      firstIndex = HashMap.newHashMap(count);
      for (int i = 0; i < count; i++) {
        firstIndex.putIfAbsent(new TransactionKey(keys[2 * i], keys[2 * i + 1]), i);
      }
    }
    var first = firstIndex.get(key);
    return first == null ? -1 : scan(key, committed, first);
  }

  private long scan(TransactionKey key, long committed, int from) {
    for (int i = from; i < count; i++) {
      if (offsets[i] > committed && matches(i, key)) {
        hint = i + 1;
        return offsets[i];
      }
    }
    return -1;
  }

  private boolean matches(int index, TransactionKey key) {
    return keys[2 * index] == key.high() && keys[2 * index + 1] == key.low();
  }
}
