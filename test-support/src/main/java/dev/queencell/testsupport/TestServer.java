package dev.queencell.testsupport;

import dev.queencell.cell.postgres.PostgresServer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The one PostgreSQL server of a test JVM, of the kind that {@code -Dqueencell.pg} asks for: {@code
 * embedded} (the default) or {@code testcontainers}, whose image {@code -Dqueencell.pg.image}
 * names.
 */
sealed interface TestServer extends AutoCloseable {
  String KIND_PROPERTY = "queencell.pg";
  String IMAGE_PROPERTY = "queencell.pg.image";
  String DEFAULT_IMAGE = "postgres:18";

  String host();

  int port();

  String user();

  String password();

  @Override
  void close();

  default DataSource dataSource(String database) {
    var source = new PGSimpleDataSource();
    source.setUrl("jdbc:postgresql://%s:%d/%s".formatted(host(), port(), database));
    source.setUser(user());
    source.setPassword(password());
    return source;
  }

  /**
   * Starts it.
   *
   * @throws IllegalStateException for another kind, and where no Docker engine answers
   */
  static TestServer start(String kind) {
    return switch (kind) {
      case "embedded" -> new Embedded(PostgresServer.disposable());
      case "testcontainers" -> Container.start(System.getProperty(IMAGE_PROPERTY, DEFAULT_IMAGE));
      default ->
          throw new IllegalStateException(
              "-D%s is '%s'; it takes embedded or testcontainers".formatted(KIND_PROPERTY, kind));
    };
  }

  /** A server out of the project's own jar. */
  record Embedded(PostgresServer server) implements TestServer {
    @Override
    public String host() {
      return server.host();
    }

    @Override
    public int port() {
      return server.port();
    }

    @Override
    public String user() {
      return PostgresServer.USER;
    }

    @Override
    public String password() {
      return server.password();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A server in a container. */
  record Container(PostgreSQLContainer container) implements TestServer {
    static Container start(String image) {
      if (!DockerClientFactory.instance().isDockerAvailable()) {
        throw new IllegalStateException(
            "-D%s=testcontainers needs a Docker engine and none answers; start one, or leave the"
                    .formatted(KIND_PROPERTY)
                + " property out to use the embedded PostgreSQL");
      }
      var container =
          new PostgreSQLContainer(
                  DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"))
              .withUsername(PostgresServer.USER)
              .withDatabaseName("postgres");
      container.start();
      return new Container(container);
    }

    @Override
    public String host() {
      return container.getHost();
    }

    @Override
    public int port() {
      return container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT);
    }

    @Override
    public String user() {
      return container.getUsername();
    }

    @Override
    public String password() {
      return container.getPassword();
    }

    @Override
    public void close() {
      container.stop();
    }
  }
}
