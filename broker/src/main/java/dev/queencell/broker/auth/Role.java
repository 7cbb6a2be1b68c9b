package dev.queencell.broker.auth;

/** What a token may say that its bearer is. */
public enum Role {
  ADMIN,
  READ_WRITE,
  READ_ONLY,
  WRITE_ONLY;

  /** Whether this role alone is enough for a level. */
  public boolean satisfies(AccessLevel level) {
    return switch (level) {
      case PUBLIC -> true;
      case READ_ONLY -> this != WRITE_ONLY;
      case WRITE_ONLY -> this != READ_ONLY;
      case READ_WRITE -> this == READ_WRITE || this == ADMIN;
      case ADMIN -> this == ADMIN;
    };
  }
}
