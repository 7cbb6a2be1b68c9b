package dev.queencell.loader.account;

import org.roaringbitmap.RoaringBitmap;

/**
 * A set of sequences from 0 that is filled more or less in order: everything up to a watermark, and
 * a compressed bitmap of runs for what lies above a gap. In order it takes no memory at all beyond
 * the object; above a gap that never closes, a few bytes per 65,536 sequences. Not thread-safe.
 */
final class SequenceSet {
  /** How many additions above the gap are made between two attempts to turn them into runs. */
  private static final int COMPRESS_EVERY = 1024;

  private long through = -1;
  private RoaringBitmap above;
  private int sinceCompressed;

  /** Adds a sequence; false when it was there. */
  boolean add(long sequence) {
    if (sequence == through + 1) {
      through = sequence;
      if (above != null) {
        absorb();
      }
      return true;
    }
    if (sequence <= through) {
      return false;
    }
    if (above == null) {
      above = new RoaringBitmap();
    }
    if (!above.checkedAdd((int) sequence)) {
      return false;
    }
    if (++sinceCompressed == COMPRESS_EVERY) {
      sinceCompressed = 0;
      above.runOptimize();
    }
    return true;
  }

  /** Moves the watermark over what follows it without a gap. */
  private void absorb() {
    if (!above.contains((int) (through + 1))) {
      return;
    }
    long absent = above.nextAbsentValue((int) (through + 1));
    above.remove(0, absent);
    through = absent - 1;
    if (above.isEmpty()) {
      above = null;
    }
  }

  boolean contains(long sequence) {
    return sequence <= through || (above != null && above.contains((int) sequence));
  }

  /** Whether it holds any sequence from {@code first} to {@code last}, both included. */
  boolean containsAny(long first, long last) {
    if (first > last) {
      return false;
    }
    if (first <= through) {
      return true;
    }
    if (above == null) {
      return false;
    }
    long next = above.nextValue((int) first);
    return next >= 0 && next <= last;
  }

  /** Whether nothing is missing up to the other one's end. */
  boolean coversWithoutGaps(SequenceSet other) {
    return other.above == null && other.through <= through;
  }

  /** Bytes that grow with what is in it. */
  long sizeBytes() {
    return above == null ? 0 : above.getLongSizeInBytes();
  }

  /** A copy in the form that sets are computed with. */
  RoaringBitmap toBitmap() {
    var copy = above == null ? new RoaringBitmap() : above.clone();
    if (through >= 0) {
      copy.add(0L, through + 1);
    }
    return copy;
  }
}
