package dev.queencell.cell.status;

import dev.queencell.cell.cgroup.Cgroups;
import dev.queencell.cell.cgroup.Detection;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Reads control groups by their name below the root of the hierarchy. */
interface GroupReader {
  /** The group as it is now; {@link GroupUse#NONE} for an empty name or a group that is gone. */
  GroupUse read(String name);

  /** The groups of this machine; everything reads as {@link GroupUse#NONE} where it has none. */
  static GroupReader ofKernel() {
    var cgroups = Detection.present();
    return name ->
        name.isEmpty() || cgroups.isEmpty() || !cgroups.get().exists(name)
            ? GroupUse.NONE
            : read(cgroups.get(), name);
  }

  private static GroupUse read(Cgroups cgroups, String name) {
    var caps = cgroups.caps(name);
    var usage = cgroups.usage(name);
    return new GroupUse(
        caps.cpus() > 0 ? OptionalDouble.of(caps.cpus()) : OptionalDouble.empty(),
        caps.memoryBytes() > 0 ? OptionalLong.of(caps.memoryBytes()) : OptionalLong.empty(),
        usage.cpuMicros(),
        usage.memoryBytes(),
        usage.memoryPeakBytes(),
        usage.periods().orElse(0),
        usage.throttledPeriods().orElse(0),
        usage.throttledMicros().orElse(0));
  }
}
