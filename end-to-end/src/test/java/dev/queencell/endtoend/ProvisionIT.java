package dev.queencell.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Provisioning against a real cell: the same tenants, whatever became of their keys. */
class ProvisionIT {
  @TempDir Path folder;

  private static JsonNode first(Path file) throws Exception {
    return JsonMapper.shared().readTree(Files.readAllBytes(file)).get(0);
  }

  @Test
  void aLostFileOfKeysIsMadeAnewForTheSameTenants() throws Exception {
    try (var cell = new CellProcesses(folder)) {
      var file = folder.resolve("tenants.json");
      cell.provision(2, file);
      var before = first(file);
      Files.delete(file);
      cell.provision(2, file);
      assertEquals(before.get("brokerTenantUuid"), first(file).get("brokerTenantUuid"));
      assertNotEquals(before.get("apiKey"), first(file).get("apiKey"));
    }
  }
}
