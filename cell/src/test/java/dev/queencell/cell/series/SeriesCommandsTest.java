package dev.queencell.cell.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code compare} and {@code bench} as the scripts call them. */
class SeriesCommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  @Test
  void aComparisonGoesABABOverItsRates() throws IOException {
    beginComparison("--rates=1000,500");
    assertEquals(
        List.of(
            "a 500 proxy-500-1",
            "b 500 broker-500-1",
            "a 1000 proxy-1000-1",
            "b 1000 broker-1000-1",
            "a 500 proxy-500-2",
            "b 500 broker-500-2",
            "a 1000 proxy-1000-2",
            "b 1000 broker-1000-2"),
        measureAll(new CompareCommand()));
    assertEquals(0, run(new CompareCommand(), "show"));
    var document = Json.mapper().readTree(Files.readString(folder.resolve("compare.json")));
    assertEquals("comparison", document.path("kind").asString());
    var result = document.path("results").path(0);
    assertEquals(500, result.path("ratePerSec").asInt());
    assertEquals(2, result.path("rounds").asInt());
    assertEquals("broker-500-2", result.path("points").path(1).path("b").asString());
    assertEquals(
        1000,
        result.path("metrics").path("cellCpuMicrosPerMessage").path("a").path("median").asInt());
    assertTrue(
        Files.readAllLines(folder.resolve("compare.csv"))
            .contains("500,cellCpuMicrosPerMessage,difference,0,0,0,2"));
  }

  @Test
  void aComparisonIsResumedWithTheSameOptionsOnly() {
    assertEquals(0, beginComparison("--rates=500"));
    assertEquals(2, beginComparison("--rates=500"));
    assertEquals(0, beginComparison("--rates=500", "--resume"));
    assertEquals(2, beginComparison("--rates=600", "--resume"));
    assertTrue(
        err.toString()
            .contains("can't be resumed with other options: its rates is [500.0], not [600.0]"),
        err::toString);
  }

  @Test
  void aComparisonOfWhichNothingCountsSaysSoByItsStatus() {
    beginComparison("--rates=500");
    out.getBuffer().setLength(0);
    assertEquals(3, run(new CompareCommand(), "show"));
    assertEquals("500/s, 0 of 2 rounds, median (least..most)\n\n", out.toString());
  }

  @Test
  void aBenchGoesRoundByRoundOverItsShapes() throws IOException {
    assertEquals(0, beginBench());
    assertEquals(
        List.of("s1:500 s1-500-1", "s7 s7-1", "s1:500 s1-500-2", "s7 s7-2"),
        measureAll(new BenchCommand()));
    Points.write(folder, "s1-500-2", Points.passing(500).put("verdict", "FAIL"));
    out.getBuffer().setLength(0);
    assertEquals(0, run(new BenchCommand(), "show"));
    var table = out.toString().lines().map(line -> line.replaceAll(" +", " ")).toList();
    assertTrue(table.contains("rounds that count 1 of 2 2 of 2"), out::toString);
    assertTrue(table.contains("cell CPU µs/msg 1000 1000 (1000..1000)"), out::toString);
    assertTrue(table.contains("s1-500-2 does not count: its verdict is FAIL"), out::toString);
    assertTrue(
        Files.readAllLines(folder.resolve("bench.csv"))
            .contains("s1:500,cellCpuMicrosPerMessage,1000,1000,1000,1"));
    var document = Json.mapper().readTree(Files.readString(folder.resolve("bench.json")));
    assertEquals("[\"s1-500-1\"]", document.path("cases").path(0).path("runIds").toString());
  }

  @Test
  void aShapeWithoutAPointThatCountsIsToldByTheStatus() throws IOException {
    beginBench();
    Points.write(folder, "s1-500-1", Points.passing(500));
    assertEquals(3, run(new BenchCommand(), "show"));
    assertEquals(2, beginBench());
    assertEquals(0, beginBench("--resume"));
  }

  /** Asks for one point after the other and leaves each of them. */
  private List<String> measureAll(Object command) throws IOException {
    var asked = new ArrayList<String>();
    while (true) {
      out.getBuffer().setLength(0);
      run(command, "next");
      var line = out.toString().strip();
      if (line.isEmpty()) {
        return asked;
      }
      asked.add(line);
      Points.write(folder, line.substring(line.lastIndexOf(' ') + 1), Points.passing(500));
    }
  }

  private int beginComparison(String... more) {
    return run(
        new CompareCommand(),
        "begin",
        concat(
            more,
            "--a-name=proxy",
            "--b-name=broker",
            "--a=-mode",
            "--a=cloud",
            "--rounds=2",
            "--seconds=45",
            "--drain=45",
            "--warmup=0"));
  }

  private int beginBench(String... more) {
    return run(
        new BenchCommand(),
        "begin",
        concat(more, "--cases=s1:500,s7", "--rounds=2", "--seconds=45"));
  }

  private static String[] concat(String[] more, String... words) {
    var all = new ArrayList<>(List.of(words));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private int run(Object command, String subcommand, String... more) {
    return new CommandLine(command)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(concat(more, subcommand, "--out=" + folder));
  }
}
