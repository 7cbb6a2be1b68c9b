package dev.queencell.cell.cgroup;

import dev.queencell.cell.process.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * Control groups in a temporary folder, with the rules of the kernel that the code depends on: a
 * new group is full of control files, "no limit" has its own spelling, memory with swap is never
 * below memory, a version 2 group offers what its parent hands down and hands nothing down while it
 * holds processes, and a group with processes or children can't be removed.
 */
final class FakeKernel implements Kernel {
  static final String NO_LIMIT_V1 = "9223372036854771712";

  private final Path root;
  private final boolean withSwap;

  FakeKernel(Path root, boolean withSwap) {
    this.root = root;
    this.withSwap = withSwap;
  }

  /** Mounts version 1 hierarchies, each named after its controllers, like {@code cpu,cpuacct}. */
  Path mountV1(String... hierarchies) throws IOException {
    var mounts = new StringBuilder("tmpfs / tmpfs rw 0 0\n");
    for (var hierarchy : hierarchies) {
      var top = Files.createDirectory(root.resolve(hierarchy));
      fill(top);
      mounts.append("cgroup %s cgroup rw,relatime,%s 0 0\n".formatted(top, hierarchy));
    }
    return Files.writeString(root.resolve("mounts"), mounts);
  }

  /** Mounts version 2, as the machine's own root or as a container sees its part. */
  Path mountV2(String controllers, boolean isContainer) throws IOException {
    var top = Files.createDirectory(root.resolve("v2"));
    fillV2(top, controllers);
    if (!isContainer) {
      Files.delete(top.resolve("cgroup.type"));
    }
    return Files.writeString(
        root.resolve("mounts"), "cgroup2 %s cgroup2 rw,nsdelegate 0 0\n".formatted(top));
  }

  @Override
  public void makeGroup(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectory(folder);
      fill(folder);
    }
  }

  @Override
  public void removeGroup(Path folder) throws IOException {
    try (var entries = Files.list(folder)) {
      boolean isBusy = entries.anyMatch(Files::isDirectory);
      if (isBusy || !Files.readString(folder.resolve("cgroup.procs")).isBlank()) {
        throw new IOException("Device or resource busy");
      }
    }
    Trees.delete(folder);
  }

  @Override
  public void write(Path file, String line) throws IOException {
    if (!Files.exists(file)) {
      throw new java.nio.file.NoSuchFileException(file.toString());
    }
    var folder = file.getParent();
    switch (file.getFileName().toString()) {
      case "cgroup.procs" -> Files.writeString(file, Files.readString(file) + line + "\n");
      case "cgroup.subtree_control" -> handDown(folder, line);
      case "memory.limit_in_bytes", "memory.memsw.limit_in_bytes" -> {
        Files.writeString(file, line.equals("-1") ? NO_LIMIT_V1 : line);
        var swap = folder.resolve("memory.memsw.limit_in_bytes");
        if (Files.exists(swap) && number(folder.resolve("memory.limit_in_bytes")) > number(swap)) {
          throw new IOException("Invalid argument");
        }
      }
      default -> Files.writeString(file, line + "\n");
    }
  }

  static void set(Path file, String text) throws IOException {
    Files.writeString(file, text);
  }

  private void handDown(Path folder, String line) throws IOException {
    boolean isRoot = !Files.exists(folder.resolve("cgroup.type"));
    if (!isRoot && !Files.readString(folder.resolve("cgroup.procs")).isBlank()) {
      throw new IOException("Device or resource busy");
    }
    var file = folder.resolve("cgroup.subtree_control");
    var names = new TreeSet<>(Arrays.asList(Files.readString(file).strip().split(" ", -1)));
    names.remove("");
    for (var word : line.split(" ", -1)) {
      if (!Files.readString(folder.resolve("cgroup.controllers")).contains(word.substring(1))) {
        throw new IOException("No such file or directory");
      }
      names.add(word.substring(1));
    }
    Files.writeString(file, String.join(" ", names) + "\n");
  }

  private void fill(Path folder) throws IOException {
    var hierarchy = root.relativize(folder).getName(0).toString();
    if (hierarchy.equals("v2")) {
      var parent = folder.getParent().resolve("cgroup.subtree_control");
      fillV2(folder, Files.readString(parent).strip());
      return;
    }
    set(folder.resolve("cgroup.procs"), "");
    for (var controller : hierarchy.split(",", -1)) {
      for (var file : filesV1(controller)) {
        int colon = file.indexOf('=');
        set(folder.resolve(file.substring(0, colon)), file.substring(colon + 1) + "\n");
      }
    }
  }

  private List<String> filesV1(String controller) {
    return switch (controller) {
      case "cpu" ->
          List.of(
              "cpu.cfs_period_us=100000",
              "cpu.cfs_quota_us=-1",
              "cpu.stat=nr_periods 0\nnr_throttled 0\nthrottled_time 0");
      case "cpuacct" -> List.of("cpuacct.usage=0");
      case "memory" ->
          withSwap
              ? List.of(
                  "memory.limit_in_bytes=" + NO_LIMIT_V1,
                  "memory.memsw.limit_in_bytes=" + NO_LIMIT_V1,
                  "memory.use_hierarchy=0",
                  "memory.oom_control=oom_kill_disable 0\nunder_oom 0\noom_kill 0",
                  "memory.usage_in_bytes=0",
                  "memory.max_usage_in_bytes=0")
              : List.of(
                  "memory.limit_in_bytes=" + NO_LIMIT_V1,
                  "memory.oom_control=oom_kill_disable 0\nunder_oom 0\noom_kill 0",
                  "memory.usage_in_bytes=0",
                  "memory.max_usage_in_bytes=0");
      case "blkio" -> List.of("blkio.throttle.io_service_bytes_recursive=Total 0");
      default -> List.of();
    };
  }

  private static void fillV2(Path folder, String controllers) throws IOException {
    set(folder.resolve("cgroup.type"), "domain\n");
    set(folder.resolve("cgroup.procs"), "");
    set(folder.resolve("cgroup.controllers"), controllers + "\n");
    set(folder.resolve("cgroup.subtree_control"), "\n");
    set(folder.resolve("cpu.stat"), "usage_usec 0\n");
    if (controllers.contains("cpu")) {
      set(folder.resolve("cpu.max"), "max 100000\n");
    }
    if (controllers.contains("memory")) {
      set(folder.resolve("memory.max"), "max\n");
      set(folder.resolve("memory.swap.max"), "max\n");
    }
  }

  private static long number(Path file) throws IOException {
    return Long.parseLong(Files.readString(file).strip());
  }
}
