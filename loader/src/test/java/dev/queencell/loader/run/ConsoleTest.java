package dev.queencell.loader.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.measure.Counters;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private Console console(boolean terminal) {
    return new Console(new PrintStream(said, true, StandardCharsets.UTF_8), terminal);
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void onATerminalTheLiveLineStaysInItsLineAndGivesWayToTheNextOne() {
    var console = console(true);
    console.live("load", 3, 10, new Counters(), 7);
    assertFalse(said().contains("\n"), said());
    // It begins at the left, does not wrap, and clears what a longer one left.
    assertTrue(said().startsWith("\r\u001b[?7lload 3/10s pushed 0 delivered 0 lag 7"), said());
    assertTrue(said().endsWith("\u001b[K\u001b[?7h"), said());
    said.reset();
    console.line("VERDICT: PASS");
    assertEquals("\r\u001b[KVERDICT: PASS\n", said());
    assertEquals(List.of("VERDICT: PASS"), console.lines());
  }

  @Test
  void elsewhereThereIsNoLiveLineAndNothingButText() {
    var console = console(false);
    console.live("load", 3, 10, new Counters(), 7);
    console.line("VERDICT: PASS");
    assertEquals("VERDICT: PASS\n", said());
  }
}
