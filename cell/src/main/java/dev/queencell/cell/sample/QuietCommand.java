package dev.queencell.cell.sample;

import dev.queencell.cell.cgroup.Detection;
import dev.queencell.cell.home.CellHome;
import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code cell.jar quiet}: looks for a moment whether others use this machine, so that a point is
 * not measured beside them. Exits 0 when it is quiet and 3 when it is not.
 */
@Command(
    name = "quiet",
    description = "Tells whether the machine is quiet enough to measure a point; exits 3 if not.",
    mixinStandardHelpOptions = true)
public final class QuietCommand implements Callable<Integer> {
  private static final int NOT_QUIET = 3;
  private static final Path PROC = Path.of("/proc");

  @Spec private CommandSpec spec;

  @Option(names = "--home", required = true, description = "The cell's home.")
  private Path home;

  @Option(names = "--point-pid", required = true, description = "The process that asks.")
  private long pointPid;

  @Option(names = "--report", required = true, description = "File for what was seen.")
  private Path report;

  @Option(names = "--forced", description = "The point is measured whatever is seen.")
  private boolean forced;

  @Option(names = "--look-ms", defaultValue = "2000", description = "Default: 2000 ms.")
  private long lookMs;

  @Override
  public Integer call() throws IOException, InterruptedException {
    var cell = new SampledCell(CellHome.read(home));
    var groups = Detection.present().map(Groups::of).orElse(Groups.NONE);
    var before = Neighbours.look(PROC, cell, groups, pointPid, System.nanoTime());
    Thread.sleep(lookMs);
    var after = Neighbours.look(PROC, cell, groups, pointPid, System.nanoTime());
    int cpus = Runtime.getRuntime().availableProcessors();
    var seen = Neighbours.between(before, after, cpus, pointPid);
    Files.writeString(report, Json.text(seen.json(forced)) + "\n");
    spec.commandLine().getOut().println(seen.text());
    spec.commandLine().getOut().flush();
    return seen.isQuiet() ? 0 : NOT_QUIET;
  }
}
