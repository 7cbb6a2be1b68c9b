package dev.queencell.cell.status;

/**
 * What keeps a unit running says about it.
 *
 * @param state whether its process runs
 * @param pid its process; 0 when there is none
 * @param restarts how often it was started again since the cell came up
 * @param waitMs how long it waits in all before it is started again; 0 unless it waits
 * @param lastExit how its process ended last; empty when that is not known
 */
record UnitRun(State state, long pid, int restarts, long waitMs, String lastExit) {
  enum State {
    RUNNING,
    /** It failed and waits to be started again. */
    RESTARTING,
    /** It ended and will not be started again. */
    FAILED,
    DOWN
  }

  static UnitRun running(long pid, int restarts, String lastExit) {
    return new UnitRun(State.RUNNING, pid, restarts, 0, lastExit);
  }

  static UnitRun restarting(int restarts, long waitMs, String lastExit) {
    return new UnitRun(State.RESTARTING, 0, restarts, waitMs, lastExit);
  }

  /** {@link State#FAILED} or {@link State#DOWN}. */
  static UnitRun down(State state, int restarts, String lastExit) {
    return new UnitRun(state, 0, restarts, 0, lastExit);
  }
}
