package dev.queencell.cell.sample;

import dev.queencell.cell.cgroup.Caps;
import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import tools.jackson.databind.node.ObjectNode;

/**
 * Records one point: starts a thread per kind of sample, and at the end says how it went in {@code
 * RUN-ID.sample.json}. That file is there from the start, so that a sampler that was killed leaves
 * what it knew.
 *
 * <p>{@link #stop} may be called from any thread, once.
 */
final class Sampler {
  private static final Path PROC = Path.of("/proc");
  private static final long STOP_TIMEOUT_MS = 8_000;

  private final SampledCell cell;
  private final Groups groups;
  private final Path folder;
  private final String runId;
  private final long intervalMs;
  private final Clock clock = Clock.system();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<Sampling> running = new ArrayList<>();
  private final ObjectNode report = Json.object();
  private final List<String> problems = new ArrayList<>();
  private final ObjectNode neighbours;
  private final Shape shape;
  private Optional<StatementTotals> statements = Optional.empty();

  /**
   * Prepares a record.
   *
   * @param neighbours what {@code cell.jar quiet} saw before; empty when it was not asked
   */
  Sampler(
      SampledCell cell,
      Groups groups,
      Path folder,
      String runId,
      long intervalMs,
      ObjectNode neighbours) {
    this.cell = cell;
    this.groups = groups;
    this.folder = folder;
    this.runId = runId;
    this.intervalMs = intervalMs;
    this.neighbours = neighbours;
    this.shape = new Shape(cell, groups, PROC, neighbours.path("text").asString("not looked at"));
  }

  /** Starts sampling; returns once the first sample of every kind is under way. */
  void start(Path loaderPidFile) throws IOException {
    describe();
    // The thread that samples the database closes it.
    var postgres = cell.postgres();
    sampling(
        "usage",
        new UsageProbe(
            cell,
            loaderPidFile,
            ProcessHandle.current().pid(),
            postgres::sessionPids,
            groups,
            PROC,
            folder,
            runId));
    sampling("database", new DatabaseProbe(postgres, folder, runId));
    sampling("metrics", new MetricsProbe(cell.metrics(), folder, runId));
  }

  /** Takes the last samples and writes what is left to write. */
  void stop() throws IOException, InterruptedException {
    stop.countDown();
    for (var sampling : running) {
      if (!sampling.join(STOP_TIMEOUT_MS)) {
        problems.add("the %s thread did not end in time".formatted(sampling.name()));
      }
    }
    endStatements();
    write(folder.resolve(runId + ".shape.txt"), shape.end());
    report.put("endedEpochMs", clock.now().epochMs());
    writeReport();
  }

  private void sampling(String name, Sampling.Probe probe) {
    running.add(new Sampling(name, clock, intervalMs, probe, stop).start());
  }

  private void describe() throws IOException {
    report.put("runId", runId);
    report.put("startedEpochMs", clock.now().epochMs());
    report.putNull("endedEpochMs");
    report.put("intervalMs", intervalMs);
    report.put("cap", cell.home().get("CAP"));
    var slice = cell.group(UsageProbe.SLICE);
    var caps = slice.isEmpty() ? Caps.NONE : groups.caps(slice);
    report.put("capped", !caps.equals(Caps.NONE));
    if (caps.cpus() > 0) {
      report.put("capCpus", caps.cpus());
    }
    if (caps.memoryBytes() > 0) {
      report.put("capMemoryBytes", caps.memoryBytes());
    }
    report.set("neighbours", neighbours);
    report.put("hostCpus", Runtime.getRuntime().availableProcessors());
    try (var postgres = cell.postgres()) {
      report.put("postgres", postgres.version());
      statements = StatementTotals.begin(postgres);
      write(folder.resolve(runId + ".shape.txt"), shape.begin(postgres));
    } catch (SQLException e) {
      problems.add("before the run: " + e.getMessage());
      write(folder.resolve(runId + ".shape.txt"), shape.begin(null));
    }
    writeReport();
  }

  private void endStatements() throws IOException {
    if (statements.isEmpty()) {
      return;
    }
    try (var postgres = cell.postgres()) {
      statements.get().end(postgres, folder.resolve(runId + ".statements.csv"));
    } catch (SQLException e) {
      problems.add("after the run: " + e.getMessage());
    }
  }

  private void writeReport() throws IOException {
    var all = new ArrayList<>(problems);
    var samples = report.putObject("samples");
    for (var sampling : running) {
      var outcome = sampling.outcome();
      samples
          .putObject(sampling.name())
          .put("taken", outcome.taken())
          .put("failed", outcome.failed())
          .put("skipped", outcome.skipped());
      outcome.problems().forEach(problem -> all.add(sampling.name() + ' ' + problem));
    }
    var texts = report.putArray("problems");
    all.forEach(texts::add);
    write(folder.resolve(runId + ".sample.json"), Json.text(report) + "\n");
  }

  /** Replaces a file at once, so that a reader never sees half of it. */
  private static void write(Path file, String text) throws IOException {
    var draft = file.resolveSibling(file.getFileName() + ".draft");
    Files.writeString(draft, text);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
