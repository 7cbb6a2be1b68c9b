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
import java.util.Set;

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

  /** Fields of the first line of {@code /proc/stat} that are not idle: all but 4 and 5. */
  private static final int[] BUSY_FIELDS = {1, 2, 3, 6, 7, 8};

  private final Path root;
  private final Map<Long, Entry> processes;
  private final Map<Long, List<Long>> children;

  private record Entry(long parent, long ownMicros, long cpuMicros, long startTicks, String name) {}

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

  /**
   * CPU time that was not idle since the machine started, summed over its CPUs: what ran, and what
   * the machine's own host gave to somebody else meanwhile. 0 where the kernel does not tell.
   */
  static long machineMicros(Path root) {
    var lines = lines(root.resolve("stat"));
    if (lines.isEmpty()) {
      return 0;
    }
    // cpu  user nice system idle iowait irq softirq steal …; a guest's time is in user already.
    var fields = lines.getFirst().strip().split("\\s+", -1);
    long ticks = 0;
    for (int field : BUSY_FIELDS) {
      ticks += field < fields.length ? Long.parseLong(fields[field]) : 0;
    }
    return ticks * MICROS_PER_TICK;
  }

  Set<Long> pids() {
    return processes.keySet();
  }

  /** The command's name, at most 15 characters. */
  String name(long pid) {
    return processes.get(pid).name();
  }

  /** Without its children. */
  long ownCpuMicros(long pid) {
    return processes.get(pid).ownMicros();
  }

  /** The parent's pid; 0 when it can't be seen from here. */
  long parent(long pid) {
    return processes.get(pid).parent();
  }

  /** Whether a process was there at another instant too. */
  boolean isSame(ProcFs other, long pid) {
    return has(pid) && other.has(pid) && generation(pid).equals(other.generation(pid));
  }

  /** Whether the first of two processes started first; of two in one tick, the lower pid did. */
  boolean isOlder(long pid, long other) {
    if (!has(other)) {
      return true;
    }
    int order = Long.compare(processes.get(pid).startTicks(), processes.get(other).startTicks());
    return order == 0 ? pid < other : order < 0;
  }

  /** The command line; empty when the process is gone or the kernel's own. */
  List<String> arguments(long pid) {
    var lines = lines(root.resolve(Long.toString(pid)).resolve("cmdline"));
    return lines.isEmpty() ? List.of() : List.of(lines.getFirst().split("\0"));
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
    int nameEnd = text.lastIndexOf(')');
    var fields = text.substring(nameEnd + 2).split(" ", -1);
    long ownTicks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    long childrenTicks =
        Long.parseLong(fields[CHILDREN_USER_TICKS]) + Long.parseLong(fields[CHILDREN_SYSTEM_TICKS]);
    return new Entry(
        Long.parseLong(fields[PARENT]),
        ownTicks * MICROS_PER_TICK,
        (ownTicks + childrenTicks) * MICROS_PER_TICK,
        Long.parseLong(fields[START_TICKS]),
        text.substring(text.indexOf('(') + 1, nameEnd));
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
