package dev.queencell.cell.postgres;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pg install}: unpacks the packaged PostgreSQL and prints where its programs are. */
@Command(
    name = "install",
    description = "Unpacks PostgreSQL unless it is there, and prints the folder of its programs.",
    mixinStandardHelpOptions = true)
final class PgInstallCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--into",
      paramLabel = "DIR",
      description = "folder for it, a version each; default $QUEENCELL_CACHE or the user's cache")
  private Path into;

  @Override
  public void run() {
    var binaries = into == null ? PostgresBinaries.install() : PostgresBinaries.install(into);
    spec.commandLine().getOut().println(binaries.bin());
  }
}
