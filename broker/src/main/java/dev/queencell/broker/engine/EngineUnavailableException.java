package dev.queencell.broker.engine;

import java.io.Serial;

/** This broker can't decide now: it is a standby, taking over, or without its database. */
public final class EngineUnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final String ownerUrl;
  private final boolean inDoubt;

  /**
   * @param ownerUrl where the owner serves, when another broker owns the database; null otherwise
   */
  public EngineUnavailableException(String why, String ownerUrl) {
    this(why, ownerUrl, false);
  }

  private EngineUnavailableException(String why, String ownerUrl, boolean inDoubt) {
    super(why, null, false, false);
    this.ownerUrl = ownerUrl;
    this.inDoubt = inDoubt;
  }

  /** The work was sent to the database, and nobody can tell whether it was done. */
  static EngineUnavailableException inDoubt(String why) {
    return new EngineUnavailableException(why, null, true);
  }

  /** Whether the work may have been done all the same. */
  public boolean inDoubt() {
    return inDoubt;
  }

  public String ownerUrl() {
    return ownerUrl;
  }
}
