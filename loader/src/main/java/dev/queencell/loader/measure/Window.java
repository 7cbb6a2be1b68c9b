package dev.queencell.loader.measure;

/**
 * The steady window of a run, on the monotonic clock and on the wall clock: after the ramp, until
 * the load ends. The drain is outside. It can be cut short once, by an interruption.
 */
public final class Window {
  private final long runStartNanos;
  private final long runStartEpochMs;
  private final long startNanos;
  private volatile long endNanos;

  public Window(long runStartNanos, long runStartEpochMs, double rampSeconds, double seconds) {
    this.runStartNanos = runStartNanos;
    this.runStartEpochMs = runStartEpochMs;
    startNanos = runStartNanos + (long) (rampSeconds * 1e9);
    endNanos = runStartNanos + (long) (seconds * 1e9);
  }

  public boolean contains(long nanoTime) {
    return nanoTime - startNanos >= 0 && nanoTime - endNanos < 0;
  }

  /** Ends the window now where it would end later. */
  public void cut(long nanoTime) {
    if (nanoTime - endNanos < 0) {
      endNanos = Math.max(nanoTime, startNanos);
    }
  }

  public long runStartNanos() {
    return runStartNanos;
  }

  public long runStartEpochMs() {
    return runStartEpochMs;
  }

  public long startNanos() {
    return startNanos;
  }

  public long endNanos() {
    return endNanos;
  }

  public double seconds() {
    return (endNanos - startNanos) / 1e9;
  }

  public long startEpochMs() {
    return runStartEpochMs + (startNanos - runStartNanos) / 1_000_000;
  }

  public long endEpochMs() {
    return runStartEpochMs + (endNanos - runStartNanos) / 1_000_000;
  }
}
