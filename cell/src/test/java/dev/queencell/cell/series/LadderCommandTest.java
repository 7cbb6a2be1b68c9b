package dev.queencell.cell.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LadderCommandTest {
  private static final List<String> BEGIN =
      List.of("begin", "--target=proxy", "--shape=s1", "--seconds=45", "--drain=45", "--warmup=0");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  @Test
  void aLadderIsClimbedStepByStepAndLeavesItsTables() throws IOException {
    assertEquals(0, begin("--rates=500,1000", "--refine=0", "--", "-mode", "cloud"));
    assertEquals("500 rate-500\n", run("next"));
    Points.write(folder, "rate-500", Points.passing(500));
    assertEquals(
        "delivered 500/s, p99 20.0 ms, 0.50 cores, 1000 CPU µs/msg: passed\n",
        run("add", "--rate=500"));
    assertEquals("1000 rate-1000\n", run("next"));
    Points.write(folder, "rate-1000", Points.falling(1000, 0.5));
    run("add", "--rate=1000");
    assertEquals("", run("next"));

    var ladder = Json.mapper().readTree(Files.readString(folder.resolve("ladder.json")));
    assertEquals("ladder", ladder.path("kind").asString());
    assertTrue(ladder.path("finished").asBoolean());
    assertEquals(500, ladder.path("ceiling").path("ratePerSec").asInt());
    assertEquals("rate-500", ladder.path("ceiling").path("runId").asString());
    assertEquals("cpu-cap", ladder.path("ceiling").path("limitedBy").asString());
    assertEquals("[\"-mode\",\"cloud\"]", ladder.path("plan").path("loaderOptions").toString());
    assertEquals(2, ladder.path("rungs").size());
    assertEquals(20, ladder.path("rungs").path(0).path("p99Ms").asInt());
    assertEquals(
        List.of(
            "ratePerSec,runId,passes,failure,verdict,achievedShare,offeredPerSec,achievedPushPerSec,"
                + "deliveredPerSec,p50Ms,p99Ms,p999Ms,cellCores,cellCpuMicrosPerMessage,throttledShare,"
                + "commitsPerMessage,walBytesPerMessage,loaderCores,loaderSaturated,limitedBy",
            "500,rate-500,true,,PASS,1,500,500,500,5,20,40,0.5,1000,0.02,0.5,600,0.3,false,nothing",
            "1000,rate-1000,false,achieved 50.0% of"
                + " offered,PASS,0.5,1000,1000,500,5,20,40,0.5,500,0.9,0.5,600,0.3,false,cpu-cap"),
        Files.readAllLines(folder.resolve("ladder.csv")));
  }

  @Test
  void resumingKeepsThePointsThatAreThere() throws IOException {
    begin("--rates=500,1000");
    Points.write(folder, "rate-500", Points.passing(500));
    assertEquals(2, begin("--rates=500,1000"));
    assertTrue(err.toString().contains("there is a ladder in"), err::toString);
    assertEquals(0, begin("--rates=500,1000", "--resume"));
    assertEquals("1000 rate-1000\n", run("next"));
  }

  @Test
  void resumingWithOtherOptionsIsRefusedAndNamesTheFirst() {
    begin("--rates=500,1000");
    assertEquals(2, begin("--rates=500,1000", "--p99-limit-ms=100", "--resume"));
    assertTrue(err.toString().contains("its p99LimitMs is 1000.0, not 100.0"), err::toString);
  }

  @Test
  void resumingAfterRefinementRemembersTheRatesBetween() throws IOException {
    begin("--rates=500,1000", "--refine=2");
    Points.write(folder, "rate-500", Points.passing(500));
    Points.write(folder, "rate-1000", Points.falling(1000, 0.5));
    assertEquals("710 rate-710\n", run("next"));
    Points.write(folder, "rate-710", Points.passing(710));
    run("add", "--rate=710");
    assertEquals(0, begin("--rates=500,1000", "--refine=2", "--resume"));
    assertEquals("840 rate-840\n", run("next"));
  }

  @Test
  void aPointThatWasCutShortIsMeasuredAgainUnderAnotherName() throws IOException {
    begin("--rates=500");
    Points.write(folder, "rate-500", Points.passing(500).put("partial", true));
    assertEquals("500 rate-500_2\n", run("next"));
    Files.writeString(folder.resolve("rate-500_2.stdout"), "");
    assertEquals("500 rate-500_3\n", run("next"));
    Points.write(folder, "rate-500_3", Points.passing(500));
    assertEquals("", run("next"));
    run("add", "--rate=500");
    assertTrue(Files.readString(folder.resolve("ladder.csv")).contains("500,rate-500_3,true"));
  }

  @Test
  void aStepWithoutASummaryIsNoStep() {
    begin("--rates=500");
    assertEquals("", run("add", "--rate=500"));
    assertTrue(err.toString().contains("left no whole summary"), err::toString);
  }

  @Test
  void theDefaultRatesDoubleEveryTwoSteps() throws IOException {
    begin();
    var ladder = Json.mapper().readTree(Files.readString(folder.resolve("ladder.json")));
    assertEquals(
        "[500.0,710.0,1000.0,1400.0,2000.0,2800.0,4000.0,5700.0,8000.0,11000.0,16000.0]",
        ladder.path("plan").path("rates").toString());
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    assertEquals(2, begin("--rates=1", "--from=1"));
    assertEquals(2, begin("--step=1", "--factor=2"));
    assertEquals(2, begin("--from=10", "--to=5"));
    assertEquals(2, begin("--refine=11"));
    assertEquals(2, begin("--p99-limit-ms=0"));
    assertEquals(2, begin("--rates=a"));
    assertTrue(Files.notExists(folder.resolve("ladder.json")));
  }

  @Test
  void withoutACeilingShowSaysSoByItsStatus() throws IOException {
    begin("--rates=500");
    assertEquals(3, status("show", "--out=" + folder));
    assertTrue(out.toString().contains("no step was measured"));
    Points.write(folder, "rate-500", Points.passing(500));
    assertEquals(0, status("show", "--out=" + folder));
  }

  private int begin(String... more) {
    var words =
        Stream.of(BEGIN.stream(), Stream.of("--out=" + folder), Stream.of(more)).flatMap(w -> w);
    return status(words.toArray(String[]::new));
  }

  private String run(String command, String... more) {
    out.getBuffer().setLength(0);
    status(
        Stream.concat(Stream.of(command, "--out=" + folder), Stream.of(more))
            .toArray(String[]::new));
    return out.toString();
  }

  private int status(String... words) {
    return new CommandLine(new LadderCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(
            (e, command, parsed) -> {
              command.getErr().println(e.getMessage());
              return CommandLine.ExitCode.SOFTWARE;
            })
        .execute(words);
  }
}
