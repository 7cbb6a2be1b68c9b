package dev.queencell.proxy.directory;

import java.io.Serial;

/** The tenant-state service gave no answer, and nothing remembered can stand in for one. */
public final class StateAwayException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public StateAwayException(String message, Throwable cause) {
    super(message, cause, false, false);
  }
}
