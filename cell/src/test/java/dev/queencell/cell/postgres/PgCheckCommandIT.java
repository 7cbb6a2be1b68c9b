package dev.queencell.cell.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.postgres.PgCheckCommand.Facts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PgCheckCommandIT {
  private static PostgresServer server;

  @TempDir private Path folder;

  @BeforeAll
  static void startServer() {
    server = PostgresServer.disposable();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  private String check(int expectedExitCode, String... options) throws Exception {
    var password = Files.writeString(folder.resolve("password"), server.password());
    var out = new StringWriter();
    var command =
        new CommandLine(new PgCheckCommand())
            .setOut(new PrintWriter(out))
            .setExecutionExceptionHandler(
                (e, line, parsed) -> {
                  out.write(e.getMessage());
                  return 1;
                });
    var arguments =
        java.util.stream.Stream.concat(
                java.util.stream.Stream.of(
                    "--jdbc-url=" + server.jdbcUrl("postgres"),
                    "--user=" + PostgresServer.USER,
                    "--password-file=" + password),
                java.util.stream.Stream.of(options))
            .toArray(String[]::new);
    assertEquals(expectedExitCode, command.execute(arguments), out.toString());
    return out.toString();
  }

  @Test
  void aDirectConnectionToANewEnoughServerWillDo() throws Exception {
    var text = check(0);
    assertTrue(text.matches("PostgreSQL \\d+\\.\\d+.*, a connection keeps its session\n"), text);
  }

  @Test
  void anOlderServerIsRefusedWithItsRelease() throws Exception {
    assertTrue(check(1, "--min-major=99").contains("it takes 99 or newer"));
  }

  @Test
  void twoClientsOnOneSessionAreFound() throws Exception {
    // What a pooler in transaction mode amounts to: both speak to one server process.
    try (var shared = server.dataSource("postgres").getConnection();
        var own = server.dataSource("postgres").getConnection()) {
      assertFalse(PgCheckCommand.keepsItsSession(shared, shared));
      shared.setAutoCommit(true);
      assertTrue(PgCheckCommand.keepsItsSession(shared, own));
    }
  }

  @Test
  void aStandbyAForeignEncodingAndMissingRightsAreRefused() {
    assertRefused(new Facts(18, true, true, "UTF8"), "is a standby");
    assertRefused(new Facts(18, false, true, "LATIN1"), "encoding is LATIN1");
    assertRefused(new Facts(18, false, false, "UTF8"), "grant it CREATE");
    PgCheckCommand.requireUsable(new Facts(18, false, true, "UTF8"), 16, "18.6");
  }

  private static void assertRefused(Facts facts, String reason) {
    var e =
        assertThrows(
            IllegalStateException.class, () -> PgCheckCommand.requireUsable(facts, 16, "18.6"));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }
}
