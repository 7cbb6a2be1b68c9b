package dev.queencell.cell.series;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cell.jar bench}: what {@code tools/bench.sh} asks between its points. */
@Command(
    name = "bench",
    description = "Plans points of several shapes, says which comes next, and makes their table.",
    mixinStandardHelpOptions = true)
public final class BenchCommand extends SeriesCommand {
  /** Starts or resumes a bench. */
  @Command(name = "begin", description = "Writes the plan; refuses another one with --resume.")
  void begin(
      @Option(names = "--out", required = true) Path out,
      @Option(names = "--cases", split = ",", required = true) List<String> cases,
      @Option(names = "--rounds", required = true) int rounds,
      @Option(names = "--seconds", required = true) int seconds,
      @Option(names = "--resume") boolean resume)
      throws IOException {
    try {
      var plan = new BenchFolder.Plan(cases.stream().distinct().toList(), rounds, seconds);
      folder(out).begin(plan, resume);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  /** Prints case and run id of the next point; nothing when there is none. */
  @Command(name = "next", description = "Prints CASE RUN-ID of the next point, if any.")
  void next(@Option(names = "--out", required = true) Path out) throws IOException {
    folder(out).next().ifPresent(next -> print(next.name() + " " + next.runId() + "\n"));
  }

  /** Writes both files and prints the table; exit status 3 when a case has no point that counts. */
  @Command(name = "show", description = "Writes the files and prints the table.")
  int show(@Option(names = "--out", required = true) Path out) throws IOException {
    var folder = folder(out);
    var plan = folder.plan();
    var verified = folder.write(plan);
    print(BenchFolder.table(plan, verified));
    print(folder.discarded(plan));
    return verified.values().stream().anyMatch(List::isEmpty) ? NOTHING_COUNTS : 0;
  }

  private static BenchFolder folder(Path out) {
    return new BenchFolder(new PointFolder(out));
  }
}
