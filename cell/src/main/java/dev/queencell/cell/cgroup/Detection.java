package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether caps can be put on a cell here. Not by looking at permissions: a group is made, capped,
 * read back and removed, since read-only and half-delegated hierarchies show it only then.
 *
 * @param cgroups the way to them; empty when there is none
 * @param reason why, or why not, for people
 */
public record Detection(Optional<Cgroups> cgroups, String reason) {
  /** The mounts of this process. */
  public static final Path MOUNTS = Path.of("/proc/self/mounts");

  private static final List<String> NEEDED_V1 = List.of("cpu", "cpuacct", "memory");
  private static final Caps PROBE = new Caps(0.5, 64L << 20);

  /** Tries what this machine has. */
  public static Detection here() {
    return of(MOUNTS, Kernel.REAL, ProcessHandle.current().pid());
  }

  /** The hierarchies of this machine, tried or not: to read what others made. */
  public static Optional<Cgroups> present() {
    return present(Hierarchies.read(MOUNTS), Kernel.REAL);
  }

  static Detection of(Path mounts, Kernel kernel, long pid) {
    var hierarchies = Hierarchies.read(mounts);
    var found = present(hierarchies, kernel);
    if (found.isEmpty()) {
      return new Detection(Optional.empty(), whyNone(hierarchies));
    }
    var cgroups = found.get();
    var probe = "queencell-probe-" + pid;
    try {
      cgroups.create(probe, List.of("child"), PROBE);
      cgroups.cap(probe, Caps.NONE);
      cgroups.remove(probe);
    } catch (IllegalStateException e) {
      removeQuietly(cgroups, probe);
      return new Detection(
          Optional.empty(),
          "cgroup v%d is here, but can't be used: %s%s"
              .formatted(cgroups.version(), e.getMessage(), internalProcesses(hierarchies)));
    }
    return new Detection(
        found,
        "cgroup v%d is writable and a cap on CPU and memory reads back"
            .formatted(cgroups.version()));
  }

  private static void removeQuietly(Cgroups cgroups, String probe) {
    try {
      cgroups.remove(probe);
    } catch (IllegalStateException e) {
      // An empty group without a process harms nobody, and the first failure is the one to tell.
    }
  }

  private static Optional<Cgroups> present(Hierarchies hierarchies, Kernel kernel) {
    var v1 = hierarchies.v1();
    if (v1.keySet().containsAll(NEEDED_V1)) {
      return Optional.of(new CgroupsV1(kernel, v1, usablePressure(hierarchies.v2())));
    }
    return hierarchies
        .v2()
        .filter(top -> ControlFile.firstLine(top.resolve("cgroup.controllers")).contains("cpu"))
        .map(top -> new CgroupsV2(kernel, top));
  }

  /** Pressure is welcome, not needed: where groups can't be made it is left out. */
  private static Optional<Path> usablePressure(Optional<Path> v2) {
    return v2.filter(top -> Files.isWritable(top) && Files.exists(top.resolve("cpu.pressure")));
  }

  private static String whyNone(Hierarchies hierarchies) {
    Map<String, Path> v1 = hierarchies.v1();
    if (v1.isEmpty() && hierarchies.v2().isEmpty()) {
      return "no control groups are mounted";
    }
    var missing = NEEDED_V1.stream().filter(name -> !v1.containsKey(name)).toList();
    return hierarchies.v2().isPresent() && v1.isEmpty()
        ? "cgroup v2 is mounted without the cpu controller"
        : "cgroup v1 is mounted without " + String.join(" and ", missing);
  }

  /** The usual reason on version 2 inside of a container, which the kernel tells as "busy" only. */
  private static String internalProcesses(Hierarchies hierarchies) {
    if (!hierarchies.v1().isEmpty() || hierarchies.v2().isEmpty()) {
      return "";
    }
    var top = hierarchies.v2().get();
    try {
      boolean isRealRoot = !Files.exists(top.resolve("cgroup.type"));
      boolean hasProcesses = !Files.readAllLines(top.resolve("cgroup.procs")).isEmpty();
      return !isRealRoot && hasProcesses
          ? "; processes sit in %s itself, so it can't hand its controllers down".formatted(top)
          : "";
    } catch (IOException e) {
      return "";
    }
  }
}
