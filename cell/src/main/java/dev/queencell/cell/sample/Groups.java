package dev.queencell.cell.sample;

import dev.queencell.cell.cgroup.Caps;
import dev.queencell.cell.cgroup.Cgroups;
import dev.queencell.cell.cgroup.GroupUsage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The control groups of a cell as the sampler reads them. */
interface Groups {
  /** The counters of a group; nothing while there is no such group. */
  Optional<Usage> usage(String group);

  /** The processes in the group itself. */
  List<Long> processes(String group);

  /** The caps in force on a group; none where it can't be read. */
  Caps caps(String group);

  /** A machine without groups. */
  Groups NONE =
      new Groups() {
        @Override
        public Optional<Usage> usage(String group) {
          return Optional.empty();
        }

        @Override
        public List<Long> processes(String group) {
          return List.of();
        }

        @Override
        public Caps caps(String group) {
          return Caps.NONE;
        }
      };

  /** Those of the kernel. */
  static Groups of(Cgroups cgroups) {
    return new Groups() {
      @Override
      public Optional<Usage> usage(String group) {
        var usage = cgroups.usage(group);
        return usage.cpuMicros().isPresent()
            ? Optional.of(translated(usage, cgroups.version()))
            : Optional.empty();
      }

      @Override
      public List<Long> processes(String group) {
        return cgroups.processes(group);
      }

      @Override
      public Caps caps(String group) {
        try {
          return cgroups.caps(group);
        } catch (IllegalStateException e) {
          return Caps.NONE;
        }
      }
    };
  }

  /** The columns of a record from what a group shows. */
  static Usage translated(GroupUsage usage, int version) {
    var counters = new HashMap<String, Long>();
    put(counters, Usage.CPU_MICROS, usage.cpuMicros());
    put(counters, Usage.THROTTLED_MICROS, usage.throttledMicros());
    put(counters, Usage.PERIODS, usage.periods());
    put(counters, Usage.THROTTLED_PERIODS, usage.throttledPeriods());
    // Version 1 does not bill buffered writes to the group that made them.
    if (version > 1) {
      put(counters, Usage.IO_READ_BYTES, usage.ioReadBytes());
      put(counters, Usage.IO_WRITE_BYTES, usage.ioWriteBytes());
    }
    copy(usage.pressureMicros(), "cpu", counters, Usage.CPU_PRESSURE_MICROS);
    copy(usage.pressureMicros(), "memory", counters, Usage.MEMORY_PRESSURE_MICROS);
    copy(usage.pressureMicros(), "io", counters, Usage.IO_PRESSURE_MICROS);
    var states = new HashMap<String, Long>();
    put(states, Usage.MEMORY_BYTES, usage.memoryBytes());
    put(states, Usage.MEMORY_PEAK_BYTES, usage.memoryPeakBytes());
    return new Usage("cgroup" + version, "group", counters, Map.of(), states);
  }

  private static void put(Map<String, Long> columns, String column, OptionalLong value) {
    value.ifPresent(number -> columns.put(column, number));
  }

  private static void copy(
      Map<String, Long> from, String key, Map<String, Long> columns, String column) {
    if (from.containsKey(key)) {
      columns.put(column, from.get(key));
    }
  }
}
