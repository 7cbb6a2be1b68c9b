package dev.queencell.state.cli;

import java.io.Serial;

/** A command that could not be done; the text says why. */
final class CommandException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final boolean usage;
  private final String code;

  private CommandException(String text, boolean usage, String code) {
    super(text, null, false, false);
    this.usage = usage;
    this.code = code;
  }

  CommandException(String text) {
    this(text, false, "");
  }

  /** The command line itself is wrong. */
  static CommandException ofUsage(String text) {
    return new CommandException(text, true, "");
  }

  /** The tenant state refused. */
  static CommandException ofRefusal(String text, String code) {
    return new CommandException("%s (%s)".formatted(text, code), false, code);
  }

  /** The code of a refusal; empty for everything else. */
  String code() {
    return code;
  }

  boolean isUsage() {
    return usage;
  }
}
