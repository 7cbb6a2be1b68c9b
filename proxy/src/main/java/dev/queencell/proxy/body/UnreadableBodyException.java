package dev.queencell.proxy.body;

import java.io.Serial;

/** A body that must not pass uncounted. */
public final class UnreadableBodyException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  UnreadableBodyException(String message) {
    super(message, null, false, false);
  }
}
