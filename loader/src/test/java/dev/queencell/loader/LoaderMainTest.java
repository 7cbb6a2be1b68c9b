package dev.queencell.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.app.AppMode;
import dev.queencell.loader.cloud.CloudMode;
import dev.queencell.loader.merge.MergeCommand;
import dev.queencell.loader.order.OrderMode;
import dev.queencell.loader.pipeline.CmMode;
import dev.queencell.loader.provision.ProvisionMode;
import dev.queencell.loader.run.Interruption;
import dev.queencell.loader.throughput.ThroughputMode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoaderMainTest {
  private static final String MODES = "max, openloop, cm, cloud, app, order, provision";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) throws InterruptedException {
    return new LoaderMain(
            Map.of(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            new Interruption())
        .run(args);
  }

  private static String said(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aModeThatDoesNotExistEndsWithTwoAndNamesThoseThatDo() throws InterruptedException {
    assertEquals(2, run("-mode", "moon"));
    assertEquals("-mode is 'moon'; it takes one of " + MODES, said(err).strip());
    assertEquals(2, run("--mode=moon", "-h"));
  }

  @Test
  void badOptionsEndWithTwoAndOneLine() throws InterruptedException {
    assertEquals(2, run("-mode", "cloud", "-rate", "none"));
    assertEquals(1, said(err).lines().count());
    assertTrue(said(err).contains("-rate is 'none'; it takes a number"), said(err));
  }

  @Test
  void helpIsGivenForTheModeThatWasNamed() throws InterruptedException {
    assertEquals(0, run("-mode", "cloud", "-h"));
    assertTrue(said(out).contains("--consumers-per-tenant"));
    out.reset();
    assertEquals(0, run("-h"));
    assertTrue(said(out).contains("modes: " + MODES));
  }

  /** Every name in a help's first column, with two dashes. */
  private static List<String> listed(String help) {
    return Pattern.compile("^ +(?:-[^ ]+, )*--([a-z0-9-]+)", Pattern.MULTILINE)
        .matcher(help)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** That each of them is also read shows a run of the mode, in the mode's own test. */
  @ParameterizedTest
  @ValueSource(strings = {"max", "openloop", "cm", "cloud", "app", "order", "provision", "merge"})
  void theHelpOfEachModeListsWhatTheCodeDeclaresAndNothingElse(String mode)
      throws InterruptedException {
    assertTrue((MODES + ", merge").contains(mode));
    assertEquals(0, mode.equals("merge") ? run("merge", "-h") : run("-mode", mode, "-h"));
    var declared =
        switch (mode) {
          case "max" -> ThroughputMode.MAX_OPTIONS;
          case "openloop" -> ThroughputMode.OPENLOOP_OPTIONS;
          case "cm" -> CmMode.OPTIONS;
          case "cloud" -> CloudMode.OPTIONS;
          case "app" -> AppMode.OPTIONS;
          case "order" -> OrderMode.OPTIONS;
          case "provision" -> ProvisionMode.OPTIONS;
          default -> MergeCommand.OPTIONS;
        };
    var wanted = new ArrayList<>(declared.names());
    wanted.add("help");
    assertEquals(wanted, listed(said(out)), said(out));
  }

  @Test
  void tenantsComeFromTheHomeUnlessAFileIsNamed(@TempDir Path home) throws Exception {
    Files.writeString(home.resolve("cell.env"), "QUEENCELL_CELL_SLUG='bench'\n");
    assertEquals(1, run("-mode", "cloud", "-home", home.toString()));
    assertTrue(said(out).contains(home.resolve("tenants.json").toString()), said(out));
    out.reset();
    var named = home.resolve("mine.json").toString();
    assertEquals(1, run("-mode", "cloud", "-home", home.toString(), "-tenants-file", named));
    assertTrue(said(out).contains(named), said(out));
  }

  @Test
  void aRunThatCannotStartEndsWithOne() throws InterruptedException {
    assertEquals(1, run("-mode", "cloud", "-tenants-file", "/nonexistent/tenants.json"));
    assertTrue(said(out).contains("-mode provision"), said(out));
  }
}
