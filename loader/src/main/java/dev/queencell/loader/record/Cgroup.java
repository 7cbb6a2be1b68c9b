package dev.queencell.loader.record;

import dev.queencell.service.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * The limits that the kernel puts on this process: the tightest of its control group and the groups
 * above it, in either version of the interface.
 *
 * @param cpuCores null when nothing limits it
 * @param memoryBytes null when nothing limits it
 */
record Cgroup(String path, Double cpuCores, Long memoryBytes) {
  private static final Path ROOT = Path.of("/sys/fs/cgroup");

  /** The first version writes "no limit" as a number near 2^63. */
  private static final long UNLIMITED_BYTES = 1L << 60;

  static Cgroup ofThisProcess() {
    try {
      return of(Files.readAllLines(Path.of("/proc/self/cgroup")), ROOT);
    } catch (IOException e) {
      return new Cgroup(null, null, null);
    }
  }

  /** Reads the limits of the process with these lines in its {@code /proc/PID/cgroup}. */
  static Cgroup of(List<String> lines, Path root) {
    String path = null;
    Double cpu = null;
    Long memory = null;
    for (var line : lines) {
      var parts = line.split(":", 3);
      if (parts.length < 3) {
        continue;
      }
      var controllers = List.of(parts[1].split(","));
      if (parts[1].isEmpty()) {
        path = path == null ? parts[2] : path;
        for (var group : upwards(root, parts[2])) {
          cpu = tighter(cpu, cpuMax(group.resolve("cpu.max")));
          memory = tighter(memory, number(group.resolve("memory.max")));
        }
      } else if (controllers.contains("cpu")) {
        path = parts[2];
        for (var group : upwards(root.resolve("cpu"), parts[2])) {
          cpu = tighter(cpu, cpuQuota(group));
        }
      } else if (controllers.contains("memory")) {
        for (var group : upwards(root.resolve("memory"), parts[2])) {
          memory = tighter(memory, number(group.resolve("memory.limit_in_bytes")));
        }
      }
    }
    return new Cgroup(path, cpu, memory);
  }

  private static List<Path> upwards(Path root, String path) {
    var groups = new ArrayList<Path>();
    var group = root.resolve(path.substring(Math.min(1, path.length()))).normalize();
    while (group != null && group.startsWith(root)) {
      groups.add(group);
      group = group.getParent();
    }
    return groups;
  }

  private static Double cpuMax(Path file) {
    var words = text(file).split(" ", -1);
    return words.length < 2 || words[0].equals("max")
        ? null
        : Double.valueOf(Double.parseDouble(words[0]) / Double.parseDouble(words[1]));
  }

  private static Double cpuQuota(Path group) {
    var quota = number(group.resolve("cpu.cfs_quota_us"));
    var period = number(group.resolve("cpu.cfs_period_us"));
    return quota == null || period == null || quota < 0 ? null : quota / (double) period;
  }

  private static Long number(Path file) {
    var text = text(file);
    if (!text.matches("-?\\d+")) {
      return null;
    }
    long value = Long.parseLong(text);
    return value >= UNLIMITED_BYTES ? null : value;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static <T extends Comparable<T>> T tighter(T one, T other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.compareTo(other) <= 0 ? one : other;
  }

  ObjectNode describe() {
    return Json.object()
        .put("path", path)
        .put("cpuCores", cpuCores)
        .put("memoryBytes", memoryBytes);
  }
}
