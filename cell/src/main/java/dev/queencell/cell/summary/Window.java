package dev.queencell.cell.summary;

import dev.queencell.cell.sample.Sample;
import java.util.List;

/**
 * The span of a run that its numbers come from, on the sampler's monotonic clock.
 *
 * @param startMs inclusive
 * @param endMs exclusive
 */
record Window(long startMs, long endMs) {
  private static final double MS_PER_SECOND = 1000.0;

  /** How much of one counter fell into a window. */
  record Total(double amount, double coveredMs) {
    /** Per second of the time that samples cover; NaN when they cover none. */
    double perSecond() {
      return amount / coveredMs * MS_PER_SECOND;
    }

    boolean isKnown() {
      return coveredMs > 0;
    }
  }

  /**
   * The window that a loader names by the wall clock. Its start is found on the sampler's monotonic
   * clock through the sample whose wall clock is nearest; its length comes from the loader's own
   * monotonic clock, so that a step of the wall clock in the middle of it changes nothing.
   */
  static Window at(List<Sample> samples, long startEpochMs, double seconds) {
    var nearest = samples.getFirst();
    for (var sample : samples) {
      if (Math.abs(sample.epochMs() - startEpochMs) < Math.abs(nearest.epochMs() - startEpochMs)) {
        nearest = sample;
      }
    }
    long startMs = nearest.monotonicMs() + startEpochMs - nearest.epochMs();
    return new Window(startMs, startMs + Math.round(seconds * MS_PER_SECOND));
  }

  /** All that was sampled. */
  static Window whole(List<Sample> samples) {
    return new Window(samples.getFirst().monotonicMs(), samples.getLast().monotonicMs());
  }

  double seconds() {
    return (endMs - startMs) / MS_PER_SECOND;
  }

  boolean contains(long monotonicMs) {
    return monotonicMs >= startMs && monotonicMs < endMs;
  }

  /**
   * The increases of a counter inside the window. A sample whose span crosses the window's edge
   * gives the part of its increase that its time inside has; a span that covers seconds in which no
   * sample was taken counts whole.
   */
  Total total(List<Sample> samples, String column) {
    double amount = 0;
    double coveredMs = 0;
    for (var sample : samples) {
      long value = sample.value(column);
      double insideMs = insideMs(sample);
      if (value != Sample.UNKNOWN && insideMs > 0) {
        amount += value * insideMs / sample.spanMs();
        coveredMs += insideMs;
      }
    }
    return new Total(amount, coveredMs);
  }

  /** The largest value of a state inside the window; {@link Sample#UNKNOWN} when none is known. */
  long max(List<Sample> samples, String column) {
    return samples.stream()
        .filter(sample -> contains(sample.monotonicMs()))
        .mapToLong(sample -> sample.value(column))
        .max()
        .orElse(Sample.UNKNOWN);
  }

  private double insideMs(Sample sample) {
    long from = sample.monotonicMs() - sample.spanMs();
    return Math.max(0, Math.min(sample.monotonicMs(), endMs) - (double) Math.max(from, startMs));
  }
}
