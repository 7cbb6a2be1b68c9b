package dev.queencell.cell.sample;

import java.util.function.LongSupplier;

/**
 * The two clocks of a record: spans and the schedule go by the monotonic one, the wall clock is
 * written beside it so that a line can be found in a log. Thread-safe.
 */
final class Clock {
  private final LongSupplier nanos;
  private final LongSupplier epochMs;
  private final long startNanos;

  Clock(LongSupplier nanos, LongSupplier epochMs) {
    this.nanos = nanos;
    this.epochMs = epochMs;
    this.startNanos = nanos.getAsLong();
  }

  static Clock system() {
    return new Clock(System::nanoTime, System::currentTimeMillis);
  }

  long nanos() {
    return nanos.getAsLong();
  }

  long startNanos() {
    return startNanos;
  }

  Instant now() {
    return new Instant((nanos.getAsLong() - startNanos) / 1_000_000, epochMs.getAsLong());
  }

  /**
   * One instant by both clocks.
   *
   * @param monotonicMs since the sampler started
   * @param epochMs wall clock
   */
  record Instant(long monotonicMs, long epochMs) {}
}
