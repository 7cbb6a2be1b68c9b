package dev.queencell.testsupport;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A database of its own for a test class:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TestDatabase DATABASE = TestDatabase.of("broker", Schema::migrate);
 * }</pre>
 *
 * One server serves the whole test JVM. The schema is made once per name, in a template, and cloned
 * for each class, which takes some ten milliseconds; the clone is dropped after the class. The
 * server is not durable; a test that crashes PostgreSQL starts its own with {@code
 * PostgresServer.durable()}.
 *
 * <p>Registered on a static field. Its accessors work from the class's {@code @BeforeAll} on.
 */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestDatabase.class);

  /** Makes a schema in an empty database. */
  @FunctionalInterface
  public interface Schema {
    void create(DataSource database) throws Exception;
  }

  private final String schemaName;
  private final Schema schema;
  private Shared shared;
  private String database;

  private TestDatabase(String schemaName, Schema schema) {
    if (!schemaName.matches("[a-z][a-z0-9_]{0,30}")) {
      throw new IllegalArgumentException(
          "schema name is '%s'; it takes lowercase letters, digits and underscores, at most 31"
              .formatted(schemaName));
    }
    this.schemaName = schemaName;
    this.schema = schema;
  }

  /**
   * A database with a schema in it.
   *
   * @param schemaName names the template; the same name means the same schema in the whole JVM
   * @param schema run once per name; it must close the connections that it opens
   */
  public static TestDatabase of(String schemaName, Schema schema) {
    return new TestDatabase(schemaName, schema);
  }

  /** An empty database. */
  public static TestDatabase empty() {
    return new TestDatabase("empty", ignored -> {});
  }

  /**
   * An empty database on a server of its own, for tests that JUnit Jupiter does not run; close it.
   */
  public static TestDatabase standalone() {
    var alone = empty();
    alone.shared = Shared.start();
    alone.database = alone.shared.clone(alone.schemaName, alone.schema);
    return alone;
  }

  /** Stops the server of a {@link #standalone()} database. */
  @Override
  public void close() {
    started().close();
    database = null;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    var store = context.getRoot().getStore(NAMESPACE);
    shared = store.computeIfAbsent(Shared.class, key -> Shared.start(), Shared.class);
    database = shared.clone(schemaName, schema);
  }

  @Override
  public void afterAll(ExtensionContext context) throws SQLException {
    if (database != null) {
      shared.drop(database);
      database = null;
    }
  }

  /** Replaces the database by a fresh clone under the same name; open connections are cut. */
  public void reset() throws Exception {
    shared.drop(database());
    shared.cloneAs(database, schemaName, schema);
  }

  public String host() {
    return started().server.host();
  }

  public int port() {
    return started().server.port();
  }

  public String user() {
    return started().server.user();
  }

  public String password() {
    return started().server.password();
  }

  /** The database's name on the server. */
  public String database() {
    started();
    return database;
  }

  /** The URL without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://%s:%d/%s".formatted(host(), port(), database());
  }

  /** A source whose every connection is a new one. */
  public DataSource dataSource() {
    return started().server.dataSource(database());
  }

  public Connection connect() throws SQLException {
    return dataSource().getConnection();
  }

  private Shared started() {
    if (database == null) {
      throw new IllegalStateException(
          "the database is there between the class's first @BeforeAll and its last @AfterAll only;"
              + " is the field static and annotated with @RegisterExtension?");
    }
    return shared;
  }

  /** The server with its templates; JUnit closes it after the last test of the JVM. */
  private static final class Shared implements AutoCloseable {
    private final TestServer server;
    private final ConcurrentMap<String, String> templates = new ConcurrentHashMap<>();
    private final AtomicInteger clones = new AtomicInteger();

    Shared(TestServer server) {
      this.server = server;
    }

    static Shared start() {
      return new Shared(TestServer.start(System.getProperty(TestServer.KIND_PROPERTY, "embedded")));
    }

    String clone(String schemaName, Schema schema) {
      return cloneAs(
          "test_%s_%d".formatted(schemaName, clones.incrementAndGet()), schemaName, schema);
    }

    String cloneAs(String name, String schemaName, Schema schema) {
      var template = templates.computeIfAbsent(schemaName, key -> createTemplate(key, schema));
      execute("CREATE DATABASE %s TEMPLATE %s".formatted(name, template));
      return name;
    }

    void drop(String name) {
      execute("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(name));
    }

    private String createTemplate(String schemaName, Schema schema) {
      var template = "template_" + schemaName.toLowerCase(Locale.ROOT);
      execute("CREATE DATABASE " + template);
      try {
        schema.create(server.dataSource(template));
      } catch (Exception e) {
        drop(template);
        throw new IllegalStateException("the schema '" + schemaName + "' can't be made", e);
      }
      // A database with a session in it can't be cloned; this also keeps new ones out.
      execute("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(template));
      return template;
    }

    private void execute(String statement) {
      try (var connection = server.dataSource("postgres").getConnection();
          var sql = connection.createStatement()) {
        sql.execute(statement);
      } catch (SQLException e) {
        throw new IllegalStateException(statement + " failed: " + e.getMessage(), e);
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
