package dev.queencell.broker.store;

import java.util.List;

/**
 * Buckets of a table that are written in turn, one for a period each, and truncated when nothing in
 * them is wanted any more: rows that live about equally long share a ring, so that they go together
 * and for nothing, where deleting them would write each to the log once more. The number of slots
 * is fixed: without a free one the current slot is written for longer.
 *
 * <p>Bucket 0 belongs to no ring. It keeps what stays, and what lives too short or too unequally to
 * wait for its slot; single rows are deleted from it.
 */
public enum Ring {
  SEGMENTS_HOUR(Kind.SEGMENTS, 1, 6, 900),
  SEGMENTS_DAY(Kind.SEGMENTS, 7, 6, 21_600),
  SEGMENTS_WEEK(Kind.SEGMENTS, 13, 6, 151_200),
  HASHES_HOUR(Kind.HASHES, 1, 4, 1_800),
  HASHES_DAY(Kind.HASHES, 5, 4, 43_200),
  HASHES_WEEK(Kind.HASHES, 9, 4, 302_400);

  /** The bucket of rows that belong to no ring. */
  public static final short KEPT = 0;

  /** Dead segments may wait for their slot for this many times of their life, not longer. */
  private static final int WASTE_MAX = 2;

  /** Partitioned tables. */
  public enum Kind {
    SEGMENTS("segments"),
    HASHES("transaction_hashes");

    final String table;

    Kind(String table) {
      this.table = table;
    }

    /** What goes together. */
    List<String> tables() {
      return this == HASHES ? List.of(table, "transaction_keys") : List.of(table);
    }
  }

  private final Kind kind;
  private final short first;
  private final int slots;
  private final int periodSeconds;

  Ring(Kind kind, int first, int slots, int periodSeconds) {
    this.kind = kind;
    this.first = (short) first;
    this.slots = slots;
    this.periodSeconds = periodSeconds;
  }

  /** The ring for rows of a table that live this long, or null for bucket 0. */
  public static Ring of(Kind kind, long lifeSeconds) {
    for (var ring : values()) {
      if (ring.kind == kind && lifeSeconds <= ring.longestLifeSeconds()) {
        boolean waits = kind == Kind.HASHES || ring.periodSeconds <= WASTE_MAX * lifeSeconds;
        return waits ? ring : null;
      }
    }
    return null;
  }

  public Kind kind() {
    return kind;
  }

  public short firstBucket() {
    return first;
  }

  public short lastBucket() {
    return (short) (first + slots - 1);
  }

  /** How long a slot is written before the next one is. */
  public int periodSeconds() {
    return periodSeconds;
  }

  /** With one slot being written and one being emptied, the others are full for this long. */
  public long longestLifeSeconds() {
    return (slots - 2L) * periodSeconds;
  }
}
