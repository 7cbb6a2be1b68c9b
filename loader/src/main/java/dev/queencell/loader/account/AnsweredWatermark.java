package dev.queencell.loader.account;

/**
 * The highest sequence up to which every push has been answered, while answers come in any order. A
 * ring of bits covers the sequences above it; it grows with what is in flight. Not thread-safe.
 */
final class AnsweredWatermark {
  private long[] ring = new long[1];
  private long through = -1;

  /** Every sequence up to this one has been answered; -1 when none has. */
  long through() {
    return through;
  }

  /** Notes the answer to a sequence above the watermark; each is answered once. */
  void answered(long sequence) {
    while (sequence - through > capacity()) {
      grow();
    }
    set(sequence);
    while (isSet(through + 1)) {
      through++;
      clear(through);
    }
  }

  private long capacity() {
    return ring.length * 64L;
  }

  private void grow() {
    var old = ring;
    long highest = through + capacity();
    ring = new long[old.length * 2];
    for (long s = through + 1; s <= highest; s++) {
      if ((old[word(s, old)] >>> s & 1) != 0) {
        set(s);
      }
    }
  }

  private static int word(long sequence, long[] bits) {
    return (int) (sequence >>> 6) & bits.length - 1;
  }

  private boolean isSet(long sequence) {
    return (ring[word(sequence, ring)] >>> sequence & 1) != 0;
  }

  private void set(long sequence) {
    ring[word(sequence, ring)] |= 1L << sequence;
  }

  private void clear(long sequence) {
    ring[word(sequence, ring)] &= ~(1L << sequence);
  }
}
