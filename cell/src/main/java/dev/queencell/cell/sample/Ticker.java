package dev.queencell.cell.sample;

/**
 * A fixed schedule on the monotonic clock: tick n is due at start + n × interval, however long the
 * work in between took. A tick whose whole interval has passed is skipped and counted, never made
 * up for in a burst.
 *
 * <p>Not thread-safe; one per sampling thread.
 */
final class Ticker {
  private final long startNanos;
  private final long intervalNanos;
  private long nextTick;
  private long skipped;

  Ticker(long startNanos, long intervalNanos) {
    this.startNanos = startNanos;
    this.intervalNanos = intervalNanos;
  }

  /** How long to wait for the next tick; 0 when it is due. */
  long waitNanos(long nowNanos) {
    return Math.max(0, startNanos + nextTick * intervalNanos - nowNanos);
  }

  /** Takes the tick that is due and steps to the one after it that is still ahead. */
  void take(long nowNanos) {
    long current = Math.max(nextTick, (nowNanos - startNanos) / intervalNanos);
    skipped += current - nextTick;
    nextTick = current + 1;
  }

  long skipped() {
    return skipped;
  }
}
