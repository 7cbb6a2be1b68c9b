package dev.queencell.cell.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The processes of this machine at one instant, as {@code /proc} shows them. Where there is no
 * cgroup per process, a unit is a process and all its descendants.
 *
 * <p>CPU time counts exited children too, once their parent has waited for them, so that the sum
 * over a tree does not go down when PostgreSQL ends a backend. Immutable.
 */
final class ProcFs {
  /** The unit of times in {@code /proc/PID/stat}: 100 a second on every Linux that runs a JVM. */
  private static final long MICROS_PER_TICK = 10_000;

  /** Fields of {@code /proc/PID/stat} after the command's name, counted from 0. */
  private static final int PARENT = 1;

  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;
  private static final int CHILDREN_USER_TICKS = 13;
  private static final int CHILDREN_SYSTEM_TICKS = 14;
  private static final int START_TICKS = 19;

  private final Path root;
  private final Map<Long, Entry> processes;
  private final Map<Long, List<Long>> children;

  private record Entry(long parent, long cpuMicros, long startTicks) {}

  private ProcFs(Path root, Map<Long, Entry> processes) {
    this.root = root;
    this.processes = processes;
    this.children = new HashMap<>();
    processes.forEach(
        (pid, process) ->
            children.computeIfAbsent(process.parent(), parent -> new ArrayList<>()).add(pid));
  }

  /** Reads the state of now. A process that ends meanwhile is left out. */
  static ProcFs read(Path root) {
    var processes = new HashMap<Long, Entry>();
    try (var entries = Files.newDirectoryStream(root, "[0-9]*")) {
      for (var entry : entries) {
        var process = process(entry.resolve("stat"));
        if (process != null) {
          processes.put(Long.parseLong(entry.getFileName().toString()), process);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException(e.getCause());
    }
    return new ProcFs(root, processes);
  }

  boolean has(long pid) {
    return processes.containsKey(pid);
  }

  /** Names one process for good: a pid may be used again. */
  String generation(long pid) {
    return pid + "@" + processes.get(pid).startTicks();
  }

  /** The process among these that started first; nothing when all are gone. */
  OptionalLong oldest(List<Long> pids) {
    return pids.stream()
        .filter(this::has)
        .min(Comparator.comparingLong(pid -> processes.get(pid).startTicks()))
        .stream()
        .mapToLong(Long::longValue)
        .findFirst();
  }

  /** A process with all its descendants, itself first; empty when it is gone. */
  List<Long> tree(long pid) {
    if (!has(pid)) {
      return List.of();
    }
    var found = new ArrayList<Long>();
    var open = new ArrayDeque<Long>();
    open.add(pid);
    while (!open.isEmpty()) {
      var next = open.remove();
      found.add(next);
      open.addAll(children.getOrDefault(next, List.of()));
    }
    return found;
  }

  long cpuMicros(List<Long> tree) {
    return tree.stream().mapToLong(pid -> processes.get(pid).cpuMicros()).sum();
  }

  /**
   * Memory of a tree without counting a shared page once per process: the private pages of all, and
   * of the pages that they share the largest part that one of them has mapped.
   */
  long memoryBytes(List<Long> tree) {
    long own = 0;
    long files = 0;
    long shared = 0;
    boolean known = false;
    for (var pid : tree) {
      var status = keyedNumbers(pid, "status");
      known |= status.containsKey("RssAnon");
      own += status.getOrDefault("RssAnon", 0L);
      files = Math.max(files, status.getOrDefault("RssFile", 0L));
      shared = Math.max(shared, status.getOrDefault("RssShmem", 0L));
    }
    return known ? (own + files + shared) * 1024 : Sample.UNKNOWN;
  }

  /** What one process read from and wrote to storage; empty when this user may not see it. */
  Map<String, Long> io(long pid) {
    return keyedNumbers(pid, "io");
  }

  /** The lines {@code key: number} of a file about a process; none when it is gone or forbidden. */
  private Map<String, Long> keyedNumbers(long pid, String file) {
    var numbers = new HashMap<String, Long>();
    for (var line : lines(root.resolve(Long.toString(pid)).resolve(file))) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        var first = line.substring(colon + 1).strip().split("\\s+", 2)[0];
        if (first.chars().allMatch(c -> c >= '0' && c <= '9') && !first.isEmpty()) {
          numbers.put(line.substring(0, colon), Long.parseLong(first));
        }
      }
    }
    return numbers;
  }

  private static Entry process(Path stat) {
    var lines = lines(stat);
    if (lines.isEmpty()) {
      return null;
    }
    // The command's name, in brackets, may hold spaces and brackets: count from the last one.
    var text = lines.getFirst();
    var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    long ticks =
        Long.parseLong(fields[USER_TICKS])
            + Long.parseLong(fields[SYSTEM_TICKS])
            + Long.parseLong(fields[CHILDREN_USER_TICKS])
            + Long.parseLong(fields[CHILDREN_SYSTEM_TICKS]);
    return new Entry(
        Long.parseLong(fields[PARENT]),
        ticks * MICROS_PER_TICK,
        Long.parseLong(fields[START_TICKS]));
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
