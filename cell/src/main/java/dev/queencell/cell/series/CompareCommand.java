package dev.queencell.cell.series;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cell.jar compare}: what {@code tools/compare.sh} asks between its points. */
@Command(
    name = "compare",
    description = "Plans a comparison of two sides, says which point comes next, and the result.",
    mixinStandardHelpOptions = true)
public final class CompareCommand extends SeriesCommand {
  /** Starts or resumes a comparison. */
  @Command(name = "begin", description = "Writes the plan; refuses another one with --resume.")
  void begin(
      @Option(names = "--out", required = true) Path out,
      @Option(names = "--a-name", required = true) String nameA,
      @Option(names = "--b-name", required = true) String nameB,
      @Option(names = "--a", description = "A word of A's loader options.") List<String> a,
      @Option(names = "--b", description = "A word of B's loader options.") List<String> b,
      @Option(names = "--rates", split = ",", required = true) List<Double> rates,
      @Option(names = "--rounds", required = true) int rounds,
      @Option(names = "--seconds", required = true) int seconds,
      @Option(names = "--drain", required = true) int drainSeconds,
      @Option(names = "--warmup", required = true) int warmupSeconds,
      @Option(names = "--resume") boolean resume)
      throws IOException {
    try {
      folder(out)
          .begin(
              new CompareFolder.Plan(
                  new CompareFolder.Side(nameA, a == null ? List.of() : a),
                  new CompareFolder.Side(nameB, b == null ? List.of() : b),
                  Rates.listed(rates),
                  rounds,
                  seconds,
                  drainSeconds,
                  warmupSeconds),
              resume);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  /** Prints side (a or b), rate and run id of the next point; nothing when there is none. */
  @Command(name = "next", description = "Prints a|b RATE RUN-ID of the next point, if any.")
  void next(@Option(names = "--out", required = true) Path out) throws IOException {
    folder(out)
        .next()
        .ifPresent(
            next ->
                print(
                    "%s %s %s%n"
                        .formatted(
                            next.isA() ? "a" : "b", Rates.plain(next.ratePerSec()), next.runId())));
  }

  /** Writes both files and prints the tables; exit status 3 when no round counts. */
  @Command(name = "show", description = "Writes the files and prints the tables.")
  int show(@Option(names = "--out", required = true) Path out) throws IOException {
    var folder = folder(out);
    var plan = folder.plan();
    var comparisons = folder.write(plan);
    print(CompareText.render(plan, comparisons));
    boolean any = comparisons.stream().anyMatch(one -> !one.rounds().isEmpty());
    return any ? 0 : NOTHING_COUNTS;
  }

  private static CompareFolder folder(Path out) {
    return new CompareFolder(new PointFolder(out));
  }
}
