package dev.queencell.cell.status;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.postgresql.Driver;

/**
 * A PostgreSQL server as it sees itself.
 *
 * @param health whether it answers a query
 * @param version like {@code 18.6}; empty when it does not answer
 * @param settings those that differ from PostgreSQL's own defaults, with units
 * @param databaseBytes size of the cell's database
 */
record PostgresView(
    Health health, String version, Map<String, String> settings, long databaseBytes) {
  PostgresView {
    settings = new TreeMap<>(settings);
  }

  /**
   * Connects and asks, each within {@code answerDeadline}; any failure is told in the health, never
   * thrown.
   */
  static PostgresView read(
      String jdbcUrl, String user, Path passwordFile, Duration answerDeadline) {
    var options = new Properties();
    options.setProperty("user", user);
    options.setProperty("connectTimeout", Long.toString(answerDeadline.toSeconds()));
    options.setProperty("ApplicationName", "vm-cell status");
    try {
      options.setProperty("password", Files.readString(passwordFile).strip());
    } catch (IOException e) {
      return unwell("can't read " + passwordFile);
    }
    try (var connection = new Driver().connect(jdbcUrl, options)) {
      return read(connection, (int) answerDeadline.toSeconds());
    } catch (SQLException e) {
      return unwell(e.getMessage().lines().findFirst().orElse("no connection"));
    }
  }

  private static PostgresView read(Connection connection, int timeoutSeconds) throws SQLException {
    var settings = new TreeMap<String, String>();
    long databaseBytes;
    try (var query = connection.createStatement()) {
      query.setQueryTimeout(timeoutSeconds);
      try (var rows = query.executeQuery(sql("changed-settings.sql"))) {
        while (rows.next()) {
          settings.put(rows.getString("name"), rows.getString("value"));
        }
      }
      try (var rows = query.executeQuery(sql("database-size.sql"))) {
        rows.next();
        databaseBytes = rows.getLong(1);
      }
    }
    return new PostgresView(
        Health.well(""),
        connection.getMetaData().getDatabaseProductVersion().split(" ", 2)[0],
        settings,
        databaseBytes);
  }

  private static PostgresView unwell(String why) {
    return new PostgresView(Health.unwell(why), "", Map.of(), 0);
  }

  private static String sql(String name) {
    try (var in = PostgresView.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
