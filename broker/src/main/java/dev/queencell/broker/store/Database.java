package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.flywaydb.core.Flyway;

/**
 * Where the cell's messages are. Opens plain sessions, a few per broker and each for one duty, so
 * that there is no pool. Thread-safe.
 */
public final class Database {
  /** A session that gives no sign for this long is taken for dead. */
  private static final int SOCKET_TIMEOUT_SECONDS = 60;

  private static final int CONNECT_TIMEOUT_SECONDS = 5;

  /** The journal's statements differ by their number of rows; all of them stay prepared. */
  private static final int PREPARED_STATEMENTS_MAX = 2048;

  private final String jdbcUrl;
  private final String user;
  private final String password;

  public Database(String jdbcUrl, String user, String password) {
    this.jdbcUrl = jdbcUrl;
    this.user = user;
    this.password = password;
  }

  /**
   * Opens a session.
   *
   * @param duty what it is for, shown in {@code pg_stat_activity}
   */
  public Connection open(String duty) throws SQLException {
    return open(duty, SOCKET_TIMEOUT_SECONDS);
  }

  /** Opens a session that is taken for dead sooner than usual. */
  public Connection open(String duty, int socketTimeoutSeconds) throws SQLException {
    var properties = new Properties();
    properties.setProperty("user", user);
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("ApplicationName", "queencell-" + duty);
    properties.setProperty("prepareThreshold", "1");
    properties.setProperty(
        "preparedStatementCacheQueries", Integer.toString(PREPARED_STATEMENTS_MAX));
    properties.setProperty("preparedStatementCacheSizeMiB", "32");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("connectTimeout", Integer.toString(CONNECT_TIMEOUT_SECONDS));
    properties.setProperty("socketTimeout", Integer.toString(socketTimeoutSeconds));
    return DriverManager.getConnection(jdbcUrl, properties);
  }

  /**
   * Brings the schema up to date; several brokers may do it at once, PostgreSQL lets one through.
   */
  public void migrate() {
    Flyway.configure(Database.class.getClassLoader())
        .dataSource(jdbcUrl, user, password)
        .schemas("queen")
        .defaultSchema("queen")
        .locations("classpath:db/queen")
        .load()
        .migrate();
  }

  /** Whether an error of this state means that the session, not the statement, is gone. */
  public static boolean sessionLost(SQLException e) {
    var state = e.getSQLState();
    return state == null || state.startsWith("08") || state.startsWith("57P");
  }

  /**
   * Whether an error of this state came from what the rows hold, or from who else was writing; the
   * session is alive, and nothing was written.
   */
  public static boolean rowsRefused(SQLException e) {
    var state = e.getSQLState();
    return state != null
        && (state.startsWith("22")
            || state.startsWith("23")
            || state.startsWith("40")
            || state.startsWith("44")
            || state.startsWith("54")
            || state.startsWith("P0"));
  }
}
