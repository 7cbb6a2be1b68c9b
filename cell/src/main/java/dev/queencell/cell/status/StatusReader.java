package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;
import dev.queencell.cell.status.CellStatus.Caps;
import dev.queencell.cell.status.CellStatus.Disk;
import dev.queencell.cell.status.CellStatus.UnitStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at every part of a cell at once: two readings of the processor time with a moment between
 * them, while the health questions are asked.
 */
final class StatusReader {
  /** Long enough for a percentage of whole clock ticks, short enough to wait for. */
  private static final long CPU_WINDOW_MS = 400;

  private static final Path PROC = Path.of("/proc");

  private final CellHome home;
  private final UnitRuns runs;
  private final GroupReader groups;
  private final Duration answerDeadline;

  StatusReader(CellHome home, UnitRuns runs, GroupReader groups, Duration answerDeadline) {
    this.home = home;
    this.runs = runs;
    this.groups = groups;
    this.answerDeadline = answerDeadline;
  }

  CellStatus read() {
    try (var http = new HttpHealth(answerDeadline);
        var questions = Executors.newVirtualThreadPerTaskExecutor()) {
      var pg = questions.submit(() -> postgres("PG"));
      var statePg = questions.submit(() -> postgres("STATEPG"));
      var health = new HashMap<String, Future<Health>>();
      health.put("pg", questions.submit(health(pg)));
      health.put("statepg", questions.submit(health(statePg)));
      health.put("state", questions.submit(() -> http.ask(home.get("STATE_URL") + "/healthz")));
      health.put("broker", questions.submit(() -> http.ask(home.get("BROKER_URL") + "/health")));
      health.put("proxy", questions.submit(() -> http.ask(home.get("PROXY_URL") + "/healthz")));
      var disk = questions.submit(this::disk);

      var unitRuns = new LinkedHashMap<String, UnitRun>();
      home.units().forEach(unit -> unitRuns.put(unit, runs.read(unit)));
      long beganNanos = System.nanoTime();
      var before = new HashMap<String, Long>();
      unitRuns.forEach((unit, run) -> before.put(unit, cpuMicros(unit, run)));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(CPU_WINDOW_MS));
      double windowMicros = (System.nanoTime() - beganNanos) / 1e3;
      var processes =
          unitRuns.keySet().stream()
              .map(
                  unit ->
                      unit(
                          unit,
                          unitRuns.get(unit),
                          before.get(unit),
                          windowMicros,
                          answer(health.get(unit))))
              .toList();
      return new CellStatus(
          home.get("HOME"),
          home.isUp(),
          caps(),
          processes,
          home.port("proxy_admin"),
          home.get("ENFORCE").equals("1"),
          answer(pg),
          home.get("PG_MODE"),
          answer(statePg),
          answer(disk));
    }
  }

  private Caps caps() {
    return new Caps(
        home.get("CAP"),
        home.get("CAP_WHY"),
        number(home.get("CELL_CPUS")),
        number(home.get("CELL_MEM")),
        groups.read(home.get("CGROUP")));
  }

  private UnitStatus unit(
      String unit, UnitRun run, long cpuMicrosBefore, double windowMicros, Health health) {
    var tree = ProcessTree.read(PROC, run.pid());
    var group = groups.read(home.cgroup(unit));
    long cpuMicros = group.cpuMicros().orElse(tree.cpuMicros());
    return new UnitStatus(
        unit,
        run,
        home.port(unit),
        home.cgroup(unit),
        ProcessStat.read(PROC, run.pid()).map(stat -> stat.uptimeMs(machineUptimeMs())).orElse(0L),
        cpuMicros,
        Math.max(0, (cpuMicros - cpuMicrosBefore) / windowMicros * 100),
        group.memoryBytes().orElse(tree.residentBytes()),
        tree.residentBytes(),
        run.state() == UnitRun.State.RUNNING ? health : Health.unwell(why(run)));
  }

  /** In words: why a unit whose process does not run is not well. */
  static String why(UnitRun run) {
    var text = new StringBuilder(run.state().name().toLowerCase(Locale.ROOT));
    if (run.waitMs() > 0) {
      text.append(String.format(Locale.ROOT, " after a wait of %.1f s", run.waitMs() / 1e3));
    }
    return text.append(run.lastExit().isEmpty() ? "" : "; it ended with " + run.lastExit())
        .toString();
  }

  private long cpuMicros(String unit, UnitRun run) {
    return groups
        .read(home.cgroup(unit))
        .cpuMicros()
        .orElseGet(() -> ProcessTree.read(PROC, run.pid()).cpuMicros());
  }

  private PostgresView postgres(String prefix) {
    return PostgresView.read(
        home.get(prefix + "_JDBC_URL"),
        home.get(prefix + "_USER"),
        Path.of(home.get(prefix + "_PASSWORD_FILE")),
        answerDeadline);
  }

  private static Callable<Health> health(Future<PostgresView> view) {
    return () -> view.get().health();
  }

  private Disk disk() throws IOException {
    var used = new LinkedHashMap<String, Long>();
    for (var name : List.of("pg", "statepg", "log")) {
      used.put(name, sizeBytes(home.folder().resolve(name)));
    }
    used.put("all", sizeBytes(home.folder()));
    return new Disk(used, Files.getFileStore(home.folder()).getUsableSpace());
  }

  /** The sum of a folder's files. Files come and go while a database runs: those gone count 0. */
  private static long sizeBytes(Path folder) {
    var files = folder.toFile().listFiles();
    long sum = 0;
    if (files != null) {
      for (var file : files) {
        boolean isLink = Files.isSymbolicLink(file.toPath());
        sum += isLink ? 0 : file.isDirectory() ? sizeBytes(file.toPath()) : file.length();
      }
    }
    return sum;
  }

  private static long machineUptimeMs() {
    try {
      return (long)
          (Double.parseDouble(Files.readString(PROC.resolve("uptime")).split(" ", 2)[0]) * 1e3);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double number(String text) {
    return text.isEmpty() ? 0 : Double.parseDouble(text);
  }

  private static <T> T answer(Future<T> question) {
    try {
      return question.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
