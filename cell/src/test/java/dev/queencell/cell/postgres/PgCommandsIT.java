package dev.queencell.cell.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.sql.SqlCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The subcommands against a real server, each as the scripts call it. */
class PgCommandsIT {
  private static PostgresServer server;
  private static Path passwordFile;

  @BeforeAll
  static void startServer() throws Exception {
    server = PostgresServer.disposable();
    passwordFile = Files.writeString(server.folder().resolve("client-password"), server.password());
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void initMakesADataDirectoryWithItsDatabasesAndASecondTimeOnlyTheSettings() throws Exception {
    var settings =
        Files.writeString(
            server.folder().resolve("settings.conf"),
            "shared_buffers = '32MB'\nnot_in_this_version = 'x'\n");
    var data = server.folder().resolve("other-data");
    var init =
        List.of(
            "init",
            "--bin=" + PostgresBinaries.install().bin(),
            "--data=" + data,
            "--port=5466",
            "--user=queencell",
            "--password-file=" + passwordFile,
            "--settings=" + settings,
            "--socket-dir=" + server.folder().resolve("x".repeat(120)),
            "--database=queencell");

    // What an initialisation that was killed leaves behind.
    Files.writeString(
        Files.createDirectory(server.folder().resolve("other-data.initialising"))
            .resolve("PG_VERSION"),
        "18\n");
    var first = pg(init);
    assertEquals(0, first.exitCode, first.err);
    assertEquals("initialised " + data + "\ncreated database queencell\n", first.out);
    assertTrue(first.err.contains("does not know not_in_this_version"), first.err);
    assertTrue(first.err.contains("PostgreSQL listens on TCP only"), first.err);
    var conf = Files.readString(data.resolve("queencell.conf"));
    assertTrue(conf.contains("shared_buffers = '32MB'\n"), conf);
    assertTrue(conf.contains("listen_addresses = '127.0.0.1'\n"), conf);
    assertTrue(conf.contains("unix_socket_directories = ''\n"), conf);
    assertFalse(conf.contains("not_in_this_version"), conf);
    assertFalse(
        Files.readString(data.resolve("pg_hba.conf")).lines().anyMatch(l -> l.endsWith("trust")));

    Files.writeString(settings, "shared_buffers = '48MB'\n");
    var second = pg(init);
    assertEquals("settings written to " + data + "\n", second.out, second.err);
    assertTrue(Files.readString(data.resolve("queencell.conf")).contains("'48MB'"));
  }

  @Test
  void dropCreateLeavesAnEmptyDatabaseEvenWhenASessionIsOpen() throws Exception {
    assertEquals(0, pg(connected("drop-create", "shop")).exitCode);
    try (var open = server.dataSource("shop").getConnection();
        var statement = open.createStatement()) {
      statement.execute("CREATE TABLE till (id int)");
      var again = pg(connected("drop-create", "shop"));
      assertEquals(0, again.exitCode, again.err);
      assertTrue(again.out.matches("recreated shop in \\d+ ms\n"), again.out);
    }
    var tables = sql("shop", "--values", "SELECT count(*) FROM pg_tables WHERE tablename = 'till'");
    assertEquals("0\n", tables.out, tables.err);
  }

  @Test
  void dropCreateRefusesPostgresqlsOwnDatabases() {
    assertEquals(1, pg(connected("drop-create", "postgres")).exitCode);
    assertEquals(1, pg(connected("drop-create", "template1")).exitCode);
  }

  @Test
  void waitReturnsForADatabaseThatAnswersAndDoesNotWaitForOneThatIsNotThere() {
    assertEquals(0, pg(connected("wait", "postgres")).exitCode);
    var missing = pg(connected("wait", "nowhere"));
    assertEquals(1, missing.exitCode);
    assertTrue(missing.err.contains("\"nowhere\" does not exist"), missing.err);
  }

  @Test
  void sqlPrintsATableOrCsvOrJsonOrBareValues() {
    var query = "SELECT 1 AS id, 'a,b' AS name, true AS ok, NULL AS none";
    assertEquals("id  name  ok  none\n 1  a,b   t\n(1 row)\n", sql("postgres", query).out);
    assertEquals("id,name,ok,none\n1,\"a,b\",t,\n", sql("postgres", "--csv", query).out);
    assertEquals(
        "[\n{\"id\":1,\"name\":\"a,b\",\"ok\":true,\"none\":null}]\n",
        sql("postgres", "--json", query).out);
    assertEquals("1\ta,b\tt\t\n", sql("postgres", "--values", query).out);
  }

  @Test
  void sqlStopsAtTheFirstErrorAndTellsIt() {
    var run = sql("postgres", "SELECT 1; SELECT wrong; SELECT 3");
    assertEquals(1, run.exitCode);
    assertTrue(run.err.contains("column \"wrong\" does not exist"), run.err);
    assertFalse(run.out.contains("3"), run.out);
  }

  private static List<String> connected(String command, String database) {
    return List.of(
        command,
        "--jdbc-url=" + server.jdbcUrl(database),
        "--user=" + PostgresServer.USER,
        "--password-file=" + passwordFile);
  }

  private static Run pg(List<String> arguments) {
    return execute(new CommandLine(new PgCommand()), arguments);
  }

  private static Run sql(String database, String... rest) {
    var arguments = new ArrayList<>(connected("sql", database));
    arguments.removeFirst();
    arguments.addAll(List.of(rest));
    return execute(new CommandLine(new SqlCommand()), arguments);
  }

  private static Run execute(CommandLine line, List<String> arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exitCode =
        line.setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments.toArray(String[]::new));
    return new Run(exitCode, out.toString(), err.toString());
  }

  private record Run(int exitCode, String out, String err) {}
}
