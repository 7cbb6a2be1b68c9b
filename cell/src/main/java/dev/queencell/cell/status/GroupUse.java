package dev.queencell.cell.status;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A control group as the kernel shows it; what it does not show is empty (systemd on version 1
 * keeps no account of processor time).
 *
 * @param cpuCapCores the quota in CPUs; empty when there is none
 * @param memoryCapBytes empty when there is none
 * @param cpuMicros processor time used so far
 * @param memoryBytes charged now
 * @param memoryPeakBytes the most so far
 * @param periods quota periods so far
 * @param throttledPeriods of those, in which the quota bit
 * @param throttledMicros time that was waited for, summed over CPUs
 */
record GroupUse(
    OptionalDouble cpuCapCores,
    OptionalLong memoryCapBytes,
    OptionalLong cpuMicros,
    OptionalLong memoryBytes,
    OptionalLong memoryPeakBytes,
    long periods,
    long throttledPeriods,
    long throttledMicros) {

  /** What a cell without groups has. */
  static final GroupUse NONE =
      new GroupUse(
          OptionalDouble.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          0,
          0,
          0);
}
