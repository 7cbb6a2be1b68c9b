package dev.queencell.cell.sample;

import dev.queencell.cell.output.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/**
 * Who else uses this machine: two looks at {@code /proc}, some time apart. What the machine's CPUs
 * did in between, less the cell's part and the asking point's own, is what others used; the kernel
 * counts it even where their processes can't be seen (another container, the host). Beside it,
 * points of other cells: two at a time disturb each other however small they are.
 *
 * <p>Immutable.
 */
final class Neighbours {
  /** Above this part of the machine's CPUs, others make a point's numbers their own. */
  static final double OTHERS_SHARE_MAX = 0.10;

  private static final int NAMED_MAX = 5;

  /** What is less than this is not worth a name. */
  private static final double NAMED_CPUS_MIN = 0.02;

  private static final String POINT_SCRIPT = "runpt.sh";
  private static final double NANOS_PER_MICRO = 1_000.0;

  /**
   * One look.
   *
   * @param cell the processes of the cell
   * @param cellMicros CPU that the cell has used so far; {@link Sample#UNKNOWN} without any reading
   * @param own the point's own processes
   */
  record Look(
      long nanos,
      ProcFs processes,
      long machineMicros,
      Set<Long> cell,
      long cellMicros,
      List<Long> own) {}

  /** A process and the CPUs it used. */
  record Busy(long pid, String name, double cpus) {}

  /** A measured point of another cell. */
  record Point(long pid, String command) {}

  private final double seconds;
  private final double cpus;
  private final double othersCpus;
  private final List<Busy> busiest;
  private final List<Point> points;

  private Neighbours(
      double seconds, double cpus, double othersCpus, List<Busy> busiest, List<Point> points) {
    this.seconds = seconds;
    this.cpus = cpus;
    this.othersCpus = othersCpus;
    this.busiest = busiest;
    this.points = points;
  }

  /** Looks now. The total and its instant come first: on a busy machine the rest takes its time. */
  static Look look(Path proc, SampledCell cell, Groups groups, long pointPid, long nanos) {
    long machineMicros = ProcFs.machineMicros(proc);
    var processes = ProcFs.read(proc);
    var pids = new HashSet<Long>();
    for (var unit : cell.units()) {
      var group = cell.group(unit);
      if (!group.isEmpty()) {
        pids.addAll(groups.processes(group));
      }
      cell.pid(unit).ifPresent(pid -> pids.addAll(processes.tree(pid)));
    }
    pids.removeIf(pid -> !processes.has(pid));
    var slice = cell.group(UsageProbe.SLICE);
    long cellMicros =
        Optional.of(slice)
            .filter(name -> !name.isEmpty())
            .flatMap(groups::usage)
            .map(usage -> usage.counters().get(Usage.CPU_MICROS))
            .orElseGet(() -> processes.cpuMicros(List.copyOf(pids)));
    return new Look(nanos, processes, machineMicros, pids, cellMicros, processes.tree(pointPid));
  }

  /**
   * What happened between two looks.
   *
   * @param cpus of the machine
   * @param pointPid the process of the asking point
   */
  static Neighbours between(Look before, Look after, int cpus, long pointPid) {
    double micros = (after.nanos() - before.nanos()) / NANOS_PER_MICRO;
    long ownMicros =
        after.processes().cpuMicros(after.own()) - before.processes().cpuMicros(before.own());
    // Counters that began again in between (the cell restarted a process) count as nothing.
    long others =
        after.machineMicros()
            - before.machineMicros()
            - Math.max(0, after.cellMicros() - before.cellMicros())
            - Math.max(0, ownMicros);
    var known = new HashSet<>(after.cell());
    known.addAll(after.own());
    return new Neighbours(
        micros / TimeUnit.SECONDS.toMicros(1),
        cpus,
        Math.max(0, others) / micros,
        busiest(before.processes(), after.processes(), known, micros),
        points(after.processes(), after.own(), pointPid));
  }

  private static List<Busy> busiest(
      ProcFs before, ProcFs after, Set<Long> known, double spanMicros) {
    var all = new ArrayList<Busy>();
    for (var pid : after.pids()) {
      if (!known.contains(pid)) {
        long earlier = after.isSame(before, pid) ? before.ownCpuMicros(pid) : 0;
        double used = (after.ownCpuMicros(pid) - earlier) / spanMicros;
        if (used >= NAMED_CPUS_MIN) {
          all.add(new Busy(pid, after.name(pid), used));
        }
      }
    }
    all.sort(Comparator.comparingDouble(Busy::cpus).reversed());
    return List.copyOf(all.subList(0, Math.min(NAMED_MAX, all.size())));
  }

  /**
   * Points that began before the asking one: of two that look at each other, the earlier goes on. A
   * subshell has its script's command line and is no point of its own.
   */
  private static List<Point> points(ProcFs processes, List<Long> own, long pointPid) {
    var found = new ArrayList<Point>();
    for (var pid : processes.pids()) {
      if (!own.contains(pid)
          && isPoint(processes, pid)
          && !isPoint(processes, processes.parent(pid))
          && processes.isOlder(pid, pointPid)) {
        found.add(new Point(pid, String.join(" ", processes.arguments(pid))));
      }
    }
    return List.copyOf(found);
  }

  private static boolean isPoint(ProcFs processes, long pid) {
    var arguments = processes.arguments(pid);
    return arguments.size() > 1
        && Path.of(arguments.get(0)).endsWith("bash")
        && Path.of(arguments.get(1)).endsWith(POINT_SCRIPT);
  }

  boolean isQuiet() {
    return points.isEmpty() && othersCpus <= limitCpus();
  }

  private double limitCpus() {
    return OTHERS_SHARE_MAX * cpus;
  }

  /** For a person: why not, or that it is quiet. */
  String text() {
    var reasons = new ArrayList<String>();
    for (var point : points) {
      reasons.add(
          "another point runs on this machine and would disturb this one (process %d: %s)"
              .formatted(point.pid(), point.command()));
    }
    if (othersCpus > limitCpus()) {
      reasons.add(
          "the machine is not quiet enough to measure: others use %s of its %.0f CPUs, over %s%s"
              .formatted(two(othersCpus), cpus, two(limitCpus()), names()));
    }
    return reasons.isEmpty()
        ? "quiet: others use %s of %.0f CPUs".formatted(two(othersCpus), cpus)
        : String.join("; ", reasons);
  }

  private String names() {
    if (busiest.isEmpty()) {
      return " (no process that can be seen from here)";
    }
    var names = new StringBuilder(" (");
    for (var one : busiest) {
      names.append(names.length() > 2 ? ", " : "");
      names.append("%s %d: %s".formatted(one.name(), one.pid(), two(one.cpus())));
    }
    return names.append(')').toString();
  }

  /** For the record. */
  ObjectNode json(boolean isForced) {
    var json = Json.object();
    json.put("quiet", isQuiet()).put("forced", isForced && !isQuiet());
    json.put("seconds", rounded(seconds));
    json.put("othersCpus", rounded(othersCpus)).put("limitCpus", rounded(limitCpus()));
    var named = json.putArray("busiest");
    for (var one : busiest) {
      named
          .addObject()
          .put("pid", one.pid())
          .put("name", one.name())
          .put("cpus", rounded(one.cpus()));
    }
    var others = json.putArray("otherPoints");
    points.forEach(point -> others.addObject().put("pid", point.pid()));
    return json.put("text", text());
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }

  private static String two(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
