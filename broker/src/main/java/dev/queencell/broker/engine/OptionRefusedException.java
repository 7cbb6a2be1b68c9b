package dev.queencell.broker.engine;

import java.io.Serial;

/** A queue option can't be taken; the message names it and what it accepts. Nothing was changed. */
public final class OptionRefusedException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  OptionRefusedException(String message) {
    super(message);
  }
}
