package dev.queencell.broker.engine;

/** What a work is counted as. */
public enum WorkKind {
  /** Pushes and transactions. */
  PUSH,
  POP,
  ACK,
  /** Management, and what lanes do for themselves. */
  MAINT
}
