package dev.queencell.cell.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {
  @TempDir private Path folder;

  @Test
  void quotedAndBareValuesAreReadAndCommentsAreNot() throws IOException {
    var file =
        write(
            """
            # from the plan
            shared_buffers = '256MB'
            jit=off   # not worth it

            search_path = 'a, ''b'''
            """);
    assertEquals(
        Map.of("shared_buffers", "256MB", "jit", "off", "search_path", "a, 'b'"),
        SettingsFile.read(file));
  }

  @Test
  void aLineThatIsNoSettingIsNamed() throws IOException {
    var file = write("jit = off\nshared_buffers 256MB\n");
    var refusal = assertThrows(IllegalArgumentException.class, () -> SettingsFile.read(file));
    assertEquals(
        file + " line 2 is 'shared_buffers 256MB'; it takes name = 'value'", refusal.getMessage());
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("settings.conf"), text);
  }
}
