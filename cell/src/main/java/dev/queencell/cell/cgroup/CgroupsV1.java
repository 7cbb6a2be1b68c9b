package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Version 1: a cell is the same path in the hierarchy of every controller that is there, and a
 * process must be put into each. Where a version 2 hierarchy without controllers is mounted beside
 * them, the cell is made there too, since only that one tells pressure.
 *
 * <p>See the kernel's Documentation/admin-guide/cgroup-v1 and scheduler/sched-bwc.
 */
final class CgroupsV1 extends Cgroups {
  private static final long NANOS_PER_MICRO = 1_000;

  /** "No limit" reads back as the largest number of whole pages, in bytes. */
  private static final long NO_LIMIT_BYTES = 1L << 62;

  private static final String LIMIT = "memory.limit_in_bytes";
  private static final String LIMIT_WITH_SWAP = "memory.memsw.limit_in_bytes";

  private final Map<String, Path> controllers;
  private final Optional<Path> pressure;

  CgroupsV1(Kernel kernel, Map<String, Path> controllers, Optional<Path> pressure) {
    super(kernel);
    this.controllers = controllers;
    this.pressure = pressure;
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  List<Path> tops() {
    return Stream.concat(controllers.values().stream(), pressure.stream())
        .distinct()
        .sorted()
        .toList();
  }

  @Override
  void prepareTops() {}

  @Override
  void prepareCell(String cell) throws IOException {
    // Kernels before 5.11 count a parent's memory without its children unless told to.
    var hierarchical = folder("memory", cell).resolve("memory.use_hierarchy");
    if (ControlFile.firstLine(hierarchical).equals("0")) {
      kernel().write(hierarchical, "1");
    }
  }

  @Override
  void writeCaps(String cell, Caps caps) throws IOException {
    var cpu = folder("cpu", cell);
    kernel().write(cpu.resolve("cpu.cfs_period_us"), Long.toString(Caps.PERIOD_MICROS));
    kernel()
        .write(
            cpu.resolve("cpu.cfs_quota_us"),
            caps.hasCpus() ? Long.toString(caps.quotaMicros()) : "-1");
    var memory = folder("memory", cell);
    var limit = caps.hasMemory() ? Long.toString(caps.memoryBytes()) : "-1";
    var withSwap = memory.resolve(LIMIT_WITH_SWAP);
    if (!Files.exists(withSwap)) {
      kernel().write(memory.resolve(LIMIT), limit);
      return;
    }
    // Memory with swap may never be below memory: a higher cap raises that one first.
    var before = caps(cell);
    boolean isHigher =
        !caps.hasMemory() || (before.hasMemory() && caps.memoryBytes() > before.memoryBytes());
    for (var file : isHigher ? List.of(LIMIT_WITH_SWAP, LIMIT) : List.of(LIMIT, LIMIT_WITH_SWAP)) {
      kernel().write(memory.resolve(file), limit);
    }
  }

  @Override
  public Caps caps(String cell) {
    var cpu = folder("cpu", cell);
    // A group that a hierarchy does not have is not capped by it.
    long quota = ControlFile.number(cpu.resolve("cpu.cfs_quota_us")).orElse(-1);
    long period = ControlFile.number(cpu.resolve("cpu.cfs_period_us")).orElse(Caps.PERIOD_MICROS);
    long limit = ControlFile.number(folder("memory", cell).resolve(LIMIT)).orElse(NO_LIMIT_BYTES);
    return new Caps(Caps.cpusOf(quota, period), limit >= NO_LIMIT_BYTES ? 0 : limit);
  }

  @Override
  public GroupUsage usage(String group) {
    var cpu = ControlFile.keyed(folder("cpu", group).resolve("cpu.stat"));
    var memory = folder("memory", group);
    var io = io(group);
    return new GroupUsage(
        micros(ControlFile.number(folder("cpuacct", group).resolve("cpuacct.usage"))),
        micros(ControlFile.get(cpu, "throttled_time")),
        ControlFile.get(cpu, "nr_periods"),
        ControlFile.get(cpu, "nr_throttled"),
        ControlFile.number(memory.resolve("memory.usage_in_bytes")),
        ControlFile.number(memory.resolve("memory.max_usage_in_bytes")),
        oomKills(memory),
        ControlFile.get(io, "Read"),
        ControlFile.get(io, "Write"),
        pressureMicros(group));
  }

  @Override
  Path processFolder(String group) {
    return folder("cpu", group);
  }

  /** A kill counts in the group of the process only: a parent's are its children's too. */
  private static OptionalLong oomKills(Path memory) {
    try (var entries = Files.walk(memory)) {
      var counts =
          entries
              .filter(Files::isDirectory)
              .map(folder -> ControlFile.keyed(folder.resolve("memory.oom_control")))
              .filter(numbers -> numbers.containsKey("oom_kill"))
              .mapToLong(numbers -> numbers.get("oom_kill"))
              .toArray();
      return counts.length == 0
          ? OptionalLong.empty()
          : OptionalLong.of(java.util.Arrays.stream(counts).sum());
    } catch (IOException | java.io.UncheckedIOException e) {
      return OptionalLong.empty();
    }
  }

  /** Lines {@code 8:0 Read 4096}, a device and an operation each. */
  private Map<String, Long> io(String group) {
    var folder = controllers.get("blkio");
    if (folder == null) {
      return Map.of();
    }
    var totals = new java.util.HashMap<String, Long>();
    var file = folder.resolve(group).resolve("blkio.throttle.io_service_bytes_recursive");
    for (var line : ControlFile.lines(file)) {
      var words = line.split(" ", -1);
      if (words.length == 3) {
        totals.merge(words[1], Long.parseLong(words[2]), Long::sum);
      }
    }
    if (Files.exists(file)) {
      // Without a line nothing went to a device.
      totals.putIfAbsent("Read", 0L);
      totals.putIfAbsent("Write", 0L);
    }
    return totals;
  }

  /** A group that no process joined there says nothing about the cell. */
  private Map<String, Long> pressureMicros(String group) {
    return pressure
        .map(top -> top.resolve(group))
        .filter(
            folder ->
                ControlFile.get(ControlFile.keyed(folder.resolve("cgroup.events")), "populated")
                        .orElse(0)
                    == 1)
        .map(ControlFile::pressureMicros)
        .orElse(Map.of());
  }

  private Path folder(String controller, String group) {
    return controllers.get(controller).resolve(group);
  }

  private static OptionalLong micros(OptionalLong nanos) {
    return nanos.isEmpty() ? nanos : OptionalLong.of(nanos.getAsLong() / NANOS_PER_MICRO);
  }
}
