package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Version 2: one hierarchy. A controller works in a group when every group above it hands it down,
 * and a group that hands down may hold no processes itself: the cell's parent never does.
 *
 * <p>See the kernel's Documentation/admin-guide/cgroup-v2.
 */
final class CgroupsV2 extends Cgroups {
  /** Without these there is no cap. */
  static final List<String> NEEDED = List.of("cpu", "memory");

  /** Counted where the kernel offers them. */
  private static final List<String> WELCOME = List.of("io", "pids");

  private static final String MAX = "max";

  private final Path top;

  CgroupsV2(Kernel kernel, Path top) {
    super(kernel);
    this.top = top;
  }

  @Override
  public int version() {
    return 2;
  }

  @Override
  List<Path> tops() {
    return List.of(top);
  }

  @Override
  void prepareTops() throws IOException {
    handDown(top);
  }

  @Override
  void prepareCell(String cell) throws IOException {
    handDown(top.resolve(cell));
  }

  @Override
  void writeCaps(String cell, Caps caps) throws IOException {
    var folder = top.resolve(cell);
    var quota = caps.hasCpus() ? Long.toString(caps.quotaMicros()) : MAX;
    kernel().write(folder.resolve("cpu.max"), quota + " " + Caps.PERIOD_MICROS);
    kernel()
        .write(
            folder.resolve("memory.max"),
            caps.hasMemory() ? Long.toString(caps.memoryBytes()) : MAX);
    var swap = folder.resolve("memory.swap.max");
    if (Files.exists(swap)) {
      // A cell that swaps would look as if it fitted.
      kernel().write(swap, caps.hasMemory() ? "0" : MAX);
    }
  }

  @Override
  public Caps caps(String cell) {
    var folder = top.resolve(cell);
    // A group without a controller is not capped by it, and has no file of it.
    var cpu = ControlFile.firstLine(folder.resolve("cpu.max"));
    int blank = cpu.indexOf(' ');
    boolean hasCpus = blank > 0 && !cpu.startsWith(MAX);
    return new Caps(
        hasCpus
            ? Caps.cpusOf(
                Long.parseLong(cpu.substring(0, blank)), Long.parseLong(cpu.substring(blank + 1)))
            : 0,
        ControlFile.number(folder.resolve("memory.max")).orElse(0));
  }

  @Override
  public GroupUsage usage(String group) {
    var folder = top.resolve(group);
    var cpu = ControlFile.keyed(folder.resolve("cpu.stat"));
    var io = io(folder);
    return new GroupUsage(
        ControlFile.get(cpu, "usage_usec"),
        ControlFile.get(cpu, "throttled_usec"),
        ControlFile.get(cpu, "nr_periods"),
        ControlFile.get(cpu, "nr_throttled"),
        ControlFile.number(folder.resolve("memory.current")),
        ControlFile.number(folder.resolve("memory.peak")),
        ControlFile.get(ControlFile.keyed(folder.resolve("memory.events")), "oom_kill"),
        io.apply("rbytes="),
        io.apply("wbytes="),
        Map.copyOf(ControlFile.pressureMicros(folder)));
  }

  @Override
  Path processFolder(String group) {
    return top.resolve(group);
  }

  /** Lets a group's children have the controllers; those handed down already are left alone. */
  private void handDown(Path folder) throws IOException {
    var offered = words(folder.resolve("cgroup.controllers"));
    var handedDown = words(folder.resolve("cgroup.subtree_control"));
    var missing = NEEDED.stream().filter(name -> !handedDown.contains(name)).toList();
    for (var name : missing) {
      if (!offered.contains(name)) {
        throw new IOException("controller %s is not available in %s".formatted(name, folder));
      }
    }
    if (!missing.isEmpty()) {
      kernel().write(folder.resolve("cgroup.subtree_control"), plus(missing.stream()));
    }
    for (var name : WELCOME) {
      if (offered.contains(name) && !handedDown.contains(name)) {
        try {
          kernel().write(folder.resolve("cgroup.subtree_control"), plus(Stream.of(name)));
        } catch (IOException e) {
          // Then it is not counted; the caps hold without it.
        }
      }
    }
  }

  private static String plus(Stream<String> names) {
    return names.map(name -> "+" + name).collect(Collectors.joining(" "));
  }

  private static List<String> words(Path file) {
    return List.of(ControlFile.firstLine(file).split(" ", -1));
  }

  /** Lines {@code 8:0 rbytes=1 wbytes=2 …}, one a device; no line means that nothing went there. */
  private static Function<String, OptionalLong> io(Path folder) {
    var file = folder.resolve("io.stat");
    var lines = ControlFile.lines(file);
    return key ->
        Files.exists(file)
            ? OptionalLong.of(
                lines.stream()
                    .flatMap(line -> Stream.of(line.split(" ", -1)))
                    .filter(word -> word.startsWith(key))
                    .mapToLong(word -> Long.parseLong(word.substring(key.length())))
                    .sum())
            : OptionalLong.empty();
  }
}
