package dev.queencell.state.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.queencell.service.HttpProblem;
import java.sql.Connection;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool and the schema. A transaction either commits as a whole or leaves nothing; it is run
 * again, a few times, when PostgreSQL chose it as the victim of a deadlock.
 *
 * <p>Thread-safe. A database that is away surfaces as {@link HttpProblem} 503 {@code unavailable}.
 */
public final class Database implements AutoCloseable {
  /** Where the database is. */
  public record Address(String host, int port, String name, String user, String password) {}

  /** What is done inside a transaction. */
  @FunctionalInterface
  public interface Work<T> {
    T run(Tx tx) throws SQLException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(Database.class);

  private static final String SCHEMA = "queen_proxy";
  private static final int POOL_SIZE_MAX = 8;
  private static final int POOL_IDLE_MIN = 1;
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  private static final int STATEMENT_TIMEOUT_MS = 10_000;
  private static final int ATTEMPTS_MAX = 3;

  private static final String DEADLOCK = "40P01";
  private static final String UNIQUE_VIOLATION = "23505";
  private static final String CONNECTION_CLASS = "08";
  private static final String SHUTDOWN_CLASS = "57P";
  private static final String STATEMENT_CANCELLED = "57014";

  private final HikariDataSource pool;

  private Database(HikariDataSource pool) {
    this.pool = pool;
  }

  /**
   * Connects and brings the schema to this build's version.
   *
   * @throws IllegalStateException when the database can't be reached or its schema is newer
   */
  public static Database open(Address address) {
    var config = new HikariConfig();
    config.setPoolName("state");
    config.setJdbcUrl(
        "jdbc:postgresql://%s:%d/%s".formatted(address.host(), address.port(), address.name()));
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(POOL_SIZE_MAX);
    config.setMinimumIdle(POOL_IDLE_MIN);
    config.setConnectionTimeout(CONNECT_TIMEOUT_MS);
    config.setAutoCommit(false);
    config.addDataSourceProperty("ApplicationName", "queencell-state");
    config.addDataSourceProperty("options", "-c statement_timeout=" + STATEMENT_TIMEOUT_MS);
    config.addDataSourceProperty("tcpKeepAlive", "true");
    try {
      var pool = new HikariDataSource(config);
      try {
        migrate(pool);
      } catch (RuntimeException e) {
        pool.close();
        throw e;
      }
      return new Database(pool);
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "can't open the tenant-state database %s at %s:%d: %s"
              .formatted(address.name(), address.host(), address.port(), rootMessage(e)),
          e);
    }
  }

  /**
   * Runs one transaction.
   *
   * @throws HttpProblem whatever the work refuses with (rolled back), 409 on a unique key that a
   *     concurrent call took, 503 when the database is away
   */
  public <T> T transaction(Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(work);
      } catch (SQLException e) {
        if (DEADLOCK.equals(e.getSQLState()) && attempt < ATTEMPTS_MAX) {
          continue;
        }
        throw problem(e);
      }
    }
  }

  /**
   * Asks the database for a sign of life.
   *
   * @throws HttpProblem 503 when there is none
   */
  public void ping() {
    transaction(tx -> tx.one("SELECT 1 AS alive", row -> row.number("alive")));
  }

  @Override
  public void close() {
    pool.close();
  }

  private <T> T attempt(Work<T> work) throws SQLException {
    try (var connection = pool.getConnection()) {
      try {
        var result = work.run(new Tx(connection));
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        rollback(connection, e);
        throw e;
      }
    }
  }

  private static void rollback(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private static HttpProblem problem(SQLException e) {
    var state = e.getSQLState() == null ? CONNECTION_CLASS : e.getSQLState();
    if (state.equals(UNIQUE_VIOLATION)) {
      return new HttpProblem(409, "a concurrent call took that name or id", "conflict");
    }
    // The parameters of a statement may hold secrets: PostgreSQL's own text names columns at most.
    LOG.error("database failed: SQLSTATE {}: {}", state, e.getMessage());
    boolean away =
        state.startsWith(CONNECTION_CLASS)
            || state.startsWith(SHUTDOWN_CLASS)
            || state.equals(STATEMENT_CANCELLED);
    return away
        ? new HttpProblem(503, "the tenant-state database is away or too busy", "unavailable")
        : new HttpProblem(500, "the tenant-state database refused the call", "internal");
  }

  private static void migrate(HikariDataSource pool) {
    Flyway.configure()
        .dataSource(pool)
        .schemas(SCHEMA)
        .locations("classpath:dev/queencell/state/schema")
        .validateMigrationNaming(true)
        .load()
        .migrate();
  }

  private static String rootMessage(Throwable e) {
    var root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }
}
