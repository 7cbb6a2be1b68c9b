package dev.queencell.broker.spool;

import java.util.Arrays;
import java.util.UUID;

/**
 * How many spooled records each partition has waiting, in a table of fixed size: partitions that
 * share a place are taken for one, which may send a push to the spool that need not have gone there
 * and never the other way round. Guarded by the spool's lock.
 */
final class PendingLanes {
  private static final int PLACES = 1 << 16;

  private final int[] counts = new int[PLACES];

  /** The place of a partition. */
  static int of(UUID tenant, String queue, String partition) {
    int hash = (tenant.hashCode() * 31 + queue.hashCode()) * 31 + partition.hashCode();
    return (hash ^ (hash >>> 16)) & (PLACES - 1);
  }

  void add(int lane) {
    counts[lane]++;
  }

  void remove(int lane) {
    counts[lane]--;
  }

  void clear() {
    Arrays.fill(counts, 0);
  }

  boolean has(int lane) {
    return counts[lane] > 0;
  }
}
