package dev.queencell.cell.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellHomeTest {
  @TempDir private Path folder;

  private CellHome home(String... lines) throws IOException {
    Files.write(folder.resolve("cell.env"), List.of(lines));
    return CellHome.read(folder);
  }

  @Test
  void settingsAreReadWithoutTheirQuotes() throws IOException {
    var home = home("QUEENCELL_CAP_WHY='asked for; \"so\"'", "QUEENCELL_PORT_BROKER='6632'");
    assertEquals("asked for; \"so\"", home.get("CAP_WHY"));
    assertEquals(6632, home.port("broker"));
    assertEquals("", home.get("NOT_THERE"));
    assertEquals(0, home.port("proxy"));
  }

  @Test
  void aLineThatIsNoSettingIsPassedOver() throws IOException {
    assertEquals("2", home("# hello", "rm -rf x", "", "QUEENCELL_CELL_CPUS='2'").get("CELL_CPUS"));
  }

  @Test
  void anExternalServerIsNoUnitOfTheCell() throws IOException {
    assertEquals(
        List.of("pg", "statepg", "state", "broker", "proxy"),
        home("QUEENCELL_PG_MODE='embedded'").units());
    assertEquals(
        List.of("statepg", "state", "broker", "proxy"),
        home("QUEENCELL_PG_MODE='external'").units());
  }

  @Test
  void aCellIsUpWhileItsMarkIsThere() throws IOException {
    var home = home();
    assertFalse(home.isUp());
    Files.createFile(folder.resolve("up"));
    assertTrue(home.isUp());
  }

  @Test
  void aFolderWithoutACellIsRefusedByName() {
    var e = assertThrows(IllegalArgumentException.class, () -> CellHome.read(folder));
    assertTrue(e.getMessage().contains(folder.toString()), e.getMessage());
  }
}
