package dev.queencell.cell.status;

import dev.queencell.cell.home.CellHome;

/** What keeps the cell's processes running, asked about one of them. */
interface UnitRuns {
  /** The unit's state now; a unit nobody knows of is down. */
  UnitRun read(String unit);

  /** The one that this cell uses. */
  static UnitRuns of(CellHome home) {
    return home.runsUnderSystemd()
        ? new SystemdUnits(home, SystemdUnits.systemctl())
        : new SupervisedUnits(home, java.nio.file.Path.of("/proc"));
  }
}
