package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Writes what every unit of the cell, the whole slice, the loader, this sampler and the whole
 * machine used since the last sample. A unit is its control group where it has one, else its
 * process and that one's descendants; the slice is its group, else the sum of the units.
 */
final class UsageProbe implements Sampling.Probe {
  static final String SLICE = "slice";
  static final String LOADER = "loader";

  /** This process: what it costs to record. */
  static final String SAMPLER = "sampler";

  /** Its sessions in the cell's PostgreSQL: what recording costs the cell itself. */
  static final String SAMPLER_SESSIONS = "samplerSessions";

  private static final String POSTGRES = "pg";

  /** All CPUs of the machine, whoever uses them. */
  static final String MACHINE = "machine";

  /** 1 on a line after which another process does the unit's work. */
  static final String RESTARTED = "restarted";

  private final SampledCell cell;
  private final Path loaderPidFile;
  private final long samplerPid;
  private final Supplier<Set<Long>> sessionPids;
  private final Groups groups;
  private final Path proc;
  private final CsvFile.Writer out;
  private final Map<String, Recorder> recorders = new HashMap<>();
  private long lastSumMs = Sample.UNKNOWN;

  UsageProbe(
      SampledCell cell,
      Path loaderPidFile,
      long samplerPid,
      Supplier<Set<Long>> sessionPids,
      Groups groups,
      Path proc,
      Path folder,
      String runId)
      throws IOException {
    this.cell = cell;
    this.loaderPidFile = loaderPidFile;
    this.samplerPid = samplerPid;
    this.sessionPids = sessionPids;
    this.groups = groups;
    this.proc = proc;
    this.out = SampleFile.USAGE.create(folder, runId);
  }

  @Override
  public void sample(Clock.Instant now) throws IOException {
    var processes = ProcFs.read(proc);
    var units = new ArrayList<Sample>();
    for (var unit : cell.units()) {
      units.add(recorder(unit).next(now, unitUsage(unit, processes)));
    }
    var slice = group(SLICE).flatMap(groups::usage);
    out.row(
        SampleFile.USAGE.row(
            slice.isPresent() ? recorder(SLICE).next(now, slice) : sum(now, units)));
    for (var unit : units) {
      out.row(SampleFile.USAGE.row(unit));
    }
    var loader = SampledCell.pidIn(loaderPidFile);
    if (loader.isPresent()) {
      tree(now, LOADER, loader.getAsLong(), processes);
    }
    tree(now, SAMPLER, samplerPid, processes);
    var sessions = samplerSessions(processes);
    if (sessions.isPresent()) {
      out.row(SampleFile.USAGE.row(recorder(SAMPLER_SESSIONS).next(now, sessions)));
    }
    var machine = Map.of(Usage.CPU_MICROS, ProcFs.machineMicros(proc));
    out.row(
        SampleFile.USAGE.row(
            recorder(MACHINE)
                .next(now, Optional.of(new Usage("proc", "boot", machine, Map.of(), Map.of())))));
  }

  private void tree(Clock.Instant now, String unit, long pid, ProcFs processes) throws IOException {
    var usage = treeUsage(recorder(unit), pid, processes);
    out.row(SampleFile.USAGE.row(recorder(unit).next(now, usage)));
  }

