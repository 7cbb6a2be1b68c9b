package dev.queencell.cell.summary;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cell.jar summary}: writes {@code RUN-ID.summary.json} and prints the point as a table. */
@Command(
    name = "summary",
    description = "Joins the files of a measured point into its summary.",
    mixinStandardHelpOptions = true)
public final class SummaryCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--out", required = true, description = "Folder of the record.")
  private Path out;

  @Option(names = "--run-id", required = true, description = "Name of the run.")
  private String runId;

  @Override
  public Integer call() throws IOException {
    var summary = Summary.of(Point.read(out, runId));
    Files.writeString(out.resolve(runId + ".summary.json"), Json.text(summary) + "\n");
    spec.commandLine().getOut().print(PointTable.render(summary));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
