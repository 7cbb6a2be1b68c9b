package dev.queencell.cell.cgroup;

/**
 * What a group may use at most.
 *
 * @param cpus CPUs, fractions allowed; 0 means no cap
 * @param memoryBytes memory with its page cache; 0 means no cap
 */
public record Caps(double cpus, long memoryBytes) {
  /** No cap at all. */
  public static final Caps NONE = new Caps(0, 0);

  /** The span over which the kernel enforces a CPU cap; its own default. */
  static final long PERIOD_MICROS = 100_000;

  /** The kernel refuses less. */
  private static final long QUOTA_MICROS_MIN = 1_000;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException for a negative number or one that is none
   */
  public Caps {
    if (!(cpus >= 0 && cpus <= 1e6) || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "caps are %s CPUs and %d bytes; they take numbers from 0 (no cap)"
              .formatted(cpus, memoryBytes));
    }
  }

  /** CPU time per {@link #PERIOD_MICROS}; only for a capped group. */
  long quotaMicros() {
    return Math.max(QUOTA_MICROS_MIN, Math.round(cpus * PERIOD_MICROS));
  }

  boolean hasCpus() {
    return cpus > 0;
  }

  boolean hasMemory() {
    return memoryBytes > 0;
  }

  static double cpusOf(long quotaMicros, long periodMicros) {
    return quotaMicros <= 0 ? 0 : (double) quotaMicros / periodMicros;
  }
}
