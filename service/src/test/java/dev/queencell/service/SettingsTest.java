package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  @Test
  void everyProblemIsReportedAtOnceAndNamesWhatIsAccepted() {
    var settings =
        new Settings(Map.of("PORT", "70000", "ENFORCE", "perhaps", "MODE", "fast", "SIZE", "1k"));
    assertEquals(1, settings.integer("PORT", 1, 0, 65_535));
    assertTrue(settings.flag("ENFORCE", true));
    assertEquals("slow", settings.choice("MODE", "slow", "slow", "steady"));
    assertEquals(5, settings.number("SIZE", 5, 0, 10));
    settings.required("TOKEN", "the admin token");
    var refusal = assertThrows(IllegalStateException.class, settings::conclude);
    assertEquals(
        """
        bad settings:
          PORT is '70000'; it takes a whole number from 0 to 65535
          ENFORCE is 'perhaps'; it takes true or false
          MODE is 'fast'; it takes one of slow, steady
          SIZE is '1k'; it takes a whole number from 0 to 10
          TOKEN is not set; it takes the admin token""",
        refusal.getMessage());
  }

  @Test
  void blankMeansUnsetAndDefaultsAreMarked() {
    var settings = new Settings(Map.of("HOST", "  ", "FLAG", "On"));
    assertEquals("127.0.0.1", settings.text("HOST", "127.0.0.1"));
    assertTrue(settings.flag("FLAG", false));
    assertFalse(settings.flag("OTHER", false));
    settings.conclude();
    assertEquals(
        "HOST = 127.0.0.1 (default)\nFLAG = true\nOTHER = false (default)", settings.describe());
  }

  @Test
  void aSecretComesFromAFileOrTheEnvironmentAndIsNeverShown(@TempDir Path folder) throws Exception {
    var file = Files.writeString(folder.resolve("token"), "hush\n");
    var settings = new Settings(Map.of("A_FILE", file.toString(), "B", "quiet"));
    assertEquals("hush", settings.secret("A"));
    assertEquals("quiet", settings.secret("B"));
    assertNull(settings.secret("C"));
    settings.conclude();
    assertFalse(settings.describe().contains("hush"));
    assertFalse(settings.describe().contains("quiet"));
  }

  @Test
  void anUnreadableOrEmptySecretFileIsAProblem(@TempDir Path folder) throws Exception {
    var empty = Files.createFile(folder.resolve("empty"));
    var settings =
        new Settings(
            Map.of("A_FILE", folder.resolve("none").toString(), "B_FILE", empty.toString()));
    assertNull(settings.secret("A"));
    assertNull(settings.secret("B"));
    var message = assertThrows(IllegalStateException.class, settings::conclude).getMessage();
    assertTrue(message.contains("A_FILE can't be read"), message);
    assertTrue(message.contains("B_FILE names an empty file"), message);
  }
}
