package dev.queencell.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.run.Interruption;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

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

  @Test
  void aRunThatCannotStartEndsWithOne() throws InterruptedException {
    assertEquals(1, run("-mode", "cloud", "-tenants-file", "/nonexistent/tenants.json"));
    assertTrue(said(out).contains("-mode provision"), said(out));
  }
}
