package dev.queencell.loader.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellHomeTest {
  private static final OptionSet SET = new OptionSet("test", "Tests.", List.of(CellHome.HOME));
  @TempDir private Path home;

  @Test
  void valuesAreReadAsTheShellWouldReadThem() throws IOException {
    Files.writeString(
        home.resolve("cell.env"),
        "# a cell\nA='http://127.0.0.1:1'\nexport B=plain\nC='it'\\''s'\nD=\"two words\"\nE=''\n");
    var cell = CellHome.find(SET.parse("-home", home.toString()), Map.of());
    assertEquals("http://127.0.0.1:1", cell.get("A", null));
    assertEquals("plain", cell.get("B", null));
    assertEquals("it's", cell.get("C", null));
    assertEquals("two words", cell.get("D", null));
    assertEquals("fallback", cell.get("E", "fallback"));
    assertEquals("fallback", cell.get("Z", "fallback"));
  }

  @Test
  void theEnvironmentNamesTheHomeWhereNoOptionDoes() throws IOException {
    Files.writeString(home.resolve("cell.env"), "A='1'\n");
    assertEquals(
        "1", CellHome.find(SET.parse(), Map.of("QUEENCELL_HOME", home.toString())).get("A", null));
    assertEquals(
        "none",
        CellHome.find(SET.parse(), Map.of("QUEENCELL_HOME", "/nonexistent")).get("A", "none"));
  }

  @Test
  void aNamedHomeWithoutACellIsRefused() {
    var options = SET.parse("-home", home.toString());
    assertThrows(BadOptionException.class, () -> CellHome.find(options, Map.of()));
  }
}
