package dev.queencell.cell.sample;

import dev.queencell.cell.cgroup.Detection;
import dev.queencell.cell.home.CellHome;
import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code cell.jar sample}: records a point until it is told to stop by SIGTERM or SIGINT, or until
 * the process that started it is gone.
 */
@Command(
    name = "sample",
    description = "Records what a cell uses, once a second, until SIGTERM.",
    mixinStandardHelpOptions = true)
public final class SampleCommand implements Callable<Integer> {
  @Option(names = "--home", required = true, description = "The cell's home.")
  private Path home;

  @Option(names = "--out", required = true, description = "Folder of the record.")
  private Path out;

  @Option(names = "--run-id", required = true, description = "Name of the run.")
  private String runId;

  @Option(
      names = "--loader-pid-file",
      required = true,
      description = "File that will hold the loader's process id.")
  private Path loaderPidFile;

  @Option(
      names = "--ready-file",
      required = true,
      description = "File that is made when sampling has begun.")
  private Path readyFile;

  @Option(
      names = "--neighbours-file",
      description = "What `cell.jar quiet` reported; taken over into the record.")
  private Path neighboursFile;

  @Option(names = "--interval-ms", defaultValue = "1000", description = "Default: 1000 ms.")
  private long intervalMs;

  @Override
  public Integer call() throws IOException {
    var sampler =
        new Sampler(
            new SampledCell(CellHome.read(home)),
            Detection.present().map(Groups::of).orElse(Groups.NONE),
            out,
            runId,
            intervalMs,
            neighbours());
    var starter = ProcessHandle.current().parent().orElseThrow();
    sampler.start(loaderPidFile);
    // A signal ends the JVM once the hooks have run; so does the end of this command.
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(sampler)));
    Files.createFile(readyFile);
    starter.onExit().join();
    return 0;
  }

  /** Empty when nobody looked: the point is worth recording all the same. */
  private ObjectNode neighbours() throws IOException {
    if (neighboursFile != null
        && Files.exists(neighboursFile)
        && Json.mapper().readTree(Files.readString(neighboursFile)) instanceof ObjectNode seen) {
      return seen;
    }
    return Json.object();
  }

  private static void stop(Sampler sampler) {
    try {
      sampler.stop();
    } catch (IOException e) {
      System.err.println("cell.jar sample: can't finish the record: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
