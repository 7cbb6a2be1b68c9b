package dev.queencell.cell.cgroup;

import java.util.Map;
import java.util.OptionalLong;

/**
 * What a group and those below it used since it was made, and what they hold now. Empty where the
 * kernel does not say.
 *
 * @param cpuMicros CPU time
 * @param throttledMicros time that runnable threads were held back by this group's own cap, summed
 *     over CPUs; a child of a capped group shows none
 * @param periods spans in which the cap was watched
 * @param throttledPeriods those of them that hit it
 * @param memoryBytes memory held, page cache included
 * @param memoryPeakBytes the most it was
 * @param oomKills processes that the kernel ended for want of memory
 * @param ioReadBytes read from devices
 * @param ioWriteBytes written to devices; version 1 does not see buffered writes
 * @param pressureMicros by {@code cpu}, {@code memory} and {@code io}: time in which some thread
 *     waited for it (PSI)
 */
public record GroupUsage(
    OptionalLong cpuMicros,
    OptionalLong throttledMicros,
    OptionalLong periods,
    OptionalLong throttledPeriods,
    OptionalLong memoryBytes,
    OptionalLong memoryPeakBytes,
    OptionalLong oomKills,
    OptionalLong ioReadBytes,
    OptionalLong ioWriteBytes,
    Map<String, Long> pressureMicros) {
  /** Makes the record's map its own. */
  public GroupUsage {
    pressureMicros = Map.copyOf(pressureMicros);
  }
}
