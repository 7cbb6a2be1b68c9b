package dev.queencell.cell.postgres;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code pg drop-create}: an empty database in place of the one there is. Ends with a checkpoint,
 * so that what is measured next does not pay for writing back what was before.
 */
@Command(
    name = "drop-create",
    description = "Drops a database, cutting its sessions, and creates it empty; prints the time.",
    mixinStandardHelpOptions = true)
final class PgDropCreateCommand implements Runnable {
  private static final String MAINTENANCE_DATABASE = "postgres";

  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--database",
      paramLabel = "NAME",
      description = "which; default the one in the URL")
  private String database;

  @Override
  public void run() {
    var name = database == null ? connection.database() : database;
    PostgresCluster.requireName("database", name);
    if (name.equals(MAINTENANCE_DATABASE) || name.startsWith("template")) {
      throw new IllegalArgumentException("--database is '" + name + "', PostgreSQL's own");
    }
    long start = System.nanoTime();
    try (var connected = connection.connect(MAINTENANCE_DATABASE);
        var statement = connected.createStatement()) {
      // The name was checked above; an identifier can't be a parameter.
      statement.execute("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
      statement.execute("CREATE DATABASE \"" + name + "\"");
      statement.execute("CHECKPOINT");
    } catch (SQLException e) {
      throw new IllegalStateException("can't recreate " + name + ": " + e.getMessage(), e);
    }
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    spec.commandLine().getOut().printf("recreated %s in %d ms%n", name, elapsedMs);
  }
}
