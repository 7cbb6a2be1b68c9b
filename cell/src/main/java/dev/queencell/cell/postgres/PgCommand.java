package dev.queencell.cell.postgres;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pg}: from nothing to a database that answers. */
@Command(
    name = "pg",
    description = "Installs PostgreSQL, prepares data directories and databases.",
    mixinStandardHelpOptions = true,
    subcommands = {
      PgInstallCommand.class,
      PgInitCommand.class,
      PgWaitCommand.class,
      PgCheckCommand.class,
      PgDropCreateCommand.class
    })
public final class PgCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; it takes one of "
            + String.join(", ", spec.commandLine().getSubcommands().keySet()));
  }
}
