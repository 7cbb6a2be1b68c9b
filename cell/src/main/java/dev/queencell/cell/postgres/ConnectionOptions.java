package dev.queencell.cell.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine.Option;

/** Options of every subcommand that connects to a database. The password never is an argument. */
public final class ConnectionOptions {
  private static final int CONNECT_TIMEOUT_S = 10;

  @Option(
      names = {"--jdbc-url", "--url"},
      required = true,
      paramLabel = "URL",
      description = "like jdbc:postgresql://127.0.0.1:5466/queencell")
  private String jdbcUrl;

  @Option(names = "--user", required = true, paramLabel = "NAME", description = "database role")
  private String user;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "file that holds the password; without it $PGPASSWORD")
  private Path passwordFile;

  /**
   * Opens a connection to the database in the URL.
   *
   * @throws IllegalArgumentException when the URL or the password's file can't be used
   */
  public Connection connect() throws SQLException {
    return source().getConnection();
  }

  /** Opens a connection to another database of the same server. */
  Connection connect(String database) throws SQLException {
    var source = source();
    source.setDatabaseName(database);
    return source.getConnection();
  }

  /** The database in the URL. */
  public String database() {
    return source().getDatabaseName();
  }

  private PGSimpleDataSource source() {
    var source = new PGSimpleDataSource();
    if (!jdbcUrl.startsWith("jdbc:postgresql://")) {
      throw new IllegalArgumentException(
          "--jdbc-url is '%s'; it takes jdbc:postgresql://HOST:PORT/DATABASE".formatted(jdbcUrl));
    }
    source.setUrl(jdbcUrl);
    source.setUser(user);
    source.setPassword(password());
    source.setConnectTimeout(CONNECT_TIMEOUT_S);
    source.setApplicationName("cell.jar");
    return source;
  }

  private String password() {
    if (passwordFile == null) {
      return System.getenv("PGPASSWORD");
    }
    return PasswordFile.read(passwordFile);
  }

  /** A file with a password and nothing else. */
  static final class PasswordFile {
    private PasswordFile() {}

    static String read(Path file) {
      try {
        var password = Files.readString(file).strip();
        if (password.isEmpty()) {
          throw new IllegalArgumentException("--password-file " + file + " is empty");
        }
        return password;
      } catch (IOException e) {
        throw new IllegalArgumentException("--password-file can't be read: " + e, e);
      }
    }
  }
}
