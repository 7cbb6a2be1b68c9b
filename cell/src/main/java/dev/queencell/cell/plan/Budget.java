package dev.queencell.cell.plan;

/**
 * What a cell may use, all processes together.
 *
 * @param cpus CPUs to size for, fractions allowed
 * @param memoryBytes memory to size for
 * @param cpuCapped whether a cap on CPU is meant to be in force
 * @param memoryCapped whether a cap on memory is meant to be in force
 */
public record Budget(double cpus, long memoryBytes, boolean cpuCapped, boolean memoryCapped) {
  /** The smallest cell whose five processes fit. */
  public static final double CPUS_MIN = 0.5;

  public static final double MEMORY_GIB_MIN = 1;
  public static final double CPUS_MAX = 1024;
  public static final double MEMORY_GIB_MAX = 4096;

  static final long MIB = 1L << 20;
  static final long GIB = 1L << 30;

  /**
   * Without a cap a cell is a guest beside the load generator and others, not the machine's owner.
   */
  private static final double UNCAPPED_CPUS_MAX = 16;

  private static final long UNCAPPED_MEMORY_MAX = 32 * GIB;

  /**
   * What the machine has.
   *
   * @param cpus CPUs online
   * @param memoryBytes physical memory
   */
  public record Host(int cpus, long memoryBytes) {}

  /**
   * Reads what the user asked for. A cap above what the machine has is sized for the machine.
   *
   * @param cpus CPUs, fractions allowed; 0 means no cap
   * @param memoryGib GiB, fractions allowed; 0 means no cap
   * @throws IllegalArgumentException outside of the limits above
   */
  public static Budget of(double cpus, double memoryGib, Host host) {
    requireInside("--cpus", cpus, CPUS_MIN, CPUS_MAX, "CPUs");
    requireInside("--mem", memoryGib, MEMORY_GIB_MIN, MEMORY_GIB_MAX, "GiB");
    double sizedCpus =
        cpus == 0 ? Math.min(host.cpus(), UNCAPPED_CPUS_MAX) : Math.min(cpus, host.cpus());
    long sizedMemory =
        memoryGib == 0
            ? Math.min(host.memoryBytes() / 2, UNCAPPED_MEMORY_MAX)
            : Math.min(Math.round(memoryGib * GIB), host.memoryBytes());
    // A machine smaller than the smallest cell: try it with that, the parts are ceilings.
    sizedMemory = Math.max(sizedMemory, Math.round(MEMORY_GIB_MIN * GIB));
    return new Budget(
        Math.max(sizedCpus, CPUS_MIN), sizedMemory / MIB * MIB, cpus != 0, memoryGib != 0);
  }

  /** CPUs as a whole number of processors, for what can only count them. */
  int processors() {
    return (int) Math.ceil(cpus);
  }

  /** The share of the memory, within limits, in whole MiB. */
  long share(double fraction, long minBytes, long maxBytes) {
    return Math.clamp((long) (memoryBytes * fraction) / MIB * MIB, minBytes, maxBytes);
  }

  /**
   * A size that starts at {@code atMinimumBytes} for the smallest cell and takes the fraction of
   * whatever memory there is beyond that one.
   */
  long growing(long atMinimumBytes, double fraction, long maxBytes) {
    double beyond = memoryBytes - MEMORY_GIB_MIN * GIB;
    return Math.min(atMinimumBytes + (long) (beyond * fraction) / MIB * MIB, maxBytes);
  }

  private static void requireInside(
      String option, double value, double min, double max, String unit) {
    if (value != 0 && !(value >= min && value <= max)) {
      throw new IllegalArgumentException(
          "%s is %s; it takes %s to %s %s, fractions allowed, or 0 for no cap"
              .formatted(option, text(value), text(min), text(max), unit));
    }
  }

  /** A number without the zeros that nobody wrote: {@code 1}, {@code 0.5}. */
  static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e9
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
