package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The kernel's control groups, by their names below the root of the hierarchy: version 2, or
 * version 1 with a hierarchy per controller and, beside it, a version 2 one that has the pressure
 * files. Times come out in microseconds from both. Stateless.
 */
final class ControlGroups {
  private static final long NANOS_PER_MICRO = 1000;

  /** What version 1 shows for "no limit": the largest number of pages, in bytes. */
  private static final long UNLIMITED_V1_BYTES = 1L << 62;

  private final Path root;
  private final boolean v2;

  ControlGroups(Path root) {
    this.root = root;
    this.v2 = Files.exists(root.resolve("cgroup.controllers"));
  }

  /** The counters of a group; nothing while there is no such group. */
  Optional<Usage> usage(String group) {
    return v2 ? usageV2(root.resolve(group)) : usageV1(group);
  }

  /** The processes in the group itself. */
  List<Long> processes(String group) {
    return lines((v2 ? root : controller("cpuacct")).resolve(group).resolve("cgroup.procs"))
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  /** The CPU cap in force, in CPUs; nothing without one. */
  OptionalDouble cpuCap(String group) {
    if (v2) {
      var parts = first(root.resolve(group).resolve("cpu.max")).split(" ", -1);
      return parts.length == 2 && !parts[0].equals("max")
          ? OptionalDouble.of(Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]))
          : OptionalDouble.empty();
    }
    var quota = number(controller("cpu").resolve(group).resolve("cpu.cfs_quota_us"));
    var period = number(controller("cpu").resolve(group).resolve("cpu.cfs_period_us"));
    return quota.isPresent() && period.isPresent() && quota.getAsLong() > 0
        ? OptionalDouble.of((double) quota.getAsLong() / period.getAsLong())
        : OptionalDouble.empty();
  }

  /** The memory cap in force; nothing without one. */
  OptionalLong memoryCapBytes(String group) {
    var limit =
        v2
            ? number(root.resolve(group).resolve("memory.max"))
            : number(controller("memory").resolve(group).resolve("memory.limit_in_bytes"));
    return limit.isPresent() && limit.getAsLong() < UNLIMITED_V1_BYTES
        ? limit
        : OptionalLong.empty();
  }

  private Optional<Usage> usageV2(Path folder) {
    var cpu = keyed(folder.resolve("cpu.stat"));
    if (!cpu.containsKey("usage_usec")) {
      return Optional.empty();
    }
    var counters = new HashMap<String, Long>();
    counters.put(Usage.CPU_MICROS, cpu.get("usage_usec"));
    copy(cpu, "throttled_usec", 1, counters, Usage.THROTTLED_MICROS);
    copy(cpu, "nr_periods", 1, counters, Usage.PERIODS);
    copy(cpu, "nr_throttled", 1, counters, Usage.THROTTLED_PERIODS);
    putPressure(folder, counters);
    putIo(lines(folder.resolve("io.stat")), counters);
    var states = new HashMap<String, Long>();
    put(folder.resolve("memory.current"), states, Usage.MEMORY_BYTES);
    put(folder.resolve("memory.peak"), states, Usage.MEMORY_PEAK_BYTES);
    return Optional.of(new Usage("cgroup2", generation(folder), counters, Map.of(), states));
  }

  private Optional<Usage> usageV1(String group) {
    var folder = controller("cpuacct").resolve(group);
    var nanos = number(folder.resolve("cpuacct.usage"));
    if (nanos.isEmpty()) {
      return Optional.empty();
    }
    var counters = new HashMap<String, Long>();
    counters.put(Usage.CPU_MICROS, nanos.getAsLong() / NANOS_PER_MICRO);
    var cpu = keyed(controller("cpu").resolve(group).resolve("cpu.stat"));
    copy(cpu, "throttled_time", NANOS_PER_MICRO, counters, Usage.THROTTLED_MICROS);
    copy(cpu, "nr_periods", 1, counters, Usage.PERIODS);
    copy(cpu, "nr_throttled", 1, counters, Usage.THROTTLED_PERIODS);
    putPressure(root.resolve("unified").resolve(group), counters);
    var memory = controller("memory").resolve(group);
    var states = new HashMap<String, Long>();
    put(memory.resolve("memory.usage_in_bytes"), states, Usage.MEMORY_BYTES);
    put(memory.resolve("memory.max_usage_in_bytes"), states, Usage.MEMORY_PEAK_BYTES);
    return Optional.of(new Usage("cgroup1", generation(folder), counters, Map.of(), states));
  }

  /** Distributions mount cpu and cpuacct together or apart, under either name. */
  private Path controller(String name) {
    var own = root.resolve(name);
    return Files.isDirectory(own) ? own : root.resolve("cpu,cpuacct");
  }

  private static void putPressure(Path folder, Map<String, Long> counters) {
    putPressure(folder.resolve("cpu.pressure"), counters, Usage.CPU_PRESSURE_MICROS);
    putPressure(folder.resolve("memory.pressure"), counters, Usage.MEMORY_PRESSURE_MICROS);
    putPressure(folder.resolve("io.pressure"), counters, Usage.IO_PRESSURE_MICROS);
  }

  private static void putPressure(Path file, Map<String, Long> counters, String column) {
    for (var line : lines(file)) {
      int total = line.indexOf("total=");
      if (line.startsWith("some ") && total > 0) {
        counters.put(column, Long.parseLong(line.substring(total + "total=".length())));
      }
    }
  }

  /** One line per device: {@code 8:0 rbytes=1 wbytes=2 …}. */
  private static void putIo(List<String> lines, Map<String, Long> counters) {
    for (var line : lines) {
      for (var word : line.split(" ", -1)) {
        if (word.startsWith("rbytes=")) {
          counters.merge(Usage.IO_READ_BYTES, Long.parseLong(word.substring(7)), Long::sum);
        } else if (word.startsWith("wbytes=")) {
          counters.merge(Usage.IO_WRITE_BYTES, Long.parseLong(word.substring(7)), Long::sum);
        }
      }
    }
  }

  /** A group that was removed and made again has another inode. */
  private static String generation(Path folder) {
    try {
      return String.valueOf(Files.getAttribute(folder, "unix:ino"));
    } catch (IOException e) {
      return "";
    }
  }

  private static void copy(
      Map<String, Long> from, String key, long divisor, Map<String, Long> to, String column) {
    if (from.containsKey(key)) {
      to.put(column, from.get(key) / divisor);
    }
  }

  private static void put(Path file, Map<String, Long> states, String column) {
    number(file).ifPresent(value -> states.put(column, value));
  }

  private static Map<String, Long> keyed(Path file) {
    var numbers = new HashMap<String, Long>();
    for (var line : lines(file)) {
      var parts = line.split(" ", -1);
      if (parts.length == 2) {
        numbers.put(parts[0], Long.parseLong(parts[1]));
      }
    }
    return numbers;
  }

  private static OptionalLong number(Path file) {
    try {
      return OptionalLong.of(Long.parseLong(first(file)));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static String first(Path file) {
    var lines = lines(file);
    return lines.isEmpty() ? "" : lines.getFirst();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
