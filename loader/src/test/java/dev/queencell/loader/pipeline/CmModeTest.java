package dev.queencell.loader.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.fixture.FixtureFaults;
import dev.queencell.loader.fixture.FixtureServer;
import dev.queencell.loader.fixture.ModeRun;
import dev.queencell.loader.options.BadOptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs of {@code cm} against a real server, and their logs checked again. */
@Timeout(120)
class CmModeTest {
  private final FixtureServer server = new FixtureServer();
  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.close();
  }

  private ModeRun run(String options) throws InterruptedException {
    return new ModeRun(directory)
        .run(
            CmMode.OPTIONS,
            CmMode::run,
            "-url "
                + server.url()
                + " -properties 5 -rate-events 200 -duration 2 -ramp-sec 1 -ota-groups 2"
                + " -work-min-ms 1 -work-max-ms 3 -pop-timeout 300 -report 1 -drain 20 "
                + options);
  }

  private ModeRun verify() throws InterruptedException {
    return new ModeRun(directory)
        .run(CmMode.OPTIONS, CmMode::run, "-verify-only -logdir " + directory.resolve("r-logs"));
  }

  private static List<String> table(ModeRun run) {
    return run.said()
        .lines()
        .filter(l -> l.startsWith("cm-") || l.startsWith("TOTAL") || l.startsWith("stage("))
        .toList();
  }

  @Test
  void everyEventGoesThroughEveryStageOnceAndInOrder() throws Exception {
    var run = run("");

    assertEquals(0, run.exit(), run::said);
    var record = run.record();
    assertEquals(300, record.at("/totals/offered").asInt(), run::said);
    assertEquals(300, record.at("/totals/delivered").asInt(), run::said);
    assertEquals(6, record.path("stages").size());
    for (var stage : record.path("stages")) {
      // Ten of the warm-up are in the logs too: five properties in each flow.
      assertEquals(155, stage.path("messages").asInt(), run::said);
      assertEquals("PASS", stage.path("verdict").asString());
    }
    assertTrue(run.said().contains("VERDICT: PASS (930 messages at 6 stages: 0 dups"), run::said);
    assertEquals(List.of(), run.schemaProblems());
    assertEquals(List.of(), run.unread(), "options of the help that nothing reads");

    var again = verify();
    assertEquals(0, again.exit(), again::said);
    assertEquals(table(run), table(again));
  }

  @Test
  void stagesThatPopAnyLanesDoTheSame() throws Exception {
    var run =
        run(
            "-final-targeted=false -intermediate-targeted=false -workers 3 -pop-partitions 4"
                + " -warmup=false -pop-wait=false");
    assertEquals(0, run.exit(), run::said);
    assertEquals(300, run.record().at("/totals/delivered").asInt(), run::said);
  }

  @Test
  void aMessageThatTheBrokerLosesIsAGapAtItsStage() throws Exception {
    server.faults().order(FixtureFaults.Kind.FORGET, 1);
    var run = run("-drain 2 -warmup=false");
    assertEquals(3, run.exit(), run::said);
    assertTrue(run.record().path("missing").asInt() >= 1, run::said);
    assertEquals(3, verify().exit(), "the logs say the same");
  }

  @Test
  void aLogThatWasTamperedWithIsSeen() throws Exception {
    assertEquals(0, run("").exit());
    var log = directory.resolve("r-logs/cm-ota-sync_ota-1.log");
    var lines = Files.readAllLines(log);
    int at = indexInTheMiddleOf(lines);

    var lost = new ArrayList<>(lines);
    lost.remove(at);
    assertRow(log, lost, "155 -1 0 1 0");

    var twice = new ArrayList<>(lines);
    twice.add(lines.get(at));
    assertRow(log, twice, "156 155 1 0 0");

    var swapped = new ArrayList<>(lines);
    swapped.remove(at);
    swapped.add(lines.get(at));
    assertRow(log, swapped, "155 155 0 0 1");
  }

  /** A line of a property that has later lines too, so that its loss is a gap. */
  private static int indexInTheMiddleOf(List<String> lines) {
    return lines.indexOf("0 3");
  }

  private void assertRow(Path log, List<String> lines, String expected)
      throws IOException, InterruptedException {
    Files.write(log, lines);
    var run = verify();
    assertEquals(3, run.exit(), run::said);
    var row =
        run.said()
            .lines()
            .filter(l -> l.startsWith("cm-ota-sync_ota-1 "))
            .findFirst()
            .orElseThrow();
    var words = row.split(" +", -1);
    var want = expected.split(" ", -1);
    for (int i = 0; i < want.length; i++) {
      if (want[i].equals("-1")) {
        continue;
      }
      int wanted = i == 0 ? lines.size() : Integer.parseInt(want[i]);
      assertEquals(wanted, Integer.parseInt(words[i + 1]), row);
    }
    assertTrue(row.endsWith("FAIL"), row);
  }

  @Test
  void logsThatAreNotThereOrNoLogsAreSaidInWords() throws Exception {
    var run = verify();
    assertEquals(1, run.exit());
    assertTrue(run.said().contains("no such file or directory"), run::said);
    assertThrows(
        BadOptionException.class,
        () -> new ModeRun(directory).run(CmMode.OPTIONS, CmMode::run, "-verify-only"));
    assertThrows(BadOptionException.class, () -> run("-ramp-sec 2"));
  }
}
