package dev.queencell.broker.auth;

/** What a route asks of its caller. Levels are sets of roles, not steps of a ladder. */
public enum AccessLevel {
  PUBLIC,
  READ_ONLY,
  WRITE_ONLY,
  READ_WRITE,
  ADMIN
}
