package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;
import java.nio.file.Path;

/**
 * Reads the records that {@code supervise.sh} keeps in the home's {@code run} folder. A record
 * counts only while the process that it names is alive: same pid, same start time.
 */
final class SupervisedUnits implements UnitRuns {
  private final RunRecords records;
  private final Path proc;

  SupervisedUnits(CellHome home, Path proc) {
    this.records = new RunRecords(home);
    this.proc = proc;
  }

  @Override
  public UnitRun read(String unit) {
    int restarts = records.line(unit, "restarts").map(Integer::parseInt).orElse(0);
    var lastExit = records.line(unit, "exit").orElse("");
    var started = records.line(unit, "started").map(text -> text.split(" ", -1));
    if (started.isPresent() && isAlive(started.get())) {
      return UnitRun.running(Long.parseLong(started.get()[0]), restarts, lastExit);
    }
    if (records.line(unit, "supervisor").filter(text -> isAlive(text.split(" ", -1))).isPresent()) {
      return UnitRun.restarting(restarts, records.waitMs(unit), lastExit);
    }
    return UnitRun.down(
        lastExit.isEmpty() ? UnitRun.State.DOWN : UnitRun.State.FAILED, restarts, lastExit);
  }

  private boolean isAlive(String[] pidAndTicks) {
    return ProcessStat.read(proc, Long.parseLong(pidAndTicks[0]))
        .filter(stat -> stat.startTicks() == Long.parseLong(pidAndTicks[1]))
        .isPresent();
  }
}
