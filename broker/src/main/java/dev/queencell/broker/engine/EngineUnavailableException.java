package dev.queencell.broker.engine;

import java.io.Serial;

/** This broker can't decide now: it is a standby, taking over, or without its database. */
public final class EngineUnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final String ownerUrl;

  /**
   * @param ownerUrl where the owner serves, when another broker owns the database; null otherwise
   */
  public EngineUnavailableException(String why, String ownerUrl) {
    super(why, null, false, false);
    this.ownerUrl = ownerUrl;
  }

  public String ownerUrl() {
    return ownerUrl;
  }
}
