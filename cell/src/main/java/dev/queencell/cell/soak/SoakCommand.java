package dev.queencell.cell.soak;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code cell.jar soak}: one check of a run that is under way. Adds a row to the record and prints
 * it; ends with {@link #EXIT_TREND} when something moves for good.
 */
@Command(
    name = "soak",
    description = "Looks once at a long run and says whether something grows for good (exit 4).",
    mixinStandardHelpOptions = true)
public final class SoakCommand implements Callable<Integer> {
  static final int EXIT_TREND = 4;
  private static final double MIB = 1024.0 * 1024;
  private static final String ROW = "%5s %8s %11s %9s %10s %9s %8s  %s%n";

  @Spec private CommandSpec spec;

  @Option(names = "--out", required = true, description = "Folder of the record.")
  private Path out;

  @Option(names = "--run-id", required = true, description = "Name of the run.")
  private String runId;

  @Option(
      names = "--status",
      required = true,
      description = "File with what `status --json` printed.")
  private Path status;

  @Option(names = "--every", required = true, description = "Seconds between two checks.")
  private int everySeconds;

  @Option(
      names = "--warm-up",
      required = true,
      description = "How many of the first checks count for nothing.")
  private int warmUp;

  @Option(
      names = "--last",
      description = "The run is over: the row is kept, and no trend is looked for in it.")
  private boolean last;

  @Override
  public Integer call() throws IOException {
    var record = new SoakRecord(out, runId);
    var checks = record.checks();
    double since =
        checks.stream()
            .mapToDouble(check -> check.get(Check.SECONDS))
            .filter(seconds -> !Double.isNaN(seconds))
            .max()
            .orElse(0);
    var now =
        new Look(out, runId)
            .at(
                System.currentTimeMillis(),
                since,
                Json.mapper().readTree(Files.readString(status)));
    var findings = Watched.findings(checks, warmUp);
    record.add(now);
    checks.add(now);
    if (!last) {
      findings = Watched.findings(checks, warmUp);
    }
    record.conclude(everySeconds, warmUp, checks, findings, last);
    print(checks, findings);
    return findings.isEmpty() || last ? 0 : EXIT_TREND;
  }

  private void print(List<Check> checks, List<Watched.Finding> findings) {
    PrintWriter console = spec.commandLine().getOut();
    if (checks.size() == 1) {
      console.printf(
          ROW,
          "check",
          "load s",
          "delivered/s",
          "p99 ms",
          "db MiB",
          "dead rows",
          "restarts",
          "resident MiB (" + String.join(" ", Check.PROCESSES) + ")");
    }
    var check = checks.getLast();
    console.printf(
        ROW,
        checks.size(),
        text(check.get(Check.SECONDS), 0),
        text(check.get(Check.DELIVERED_PER_SEC), 1),
        text(check.get(Check.P99_MS), 1),
        text(check.get(Check.DATABASE_BYTES) / MIB, 1),
        text(check.get(Check.DEAD_TUPLES), 0),
        text(check.restarts(), 0),
        String.join(
            " ",
            Check.PROCESSES.stream()
                .map(process -> text(check.get(process + Check.RESIDENT_BYTES) / MIB, 0))
                .toList()));
    findings.forEach(finding -> console.printf("trend: %s%n", finding.text()));
    console.flush();
  }

  private static String text(double value, int decimals) {
    return Double.isNaN(value) ? "?" : ("%." + decimals + "f").formatted(value);
  }
}
