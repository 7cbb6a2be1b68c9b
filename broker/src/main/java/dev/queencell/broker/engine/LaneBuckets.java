package dev.queencell.broker.engine;

import dev.queencell.broker.store.Ring;
import java.util.EnumMap;
import java.util.Map;

/** Which slot of each ring a lane writes to. Used by the lane's thread. */
final class LaneBuckets {
  private final Map<Ring, Current> slots = new EnumMap<>(Ring.class);

  /** A slot, and whether anything has gone to it. */
  private static final class Current {
    final short bucket;
    boolean written;

    Current(short bucket) {
      this.bucket = bucket;
    }
  }

  /** The bucket for a row that is about to be written; for no ring, the one that keeps. */
  short bucket(Ring ring) {
    if (ring == null) {
      return Ring.KEPT;
    }
    var current = slots.get(ring);
    current.written = true;
    return current.bucket;
  }

  /** From here on a ring is written elsewhere. */
  void moveOn(Ring ring, short bucket) {
    slots.put(ring, new Current(bucket));
  }

  /** Whether anything has gone to a ring since it moved on. */
  boolean isWritten(Ring ring) {
    return slots.get(ring).written;
  }
}
