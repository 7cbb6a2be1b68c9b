package dev.queencell.cell.sample;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;

/**
 * The sampler's sessions in the cell's PostgreSQL. The counters are read from a database of the
 * sampler's own ({@code postgres}), so that its commits do not count as the broker's; what can only
 * be seen from inside the broker's database is read there, and those commits are counted, for the
 * caller to subtract. A broken session is opened anew at the next use.
 *
 * <p>Not thread-safe, but for {@link #sessionPids}.
 */
final class Postgres implements AutoCloseable {
  static final String APPLICATION_NAME = "queencell-sampler";

  private static final String OWN_DATABASE = "postgres";
  private static final int CONNECT_TIMEOUT_S = 3;
  private static final int ANSWER_TIMEOUT_S = 5;
  private static final Pattern URL = Pattern.compile("(jdbc:postgresql://[^/]*/)([^?]+)(\\?.*)?");

  private final String urlStart;
  private final String urlEnd;
  private final String database;
  private final Properties properties;
  private Session outside;
  private Session inside;
  private long commitsInside;
  private volatile Set<Long> sessionPids = Set.of();

  /**
   * Keeps the way in; connects at the first use.
   *
   * @param url of the broker's database
   * @throws IllegalArgumentException when the URL is not PostgreSQL's
   */
  Postgres(String url, String user, String password) {
    var parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "database URL is '%s'; it takes jdbc:postgresql://HOST:PORT/DATABASE".formatted(url));
    }
    this.urlStart = parts.group(1);
    this.database = parts.group(2);
    this.urlEnd = parts.group(3) == null ? "" : parts.group(3);
    this.properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("ApplicationName", APPLICATION_NAME);
    properties.setProperty("connectTimeout", Integer.toString(CONNECT_TIMEOUT_S));
    properties.setProperty("loginTimeout", Integer.toString(CONNECT_TIMEOUT_S));
    properties.setProperty("socketTimeout", Integer.toString(ANSWER_TIMEOUT_S));
    properties.setProperty("readOnly", "true");
  }

  /** The name of the broker's database. */
  String database() {
    return database;
  }

  /** How many transactions this object has committed in the broker's database so far. */
  long commitsInside() {
    return commitsInside;
  }

  /**
   * The server's processes that serve this object's sessions: what sampling costs the cell. Their
   * ids are those of the server's machine. May be called from any thread.
   */
  Set<Long> sessionPids() {
    return sessionPids;
  }

  int release() throws SQLException {
    return outside().connection.getMetaData().getDatabaseMajorVersion();
  }

  String version() throws SQLException {
    return outside().connection.getMetaData().getDatabaseProductVersion();
  }

  /** Takes the rows of one query. */
  interface Rows<T> {
    T take(ResultSet rows) throws SQLException;
  }

  /** Runs a query in the sampler's own database. */
  <T> T outside(Queries query, Rows<T> rows, String... parameters) throws SQLException {
    try {
      return outside().run(query, rows, parameters);
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  /** Runs a query in the broker's database. */
  <T> T inside(Queries query, Rows<T> rows, String... parameters) throws SQLException {
    try {
      if (inside == null) {
        inside = open(database);
        leaveStatements(inside.connection);
      }
      commitsInside++;
      return inside.run(query, rows, parameters);
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  @Override
  public void close() {
    closeQuietly(outside);
    closeQuietly(inside);
    outside = null;
    inside = null;
    sessionPids = Set.of();
  }

  private Session outside() throws SQLException {
    if (outside == null) {
      outside = open(OWN_DATABASE);
    }
    return outside;
  }

  private Session open(String name) throws SQLException {
    var session = new Session(DriverManager.getConnection(urlStart + name + urlEnd, properties));
    var pids = new HashSet<>(sessionPids);
    pids.add((long) session.connection.unwrap(PGConnection.class).getBackendPID());
    sessionPids = Set.copyOf(pids);
    return session;
  }

  /** What is asked here is no statement of the broker's; only a superuser may say so. */
  private void leaveStatements(Connection connection) {
    commitsInside++;
    try (var statement = connection.createStatement()) {
      statement.execute("set pg_stat_statements.track = 'none'");
    } catch (SQLException e) {
      // Then the record of the statements has the sampler's own, too.
    }
  }

  private static void closeQuietly(Session session) {
    if (session != null) {
      try {
        session.connection.close();
      } catch (SQLException e) {
        // It is broken, which is why it is closed.
      }
    }
  }

  /** A connection with its prepared statements. */
  private static final class Session {
    private final Connection connection;
    private final Map<Queries, PreparedStatement> prepared = new EnumMap<>(Queries.class);

    private Session(Connection connection) {
      this.connection = connection;
    }

    private <T> T run(Queries query, Rows<T> rows, String... parameters) throws SQLException {
      var statement = prepared.get(query);
      if (statement == null) {
        statement = connection.prepareStatement(query.sql());
        prepared.put(query, statement);
      }
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (var result = statement.executeQuery()) {
        return rows.take(result);
      }
    }
  }
}
