package dev.queencell.cell.postgres;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pg wait}: returns once a database answers a query. */
@Command(
    name = "wait",
    description =
        "Waits until the database answers; exits 1 with the last reason when it does not.",
    mixinStandardHelpOptions = true)
final class PgWaitCommand implements Runnable {
  private static final long POLL_INTERVAL_MS = 50;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--deadline-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "how long; default ${DEFAULT-VALUE}")
  private int deadlineSeconds;

  @Override
  public void run() {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(deadlineSeconds);
    while (true) {
      try (var connected = connection.connect();
          var statement = connected.createStatement()) {
        statement.execute("SELECT 1");
        return;
      } catch (SQLException e) {
        if (isFinal(e) || System.nanoTime() - deadlineNanos > 0) {
          throw new IllegalStateException(
              "%s does not answer: %s".formatted(connection.database(), e.getMessage()), e);
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_INTERVAL_MS));
    }
  }

  /** A wrong password or a missing database does not mend itself: classes 28 and 3D. */
  private static boolean isFinal(SQLException e) {
    var state = e.getSQLState();
    return state != null && (state.startsWith("28") || state.startsWith("3D"));
  }
}
