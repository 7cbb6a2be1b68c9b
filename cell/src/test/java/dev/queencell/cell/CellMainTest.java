package dev.queencell.cell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class CellMainTest {
  private final StringWriter err = new StringWriter();

  private int run(CommandLine line, String... args) {
    return line.setErr(new PrintWriter(err, true)).execute(args);
  }

  @Test
  void withoutASubcommandItSaysWhichThereAre() {
    assertEquals(2, run(CellMain.commandLine()));
    assertTrue(err.toString().startsWith("cell.jar: no subcommand given; it takes one of "));
  }

  @Test
  void anUnknownOptionIsAUsageErrorOnOneLineAndAHint() {
    assertEquals(2, run(CellMain.commandLine(), "--nonsense"));
    assertEquals(2, err.toString().lines().count(), err::toString);
  }

  @Test
  void aSubcommandThatIsAskedForIsDescribedAlone() {
    assertEquals(Set.of("pg"), CellMain.commandLine("pg", "install").getSubcommands().keySet());
  }

  @Test
  void anythingElseFirstFindsAllSubcommands() {
    var names = CellMain.commandLine().getSubcommands().keySet();
    assertTrue(
        names.containsAll(Set.of("plan", "cgroup", "pg", "status", "soak")), names::toString);
    assertEquals(names, CellMain.commandLine("--help", "pg").getSubcommands().keySet());
    assertEquals(names, CellMain.commandLine("pgg").getSubcommands().keySet());
  }

  @Test
  void aFailureIsOneLineWithTheReasonAndExitsOne() {
    var line = CellMain.commandLine().addSubcommand(new Failing());
    assertEquals(1, run(line, "failing"));
    assertEquals("cell.jar failing: the reason\n", err.toString());
  }

  @Command(name = "failing")
  private static final class Failing implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("the reason");
    }
  }
}
