package dev.queencell.cell.status;

/**
 * What keeps a unit running says about it.
 *
 * @param state whether its process runs
 * @param pid its process; 0 when there is none
 * @param restarts how often it was started again since the cell came up
 */
record UnitRun(State state, long pid, int restarts) {
  enum State {
    RUNNING,
    /** It failed and waits to be started again. */
    RESTARTING,
    /** It ended and will not be started again. */
    ENDED,
    DOWN
  }

  static UnitRun down(State state, int restarts) {
    return new UnitRun(state, 0, restarts);
  }
}
