package dev.queencell.loader.pace;

/**
 * One tenant whose lanes are unevenly busy: with {@code u} uniform in [0, 1), an event goes to lane
 * {@code n·u^exponent}. Exponent 1 is even; with 3 a tenth of the lanes takes almost half of the
 * events. The uniform number is a hash of the event's own.
 *
 * @param partitions all lanes
 * @param exponent how uneven, from 1
 */
public record Skew(int partitions, double exponent) implements Aim {
  private static final int FRACTION_BITS = 53;

  @Override
  public int tenant(long event) {
    return 0;
  }

  @Override
  public int partition(long event, long sinceStartNanos) {
    return (int) (partitions * Math.pow(uniform(event), exponent));
  }

  /** A number in [0, 1) that looks random and is the same for the same event. */
  public static double uniform(long event) {
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    long z = (event + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return ((z ^ z >>> 31) >>> (64 - FRACTION_BITS)) * 0x1.0p-53;
  }
}
