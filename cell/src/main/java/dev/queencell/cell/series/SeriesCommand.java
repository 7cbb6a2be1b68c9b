package dev.queencell.cell.series;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands of a series share: each is a set of subcommands that print lines. */
abstract class SeriesCommand implements Runnable {
  /** Exit status of {@code show} when nothing that was measured counts. */
  static final int NOTHING_COUNTS = 3;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw wrong("it takes one of " + String.join(", ", spec.subcommands().keySet()));
  }

  /** A mistake of the caller's. */
  final ParameterException wrong(String text) {
    return new ParameterException(spec.commandLine(), text);
  }

  final ParameterException wrong(IllegalArgumentException cause) {
    return new ParameterException(spec.commandLine(), cause.getMessage(), cause);
  }

  final void print(String text) {
    var out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }
}
