package dev.queencell.broker.engine;

/**
 * The message time of one lane: microseconds since the epoch that never go back and never repeat.
 * Starts at the wall clock, or behind the newest time ever given out, and advances with the
 * monotonic clock: a jump of the wall clock changes nothing. Used by one thread.
 */
final class LaneClock {
  private final long baseMicros;
  private final long baseNanos;
  private long last;

  LaneClock(long wallMicros, long newestMicros, long nanoTime) {
    baseMicros = Math.max(wallMicros, newestMicros + 1);
    baseNanos = nanoTime;
    last = baseMicros - 1;
  }

  /** A time above every one before. */
  long stamp(long nanoTime) {
    last = Math.max(last + 1, baseMicros + (nanoTime - baseNanos) / 1_000);
    return last;
  }
}
