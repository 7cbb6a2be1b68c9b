package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads the records that {@code supervise.sh} keeps in the home's {@code run} folder. A record
 * counts only while the process that it names is alive: same pid, same start time.
 */
final class SupervisedUnits implements UnitRuns {
  private final CellHome home;
  private final Path proc;

  SupervisedUnits(CellHome home, Path proc) {
    this.home = home;
    this.proc = proc;
  }

  @Override
  public UnitRun read(String unit) {
    int restarts = line(unit, "restarts").map(Integer::parseInt).orElse(0);
    var started = line(unit, "started").map(text -> text.split(" ", -1));
    if (started.isPresent() && isAlive(started.get())) {
      return new UnitRun(UnitRun.State.RUNNING, Long.parseLong(started.get()[0]), restarts);
    }
    if (line(unit, "supervisor").filter(text -> isAlive(text.split(" ", -1))).isPresent()) {
      return UnitRun.down(UnitRun.State.RESTARTING, restarts);
    }
    return UnitRun.down(
        line(unit, "exit").isPresent() ? UnitRun.State.ENDED : UnitRun.State.DOWN, restarts);
  }

  private boolean isAlive(String[] pidAndTicks) {
    return ProcessStat.read(proc, Long.parseLong(pidAndTicks[0]))
        .filter(stat -> stat.startTicks() == Long.parseLong(pidAndTicks[1]))
        .isPresent();
  }

  private Optional<String> line(String unit, String record) {
    try (var lines = Files.lines(home.folder().resolve("run").resolve(unit + "." + record))) {
      // A record is written with one write, but its file is empty for a moment before.
      return lines.findFirst().map(String::strip).filter(text -> !text.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
