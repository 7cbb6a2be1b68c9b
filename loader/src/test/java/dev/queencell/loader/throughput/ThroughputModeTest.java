package dev.queencell.loader.throughput;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.loader.fixture.FixtureFaults;
import dev.queencell.loader.fixture.FixtureServer;
import dev.queencell.loader.fixture.ModeRun;
import dev.queencell.loader.options.BadOptionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs of {@code max} and {@code openloop} against a real server. */
@Timeout(60)
class ThroughputModeTest {
  private final FixtureServer server = new FixtureServer();
  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.close();
  }

  private ModeRun openLoop(String options) throws InterruptedException {
    return new ModeRun(directory)
        .run(
            ThroughputMode.OPENLOOP_OPTIONS,
            ThroughputMode::runOpenLoop,
            "-url "
                + server.url()
                + " -rate 1000 -duration 1 -partitions 20 -consumers 4 -report 1 -drain 5 "
                + options);
  }

  private ModeRun max(String options) throws InterruptedException {
    return new ModeRun(directory)
        .run(
            ThroughputMode.MAX_OPTIONS,
            ThroughputMode::runMax,
            "-url "
                + server.url()
                + " -duration 1 -partitions 20 -producers 4 -consumers 4 -report 1 -drain 5 "
                + options);
  }

  @Test
  void openLoopOffersItsRateAndProvesEveryMessage() throws Exception {
    var run = openLoop("-verify");

    assertEquals(0, run.exit(), run::said);
    var record = run.record();
    assertEquals("PASS", record.path("verdict").asString());
    assertEquals(1000, record.at("/totals/offered").asInt());
    assertEquals(1000, record.at("/totals/delivered").asInt(), run::said);
    assertTrue(run.said().startsWith("config mode=openloop "), run::said);
    assertEquals(List.of(), run.schemaProblems());
    assertEquals(List.of(), run.unread(), "options of the help that nothing reads");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-manual-ack",
        "-manual-ack -ack-async -ack-inflight 3 -pop-batch 10",
        "-pop-wildcard=false -consumers 3",
        "-manual-ack -pop-wildcard=false -consumers 30 -pop-wait -pop-timeout 300",
        "-pop-wait -pop-timeout 300 -pop-partitions 5",
        "-active-partitions 5 -pacers 3",
        "-dedup-window 60 -payload-fill constant"
      })
  void everyWayToPopIsAccountedForAsWell(String options) throws Exception {
    var run = openLoop("-verify " + options);

    assertEquals(0, run.exit(), run::said);
    assertEquals(1000, run.record().at("/totals/delivered").asInt(), run::said);
    assertEquals(0, run.record().path("duplicate").asInt(-1), run::said);
  }

  @Test
  void aLossInAThroughputRunIsFound() throws Exception {
    server.faults().order(FixtureFaults.Kind.FORGET, 1);
    var run = openLoop("-verify -drain 1");

    assertEquals(3, run.exit(), run::said);
    assertEquals(1, run.record().path("missing").asInt(), run::said);
  }

  @Test
  void faultsAreInjectedHereToo() throws Exception {
    server.leaseMs(1_500);
    var run = openLoop("-verify -manual-ack -fault dup-push=2,lose-msg=3,drop-ack=4,swap=1");

    assertEquals(3, run.exit(), run::said);
    assertEquals(6, run.record().path("duplicate").asInt(), run::said);
    assertEquals(3, run.record().path("missing").asInt(), run::said);
    assertEquals(1, run.record().path("orderViolations").asInt(), run::said);
  }

  @Test
  void withoutVerificationARunCountsAndSaysSo() throws Exception {
    var run = openLoop("");
    assertEquals(0, run.exit(), run::said);
    assertEquals("UNVERIFIED", run.record().path("verdict").asString());
    assertEquals(1000, run.record().at("/totals/delivered").asInt(), run::said);
  }

  @Test
  void maxPushesAgainAsSoonAsItIsAnswered() throws Exception {
    server.answerDelay(50);
    var run = max("");

    assertEquals(0, run.exit(), run::said);
    var record = run.record();
    int requests = record.at("/totals/pushRequests").asInt();
    assertTrue(requests >= 4 && requests <= 4 * 20, () -> requests + " requests\n" + run.said());
    assertEquals(10 * requests, record.at("/totals/delivered").asInt(), run::said);
    assertEquals(List.of(), run.schemaProblems());
    assertEquals(List.of(), run.unread(), "options of the help that nothing reads");
  }

  @Test
  void maxTriesAgainWhatWasRefused() throws Exception {
    server.faults().order(FixtureFaults.Kind.REFUSE_PUSH, 2);
    var run = max("-retries 5");

    assertEquals(2, run.record().at("/errors/push.429.rate_limited").asInt(), run::said);
    assertEquals(0, run.record().at("/totals/pushFailed").asInt(), run::said);
  }

  @Test
  void aDiskThatIsFullCostsTheFilesAndNotTheResult() throws Exception {
    var full = Path.of("/dev/full");
    Files.createSymbolicLink(directory.resolve("r.json.draft"), full);
    Files.createSymbolicLink(directory.resolve("r-interval.csv"), full);
    Files.createSymbolicLink(directory.resolve("r.hlog"), full);
    server.faults().order(FixtureFaults.Kind.FORGET, 1);
    var run = openLoop("-verify -drain 1");

    assertEquals(3, run.exit(), run::said);
    assertTrue(run.said().contains("VERDICT: FAIL"), run::said);
    assertTrue(run.said().contains("the record could not be written: No space left"), run::said);
    assertTrue(run.said().contains("the interval files are incomplete: No space"), run::said);
    assertTrue(run.said().contains("{\"runId\":\"r\""), "the record itself is printed");
  }

  @Test
  void aBrokerThatIsNotThereIsSaidInWordsWithoutTheNamesOfClasses() throws Exception {
    server.close();
    var run = openLoop("");
    assertEquals(1, run.exit());
    assertTrue(run.said().contains("set-up failed: POST /api/v1/configure: refused"), run::said);
    assertTrue(!run.said().matches("(?s).*(Exception|java\\.|org\\.apache).*"), run::said);
  }

  @Test
  void optionsThatContradictEachOtherAreRefusedByName() {
    for (var options :
        List.of(
            "-ack-async",
            "-active-partitions 21",
            "-ramp-sec 1",
            "-fault swap=1",
            "-verify -fault swap=1",
            "-verify -fault drop-ack=1",
            "-verify -fault cross=1")) {
      var refusal = assertThrows(BadOptionException.class, () -> openLoop(options), options);
      assertTrue(refusal.getMessage().startsWith("-"), refusal.getMessage());
    }
  }
}
