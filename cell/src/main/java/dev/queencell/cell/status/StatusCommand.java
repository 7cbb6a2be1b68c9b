package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;
import dev.queencell.cell.output.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code status}: prints a cell's status; the exit code says whether all is well. */
@Command(
    name = "status",
    description = {
      "Prints the caps in force, every process and the settings of a cell.",
      "Exits 0 when all is well, 3 when something is not, 4 when nothing is up."
    },
    mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--home", required = true, paramLabel = "DIR", description = "the cell's home")
  private Path folder;

  @Option(names = "--json", description = "for machines")
  private boolean json;

  @Option(
      names = "--answer-seconds",
      defaultValue = "5",
      paramLabel = "S",
      description = "how long each process may take to answer; default ${DEFAULT-VALUE}")
  private int answerSeconds;

  @Override
  public Integer call() {
    var home = CellHome.read(folder);
    if (answerSeconds < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--answer-seconds is %d; it takes at least 1".formatted(answerSeconds));
    }
    var status =
        new StatusReader(
                home, UnitRuns.of(home), GroupReader.ofKernel(), Duration.ofSeconds(answerSeconds))
            .read();
    var out = spec.commandLine().getOut();
    out.print(json ? Json.text(StatusJson.of(status)) + "\n" : StatusText.of(status));
    out.flush();
    return status.exitCode();
  }
}
