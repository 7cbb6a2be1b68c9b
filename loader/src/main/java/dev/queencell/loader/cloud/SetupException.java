package dev.queencell.loader.cloud;

import java.io.Serial;

/** A run that could not start: no numbers exist. The message says why. */
final class SetupException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  SetupException(String message) {
    super(message);
  }
}
