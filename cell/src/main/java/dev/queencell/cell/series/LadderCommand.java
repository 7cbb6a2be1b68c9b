package dev.queencell.cell.series;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code cell.jar ladder}: what {@code tools/ceiling.sh} asks between its points. The script runs
 * points; which one comes next, and what they say together, is decided here.
 */
@Command(
    name = "ladder",
    description = "Plans a ladder of rates, says which step comes next, and finds the ceiling.",
    mixinStandardHelpOptions = true)
public final class LadderCommand extends SeriesCommand {
  private static final double FROM_DEFAULT = 500;
  private static final double TO_DEFAULT = 16_000;

  /** Two steps double the rate. */
  private static final double FACTOR_DEFAULT = 1.4142;

  private static final int REFINE_MAX = 10;

  /** Starts or resumes a ladder. */
  @Command(name = "begin", description = "Writes the plan; refuses another one with --resume.")
  void begin(
      @Option(names = "--out", required = true) Path out,
      @Option(names = "--target", required = true) String target,
      @Option(names = "--shape", required = true) String shape,
      @Option(names = "--rates", split = ",") List<Double> rates,
      @Option(names = "--from") Double from,
      @Option(names = "--to") Double to,
      @Option(names = "--step") Double step,
      @Option(names = "--factor") Double factor,
      @Option(names = "--refine", defaultValue = "2") int refine,
      @Option(names = "--p99-limit-ms", defaultValue = "1000") double p99LimitMs,
      @Option(names = "--seconds", required = true) int seconds,
      @Option(names = "--drain", required = true) int drainSeconds,
      @Option(names = "--warmup", required = true) int warmupSeconds,
      @Option(names = "--resume") boolean resume,
      @Parameters(description = "The loader's options, after --.") List<String> loaderOptions)
      throws IOException {
    if (refine < 0 || refine > REFINE_MAX) {
      throw wrong("--refine is %d; it takes 0 to %d".formatted(refine, REFINE_MAX));
    }
    if (!(p99LimitMs > 0)) {
      throw wrong("--p99-limit-ms is %s; it takes milliseconds above 0".formatted(p99LimitMs));
    }
    try {
      var plan =
          new LadderPlan(
              target,
              shape,
              loaderOptions == null ? List.of() : loaderOptions,
              rates(rates, from, to, step, factor),
              refine,
              p99LimitMs,
              LadderPlan.ACHIEVED_SHARE_MIN,
              seconds,
              drainSeconds,
              warmupSeconds);
      folder(out).begin(plan, resume);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  private List<Double> rates(
      List<Double> rates, Double from, Double to, Double step, Double factor) {
    if (rates != null) {
      if (from != null || to != null || step != null || factor != null) {
        throw wrong("--rates goes without --from, --to, --step and --factor");
      }
      return Rates.listed(rates);
    }
    if (step != null && factor != null) {
      throw wrong("it takes --step or --factor, not both");
    }
    double first = from == null ? FROM_DEFAULT : from;
    double last = to == null ? Math.max(TO_DEFAULT, first) : to;
    return step == null
        ? Rates.byFactor(first, last, factor == null ? FACTOR_DEFAULT : factor)
        : Rates.byStep(first, last, step);
  }

  /** Prints the next step's rate and a free name for its point; nothing when there is none. */
  @Command(name = "next", description = "Prints RATE and RUN-ID of the next step, if there is one.")
  void next(@Option(names = "--out", required = true) Path out) throws IOException {
    var folder = folder(out);
    var rate = folder.read().next();
    if (rate.isPresent()) {
      print("%s %s%n".formatted(Rates.plain(rate.get()), folder.freeRunId(rate.get())));
    }
  }

  /** Takes a measured step in and prints a line about it. */
  @Command(name = "add", description = "Takes the point of a rate in and prints how it went.")
  void add(
      @Option(names = "--out", required = true) Path out,
      @Option(names = "--rate", required = true) double rate)
      throws IOException {
    var rung = folder(out).add(rate);
    if (rung.isEmpty()) {
      throw new IOException("the point at %s/s left no whole summary".formatted(Rates.plain(rate)));
    }
    print("%s%n".formatted(LadderText.line(rung.get())));
  }

  /** Prints table, chart and ceiling; exit status 3 when no rate passed. */
  @Command(name = "show", description = "Prints the table, the chart and the ceiling.")
  int show(@Option(names = "--out", required = true) Path out) throws IOException {
    var ladder = folder(out).read();
    print(LadderText.table(ladder) + "\n" + LadderText.chart(ladder) + "\n");
    print("%s%n".formatted(LadderText.ceiling(ladder)));
    return ladder.ceiling().isPresent() ? 0 : NOTHING_COUNTS;
  }

  private static LadderFolder folder(Path out) {
    return new LadderFolder(new PointFolder(out));
  }
}
