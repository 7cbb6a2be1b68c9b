package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * A measured point in small, through the proxy, with one process of the cell killed in the middle.
 * The loader judges: nothing missing, nothing at the wrong tenant, every duplicate explained.
 */
class CellCrashIT {
  private static final int MESSAGES_BEFORE_THE_KILL = 300;
  private static final Duration RUN_DEADLINE = Duration.ofMinutes(3);

  @TempDir Path folder;

  @Test
  void aPointSurvivesTheDeathOfTheBroker() throws Exception {
    judge(
        "broker",
        cell -> {
          cell.broker.kill9();
          cell.startBroker();
        });
  }

  @Test
  void aPointSurvivesTheDeathOfTheProxy() throws Exception {
    judge(
        "proxy",
        cell -> {
          cell.proxy.kill9();
          cell.startProxy();
        });
  }

  @Test
  void aPointSurvivesTheDeathOfPostgres() throws Exception {
    judge(
        "postgres",
        cell -> {
          cell.messages.kill9();
          cell.messages.start();
        });
  }

  private void judge(String name, Consumer<CellProcesses> fault) throws Exception {
    try (var cell = new CellProcesses(folder)) {
      var tenants = folder.resolve("tenants.json");
      cell.provision(2, tenants);
      var run =
          cell.loader(
              "-mode",
              "cloud",
              "-target",
              "proxy",
              "-url",
              cell.proxyUrl(),
              "-tenants-file",
              tenants.toString(),
              "-shared-queue",
              "-partitions",
              "2",
              "-rate",
              "150",
              "-consumers-per-tenant",
              "2",
              "-pop-batch",
              "20",
              "-pop-wait",
              "-pop-timeout",
              "1000",
              "-lease-time",
              "4",
              "-duration",
              "15",
              "-drain",
              "30",
              "-report",
              "1",
              "-out",
              folder.toString(),
              "-run-id",
              name);
      Await.until("messages flow", () -> cell.pushed() >= MESSAGES_BEFORE_THE_KILL);
      fault.accept(cell);
      int code = run.exitCode(RUN_DEADLINE);
      var output = String.join("\n", run.output());
      assertEquals(0, code, output);
      var record = JsonMapper.shared().readTree(Files.readAllBytes(folder.resolve(name + ".json")));
      assertTrue(record.path("verdict").stringValue().startsWith("PASS"), output);
      assertEquals(0, record.path("missing").longValue(), output);
      assertEquals(0, record.path("crossTenant").longValue(), output);
      assertTrue(record.path("deliveredPerSec").doubleValue() > 0, output);
    }
  }
}
