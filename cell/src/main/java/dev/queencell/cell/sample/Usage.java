package dev.queencell.cell.sample;

import java.util.Map;

/**
 * What a unit has used so far and holds now.
 *
 * @param source where the numbers come from: {@code cgroup1}, {@code cgroup2}, {@code proc}, or
 *     {@code sum} of the units
 * @param generation changes whenever the counters began again at 0
 * @param counters cumulative within one generation, by column of {@link SampleFile#USAGE}; what the
 *     source does not have is absent
 * @param increases since the last reading, where the kernel keeps no total
 * @param states what holds now
 */
record Usage(
    String source,
    String generation,
    Map<String, Long> counters,
    Map<String, Long> increases,
    Map<String, Long> states) {

  // Counters.
  static final String CPU_MICROS = "cpuMicros";

  /** Time that runnable threads were held back by the CPU cap, summed over CPUs. */
  static final String THROTTLED_MICROS = "throttledMicros";

  /** Enforcement periods of the CPU cap in which the unit ran. */
  static final String PERIODS = "periods";

  /** Those of the periods that hit the cap. */
  static final String THROTTLED_PERIODS = "throttledPeriods";

  /** Time in which some thread waited for a CPU, for memory, for IO (PSI). */
  static final String CPU_PRESSURE_MICROS = "cpuPressureMicros";

  static final String MEMORY_PRESSURE_MICROS = "memoryPressureMicros";
  static final String IO_PRESSURE_MICROS = "ioPressureMicros";
  static final String IO_READ_BYTES = "ioReadBytes";
  static final String IO_WRITE_BYTES = "ioWriteBytes";

  // States.
  static final String PROCESSES = "processes";
  static final String MEMORY_BYTES = "memoryBytes";

  /** The most since the group was made. */
  static final String MEMORY_PEAK_BYTES = "memoryPeakBytes";

  Usage {
    counters = Map.copyOf(counters);
    increases = Map.copyOf(increases);
    states = Map.copyOf(states);
  }
}
