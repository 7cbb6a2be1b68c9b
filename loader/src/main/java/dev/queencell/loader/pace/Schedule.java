package dev.queencell.loader.pace;

/**
 * The instants at which events are due, fixed before the run: evenly spaced at the full rate, after
 * a ramp in which the rate grows linearly from zero. A pure function of its numbers.
 *
 * <p>With rate {@code r} and ramp {@code R}, {@code r·t²/2R} events are due by {@code t ≤ R} and
 * {@code r·(t − R/2)} by {@code t > R}; instants are the inverse.
 *
 * @param perSecond events per second after the ramp, &gt; 0
 * @param rampSeconds length of the ramp, 0 for none
 * @param durationSeconds length of the whole schedule, the ramp included
 */
public record Schedule(double perSecond, double rampSeconds, double durationSeconds) {
  private static final double NANOS_PER_SECOND = 1e9;

  public Schedule {
    if (!(perSecond > 0) || rampSeconds < 0 || !(durationSeconds > rampSeconds)) {
      throw new IllegalArgumentException(
          "a schedule needs a rate > 0 and a ramp that ends before it does, got %s/s, %s s of %s s"
              .formatted(perSecond, rampSeconds, durationSeconds));
    }
  }

  /** How many events it holds. */
  public long count() {
    long count = Math.max(0, (long) (perSecond * (durationSeconds - rampSeconds / 2)) - 1);
    while (instantNanos(count) < durationSeconds * NANOS_PER_SECOND) {
      count++;
    }
    return count;
  }

  /** When event {@code k} (from 0) is due, in ns from the schedule's start. Never decreases. */
  public long instantNanos(long k) {
    double inRamp = perSecond * rampSeconds / 2;
    double seconds =
        k < inRamp ? Math.sqrt(2 * rampSeconds * k / perSecond) : k / perSecond + rampSeconds / 2;
    return (long) (seconds * NANOS_PER_SECOND);
  }
}
