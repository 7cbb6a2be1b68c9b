package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StateMainIT {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  @Test
  void itRefusesToStartWithoutTokensAndNamesBoth() {
    try (var process = JavaProcess.ofClass("dev.queencell.state.StateMain").start()) {
      assertEquals(1, process.exitCode(DEADLINE));
      var output = String.join("\n", process.output());
      assertTrue(output.contains("QUEENCELL_ADMIN_TOKEN is not set"), output);
      assertTrue(output.contains("QUEENCELL_EDGE_TOKEN is not set"), output);
    }
  }

  @Test
  void itRefusesToStartWithoutItsDatabaseAndSaysWhere() {
    try (var process = launch("1").start()) {
      assertEquals(1, process.exitCode(DEADLINE));
      var output = String.join("\n", process.output());
      assertTrue(output.contains("can't open the tenant-state database"), output);
      assertTrue(output.contains("127.0.0.1:1"), output);
    }
  }

  @Test
  void itStartsShowsNoSecretAndStopsWhenTold() {
    try (var process = launch(Integer.toString(DATABASE.port())).start()) {
      var url = process.awaitReady();
      try (var client = new StateClient(url.getPort())) {
        assertEquals(200, client.call("GET", "/healthz", null, null, null).status());
      }
      process.terminate();
      process.exitCode(Duration.ofSeconds(10));
      var output = String.join("\n", process.output());
      assertFalse(output.contains(StateClient.ADMIN_TOKEN), output);
      assertFalse(output.contains(StateClient.EDGE_TOKEN), output);
      assertFalse(output.contains(DATABASE.password()), output);
    }
  }

  private static JavaProcess.Launch launch(String databasePort) {
    return JavaProcess.ofClass("dev.queencell.state.StateMain")
        .env("QUEENCELL_STATE_PORT", "0")
        .env("QUEENCELL_ADMIN_TOKEN", StateClient.ADMIN_TOKEN)
        .env("QUEENCELL_EDGE_TOKEN", StateClient.EDGE_TOKEN)
        .env("PXDB_HOST", "127.0.0.1")
        .env("PXDB_PORT", databasePort)
        .env("PXDB_USER", DATABASE.user())
        .env("PXDB_PASSWORD", DATABASE.password())
        .env("PXDB_DB", DATABASE.database());
  }
}
