package dev.queencell.loader.run;

import java.io.Serial;

/** A run that could not start: no numbers exist. The message says why. */
public final class SetupException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  public SetupException(String message) {
    super(message);
  }
}