  /**
   * What the sampler's sessions use, which is the cell's own PostgreSQL at work; nothing where it
   * is none of this cell.
   */
  private Optional<Usage> samplerSessions(ProcFs processes) {
    if (!cell.units().contains(POSTGRES)) {
      return Optional.empty();
    }
    var server =
        group(POSTGRES)
            .map(groups::processes)
            .orElseGet(
                () ->
                    cell.pid(POSTGRES).stream()
                        .mapToObj(processes::tree)
                        .flatMap(List::stream)
                        .toList());
    var sessions = sessionPids.get();
    var pids = server.stream().filter(pid -> sessions.contains(pid) && processes.has(pid)).toList();
    if (pids.isEmpty()) {
      return Optional.empty();
    }
    // Another session's counter begins anew.
    var generation =
        pids.stream().sorted().map(processes::generation).collect(Collectors.joining(" "));
    var states = Map.of(Usage.PROCESSES, (long) pids.size());
    var cpu = Map.of(Usage.CPU_MICROS, processes.cpuMicros(pids));
    return Optional.of(new Usage("proc", generation, cpu, Map.of(), states));
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private Recorder recorder(String unit) {
    return recorders.computeIfAbsent(unit, Recorder::new);
  }

  private Optional<String> group(String unit) {
    return Optional.of(cell.group(unit)).filter(name -> !name.isEmpty());
  }

  private Optional<Usage> unitUsage(String unit, ProcFs processes) {
    var group = group(unit);
    var usage = group.flatMap(groups::usage);
    if (usage.isEmpty()) {
      var pid = cell.pid(unit);
      if (pid.isEmpty() && group.isPresent()) {
        // Where cpu and cpuacct of version 1 are apart, systemd makes no group that counts CPU.
        pid = processes.oldest(groups.processes(group.get()));
      }
      return pid.isPresent()
          ? treeUsage(recorder(unit), pid.getAsLong(), processes)
          : Optional.empty();
    }
    var seen = usage.get();
    var pids = groups.processes(group.get());
    // What the group does not know of bytes, /proc does.
    var io =
        seen.counters().containsKey(Usage.IO_WRITE_BYTES)
            ? Map.<String, Long>of()
            : recorder(unit).io.increases(pids, processes);
    var states = new HashMap<>(seen.states());
    states.put(Usage.PROCESSES, (long) pids.size());
    // The pid file names the service; its group also holds what supervises it, and that alone while
    // there is no service. Under systemd there is neither a pid file nor a supervisor in the group.
    var main =
        cell.home().runsUnderSystemd()
            ? processes.oldest(pids).stream().boxed().findFirst()
            : cell.pid(unit).stream().filter(processes::has).boxed().findFirst();
    recorder(unit).main = main.map(processes::generation).orElse("");
    return Optional.of(new Usage(seen.source(), seen.generation(), seen.counters(), io, states));
  }

  private static Optional<Usage> treeUsage(Recorder recorder, long pid, ProcFs processes) {
    var tree = processes.tree(pid);
    if (tree.isEmpty()) {
      return Optional.empty();
    }
    var states = new HashMap<String, Long>();
    states.put(Usage.PROCESSES, (long) tree.size());
    recorder.main = processes.generation(pid);
    long memory = processes.memoryBytes(tree);
    if (memory != Sample.UNKNOWN) {
      states.put(Usage.MEMORY_BYTES, memory);
    }
    return Optional.of(
        new Usage(
            "proc",
            processes.generation(pid),
            Map.of(Usage.CPU_MICROS, processes.cpuMicros(tree)),
            recorder.io.increases(tree, processes),
            states));
  }

  /** The slice of a cell without groups: it used what its units used. */
  private Sample sum(Clock.Instant now, List<Sample> units) {
    var values = new HashMap<String, Long>();
    for (var unit : units) {
      unit.values().forEach((column, value) -> values.merge(column, value, Long::sum));
    }
    long spanMs = lastSumMs == Sample.UNKNOWN ? 0 : now.monotonicMs() - lastSumMs;
    lastSumMs = now.monotonicMs();
    return new Sample(
        now.monotonicMs(), now.epochMs(), spanMs, Map.of("unit", SLICE, "source", "sum"), values);
  }

  /** One unit's line of samples: turns readings into increases. */
  private static final class Recorder {
    private final String unit;
    private final Map<String, Counter> counters = new HashMap<>();
    private final IoIncreases io = new IoIncreases();
    private String main = "";
    private String mainBefore = "";
    private long lastMs = Sample.UNKNOWN;

    private Recorder(String unit) {
      this.unit = unit;
    }

    /** A unit that can't be read now gets a line without numbers; the next span covers the gap. */
    private Sample next(Clock.Instant now, Optional<Usage> reading) {
      if (reading.isEmpty()) {
        return new Sample(
            now.monotonicMs(), now.epochMs(), 0, Map.of("unit", unit, "source", ""), Map.of());
      }
      var usage = reading.get();
      var values = new HashMap<>(usage.states());
      values.putAll(usage.increases());
      usage
          .counters()
          .forEach(
              (column, total) -> {
                long increase =
                    counters
                        .computeIfAbsent(column, name -> new Counter())
                        .increase(usage.generation(), total);
                if (increase != Sample.UNKNOWN) {
                  values.put(column, increase);
                }
              });
      values.put(RESTARTED, isRestarted() ? 1L : 0L);
      long spanMs = lastMs == Sample.UNKNOWN ? 0 : now.monotonicMs() - lastMs;
      lastMs = now.monotonicMs();
      return new Sample(
          now.monotonicMs(),
          now.epochMs(),
          spanMs,
          Map.of("unit", unit, "source", usage.source()),
          values);
    }

    /** Whether another process does the unit's work than before. */
    private boolean isRestarted() {
      if (main.isEmpty() || main.equals(mainBefore)) {
        return false;
      }
      boolean isFirst = mainBefore.isEmpty();
      mainBefore = main;
      return !isFirst;
    }
  }
}
