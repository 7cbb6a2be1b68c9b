package dev.queencell.cell.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.cell.process.Command;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs that the plan is for take it as it is. */
class PlanIT {
  private static final Budget.Host HOST = new Budget.Host(64, 256L << 30);

  @Test
  void postgresqlStartsWithTheSettingsOfTheSmallestCellAndHasThemInForce() throws SQLException {
    var plan = CellPlan.of(Budget.of(0.5, 1, HOST));
    for (var planned : List.of(plan.messages(), plan.tenantState())) {
      try (var server = PostgresServer.durable(settings(planned));
          var connection = server.dataSource("postgres").getConnection();
          var statement = connection.createStatement()) {
        for (var setting : planned.settings()) {
          try (var row = statement.executeQuery("SHOW " + setting.name())) {
            assertTrue(row.next());
            assertEquals(normal(setting.value()), normal(row.getString(1)), setting.name());
          }
        }
      }
    }
  }

  @Test
  void postgresqlKnowsEverySettingOfALargeCell() {
    var large = settings(CellPlan.of(Budget.of(8, 16, HOST)).messages());
    try (var server = PostgresServer.durable(large)) {
      assertTrue(server.isRunning());
    }
  }

  @ParameterizedTest
  @CsvSource({"0.5, 1", "1, 4", "2, 8", "8, 64"})
  void javaStartsWithTheFlagsOfEveryService(double cpus, double memoryGib) {
    for (var jvm : CellPlan.of(Budget.of(cpus, memoryGib, HOST)).jvms()) {
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      jvm.flags().forEach(flag -> command.add(flag.name() + flag.value()));
      command.add("-version");
      var printed = Command.run(command, "", Duration.ofSeconds(30));
      assertTrue(printed.lines().noneMatch(line -> line.contains("warning")), printed);
    }
  }

  private static Map<String, String> settings(PostgresPlan plan) {
    return plan.settings().stream().collect(Collectors.toMap(Setting::name, Setting::value));
  }

  /** {@code SHOW} prefers the largest whole unit. */
  private static String normal(String value) {
    return value.matches("\\d+GB") ? Long.parseLong(value.replace("GB", "")) * 1024 + "MB" : value;
  }
}
