package dev.queencell.loader.options;

import java.io.Serial;

/** A command line that can't be run; the message is one line for its author. */
public final class BadOptionException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public BadOptionException(String message) {
    super(message, null, false, false);
  }
}
