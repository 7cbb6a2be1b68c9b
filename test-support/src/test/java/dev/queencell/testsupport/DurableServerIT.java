package dev.queencell.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DurableServerIT {
  private static PostgresServer server;

  @BeforeAll
  static void startServer() throws SQLException {
    server = PostgresServer.durable();
    try (var connection = connect()) {
      run(connection, "CREATE TABLE entry (id int PRIMARY KEY)");
    }
  }

  @AfterAll
  static void stopServer() {
    var pid = server.pid();
    server.close();
    assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
  }

  @BeforeEach
  void emptyTheTable() throws SQLException {
    try (var connection = connect()) {
      run(connection, "TRUNCATE entry");
    }
  }

  @Test
  void itRunsWithoutATradeOnDurability() throws SQLException {
    try (var connection = connect()) {
      for (var setting :
          new String[] {"fsync", "synchronous_commit", "full_page_writes", "data_checksums"}) {
        assertEquals("on", text(connection, "SHOW " + setting), setting);
      }
      assertEquals("UTF8", text(connection, "SHOW server_encoding"));
      assertEquals("scram-sha-256", text(connection, "SHOW password_encryption"));
    }
  }

  @Test
  void aWrongPasswordIsRefused() {
    var refusal =
        assertThrows(
            SQLException.class,
            () ->
                java.sql.DriverManager.getConnection(
                    server.jdbcUrl("postgres"), PostgresServer.USER, "guess"));
    assertEquals("28P01", refusal.getSQLState());
  }

  @Test
  void aCrashKeepsWhatWasCommittedAndOnlyThat() throws SQLException {
    int port = server.port();
    try (var open = connect()) {
      run(open, "INSERT INTO entry VALUES (1)");
      open.setAutoCommit(false);
      run(open, "INSERT INTO entry VALUES (2)");
      server.kill9();
      assertFalse(server.isRunning());
      assertThrows(SQLException.class, open::commit);
    }
    server.start();
    assertEquals(port, server.port());
    try (var connection = connect()) {
      assertEquals("1", text(connection, "SELECT string_agg(id::text, ',') FROM entry"));
    }
  }

  @Test
  void aRestartCutsSessionsAndKeepsTheData() throws SQLException {
    try (var open = connect()) {
      run(open, "INSERT INTO entry VALUES (1)");
      server.restart();
      assertThrows(SQLException.class, () -> run(open, "SELECT 1"));
    }
    try (var connection = connect()) {
      assertEquals("1", text(connection, "SELECT count(*) FROM entry"));
    }
  }

  @Test
  void aPausedServerAnswersOnlyAfterItGoesOn() throws Exception {
    try (var open = connect()) {
      open.setNetworkTimeout(Runnable::run, 0);
      server.pause();
      var answered = new java.util.concurrent.CompletableFuture<String>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  answered.complete(text(open, "SELECT 7"));
                } catch (SQLException e) {
                  answered.completeExceptionally(e);
                }
              });
      assertThrows(
          java.util.concurrent.TimeoutException.class,
          () -> answered.get(300, java.util.concurrent.TimeUnit.MILLISECONDS));
      server.resume();
      assertEquals("7", answered.get(30, java.util.concurrent.TimeUnit.SECONDS));
    }
    assertTrue(server.isRunning());
  }

  private static Connection connect() throws SQLException {
    return server.dataSource("postgres").getConnection();
  }

  private static void run(Connection connection, String statement) throws SQLException {
    try (var sql = connection.createStatement()) {
      sql.execute(statement);
    }
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (var sql = connection.createStatement();
        var row = sql.executeQuery(query)) {
      assertTrue(row.next());
      return row.getString(1);
    }
  }
}
