package dev.queencell.state.cli;

import java.io.Serial;

/** A command that could not be done; the text says why. */
final class CommandException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final boolean usage;

  private CommandException(String text, boolean usage) {
    super(text, null, false, false);
    this.usage = usage;
  }

  CommandException(String text) {
    this(text, false);
  }

  /** The command line itself is wrong. */
  static CommandException ofUsage(String text) {
    return new CommandException(text, true);
  }

  boolean isUsage() {
    return usage;
  }
}
