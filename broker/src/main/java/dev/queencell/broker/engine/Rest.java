package dev.queencell.broker.engine;

/**
 * Why a lane is not looked at until an instant, though it has something to deliver to a group. In
 * memory only: a new owner looks at once, and has it rest again if the reason still holds.
 *
 * @param timer ends it
 */
record Rest(Why why, Timers.Timer timer) {
  /** The option that makes it rest. */
  enum Why {
    /** Its next message is not to be seen yet. */
    DELAY,
    /** Messages gather for a fuller batch. */
    WINDOW,
    /** Its last delivery failed. */
    RETRY
  }
}
