package dev.queencell.cell.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.queencell.cell.output.Json;
import dev.queencell.cell.postgres.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/**
 * The command on a home whose parts are real: a PostgreSQL server for both databases, a web server
 * for the services' health, this JVM for their processes.
 */
class StatusCommandIT {
  private static final List<String> SERVICES = List.of("state", "broker", "proxy");

  @TempDir private Path home;

  private record Printed(int exitCode, String text) {
    JsonNode json() {
      return Json.mapper().readTree(text);
    }
  }

  private Printed status(String... options) {
    var out = new StringWriter();
    var command = new CommandLine(new StatusCommand()).setOut(new PrintWriter(out));
    var arguments = new java.util.ArrayList<>(List.of("--home", home.toString()));
    arguments.addAll(List.of(options));
    return new Printed(command.execute(arguments.toArray(String[]::new)), out.toString());
  }

  private void makeHome(PostgresServer pg, int httpPort) throws IOException {
    Files.createDirectories(home.resolve("run"));
    Files.createDirectories(home.resolve("pg"));
    Files.write(home.resolve("pg/data"), new byte[12345]);
    Files.writeString(home.resolve("password"), pg.password());
    var lines = new StringBuilder();
    Map.of(
            "HOME", home.toString(),
            "CAP", "none",
            "CELL_CPUS", "0",
            "CELL_MEM", "0",
            "ENFORCE", "1",
            "PG_MODE", "embedded",
            "PORT_BROKER", "6632")
        .forEach((name, value) -> lines.append("QUEENCELL_%s='%s'%n".formatted(name, value)));
    for (var service : List.of("STATE_URL", "BROKER_URL", "PROXY_URL")) {
      lines.append("QUEENCELL_%s='http://127.0.0.1:%d'%n".formatted(service, httpPort));
    }
    for (var server : List.of("PG", "STATEPG")) {
      lines.append("QUEENCELL_%s_JDBC_URL='%s'%n".formatted(server, pg.jdbcUrl("postgres")));
      lines.append("QUEENCELL_%s_USER='%s'%n".formatted(server, PostgresServer.USER));
      lines.append("QUEENCELL_%s_PASSWORD_FILE='%s/password'%n".formatted(server, home));
    }
    Files.writeString(home.resolve("cell.env"), lines);
    Files.createFile(home.resolve("up"));
  }

  private void recordRunning(String unit, long pid) throws IOException {
    long ticks = ProcessStat.read(Path.of("/proc"), pid).orElseThrow().startTicks();
    Files.writeString(
        home.resolve("run").resolve(unit + ".started"), "%d %d 0\n".formatted(pid, ticks));
  }

  @Test
  void aRealCellIsReadWholeAndAStoppedPartIsFound() throws IOException {
    var web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    web.start();
    try (var pg = PostgresServer.disposable(Map.of("work_mem", "7MB"))) {
      makeHome(pg, web.getAddress().getPort());
      for (var service : SERVICES) {
        recordRunning(service, ProcessHandle.current().pid());
      }
      recordRunning("pg", pg.pid());
      recordRunning("statepg", pg.pid());

      var printed = status("--json");
      var json = printed.json();
      assertEquals(0, printed.exitCode(), printed.text());
      assertTrue(json.path("healthy").asBoolean());
      assertEquals(5, json.path("processes").size());
      assertEquals("7MB", json.at("/postgres/pg/settings/work_mem").asString());
      assertFalse(json.at("/postgres/pg/settings").has("port"));
      assertTrue(json.at("/postgres/pg/databaseBytes").asLong() > 1 << 20);
      assertEquals(12345, json.at("/disk/pgBytes").asLong());
      assertEquals("enforce", json.at("/proxy/mode").asString());
      assertTrue(json.at("/processes/0/memoryBytes").asLong() > 1 << 20);
      assertTrue(status().text().contains("*** UNCAPPED"));

      pg.stop();
      printed = status("--json");
      assertEquals(3, printed.exitCode());
      assertFalse(printed.json().at("/postgres/pg/healthy").asBoolean(true));
      assertEquals("down", printed.json().at("/processes/0/state").asString());
    } finally {
      web.stop(0);
    }
  }

  @Test
  void aHomeWithNothingRunningIsDown() throws IOException {
    try (var pg = PostgresServer.disposable()) {
      makeHome(pg, 1);
    }
    assertEquals(4, status().exitCode());
  }
}
