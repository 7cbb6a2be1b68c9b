package dev.queencell.cell.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code pg check}: whether a server that somebody else runs can hold the messages. The broker
 * keeps state in its sessions (an advisory lock, prepared statements), which a pooler that hands a
 * session from client to client between transactions takes away.
 */
@Command(
    name = "check",
    description = {
      "Checks that a server can hold the messages: its release, that it takes writes, that a",
      "connection keeps its session. Prints what it is; exits 1 with the reason when it can't."
    },
    mixinStandardHelpOptions = true)
final class PgCheckCommand implements Runnable {
  /** What a check found out. */
  record Facts(int major, boolean isStandby, boolean mayCreate, String encoding) {}

  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--min-major",
      defaultValue = "16",
      paramLabel = "N",
      description = "oldest release that will do; default ${DEFAULT-VALUE}")
  private int minMajor;

  @Override
  public void run() {
    try (var first = connection.connect();
        var second = connection.connect()) {
      requireUsable(facts(first), minMajor, first.getMetaData().getDatabaseProductVersion());
      if (!keepsItsSession(first, second)) {
        throw new IllegalStateException(
            "a pooler is between us and PostgreSQL and hands its sessions from client to client"
                + " (transaction mode); the broker needs session mode or a direct connection");
      }
      spec.commandLine()
          .getOut()
          .printf(
              "PostgreSQL %s, a connection keeps its session%n",
              first.getMetaData().getDatabaseProductVersion());
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  static void requireUsable(Facts facts, int minMajor, String version) {
    if (facts.major() < minMajor) {
      throw new IllegalStateException(
          "the server is PostgreSQL %s; it takes %d or newer".formatted(version, minMajor));
    }
    if (facts.isStandby()) {
      throw new IllegalStateException("the server is a standby and takes no writes");
    }
    if (!facts.encoding().equals("UTF8")) {
      throw new IllegalStateException(
          "the database's encoding is %s; it takes UTF8".formatted(facts.encoding()));
    }
    if (!facts.mayCreate()) {
      throw new IllegalStateException(
          "the role may not create schemas in the database; grant it CREATE on the database");
    }
  }

  private static Facts facts(Connection connected) throws SQLException {
    try (var query = connected.createStatement();
        var row = query.executeQuery(sql("server-facts.sql"))) {
      row.next();
      return new Facts(
          row.getInt("version_number") / 10_000,
          row.getBoolean("is_standby"),
          row.getBoolean("may_create"),
          row.getString("encoding"));
    }
  }

  /**
   * Whether {@code first} is served by one and the same process while {@code second} has a
   * transaction open. A pooler in transaction mode lends out the session it got back last: then the
   * second has the first one's, and the first gets another.
   */
  static boolean keepsItsSession(Connection first, Connection second) throws SQLException {
    int before = servedBy(first);
    second.setAutoCommit(false);
    try {
      int other = servedBy(second);
      return other != before && servedBy(first) == before;
    } finally {
      second.rollback();
    }
  }

  private static int servedBy(Connection connected) throws SQLException {
    try (var query = connected.createStatement();
        var row = query.executeQuery(sql("served-by.sql"))) {
      row.next();
      return row.getInt(1);
    }
  }

  private static String sql(String name) {
    try (var in = PgCheckCommand.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
