package dev.queencell.cell.series;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cell.jar bench}: what {@code tools/bench.sh} asks between its points. */
@Command(
    name = "bench",
    description = "Plans points of several shapes, says which comes next, and makes their table.",
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Runnable {
  private static final int NOTHING_COUNTS = 3;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "it takes one of begin, next, show");
  }

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
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
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
    return verified.values().stream().anyMatch(List::isEmpty) ? NOTHING_COUNTS : 0;
  }

  private static BenchFolder folder(Path out) {
    return new BenchFolder(new PointFolder(out));
  }

  private void print(String text) {
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }
}
