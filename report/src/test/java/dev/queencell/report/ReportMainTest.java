package dev.queencell.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole reports from recorded points, as the command line writes them. */
class ReportMainTest {
  private static final String HOSTILE =
      "</script><script>alert(1)</script><img src=x onerror=alert(2)>";

  private static final String LADDER =
      """
      {"kind": "ladder", "plan": {"target": "broker", "p99LimitMs": 1000.0},
       "ceiling": {"text": "ceiling 1000/s, limited by latency"},
       "rungs": [
         {"ratePerSec": 1000, "runId": "r", "failure": null, "achievedPushPerSec": 1000,
          "deliveredPerSec": 1000, "p99Ms": 20},
         {"ratePerSec": 2000, "runId": "br-2000", "failure": "achieved 33.0% of offered",
          "deliveredPerSec": 660, "p99Ms": 9000}]}
      """;
  private static final String COMPARISON =
      """
      {"kind": "comparison", "plan": {"a": {"name": "px"}, "b": {"name": "br"}},
       "results": [{"ratePerSec": 2500, "discardedRounds": 1,
                    "points": [{"a": "px-3000", "b": "br-2000"}]}]}
      """;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aReportSaysTheVerdictFirstAndWhatWasMeasuredLast() throws IOException {
    var html = reportOf("br-2000");
    assertTrue(html.indexOf("PASS") < html.indexOf("id=\"points\""));
    assertTrue(html.indexOf("id=\"points\"") < html.indexOf("id=\"throughput\""));
    assertTrue(html.indexOf("class=\"budget\"") < html.indexOf("id=\"identity\""));
    assertTrue(out.toString().startsWith("PASS: every message accounted for\n"));
  }

  @Test
  void numbersOfTheSummaryStandInTheTableWithTheirUnits() throws IOException {
    var html = reportOf("br-2000");
    assertTrue(html.contains("<td class=\"number\">2,000/s</td>"), "offered");
    assertTrue(html.contains("<td class=\"number\">660/s</td>"), "delivered");
    assertTrue(html.contains("<td class=\"number\">0.473 of 1</td>"), "CPUs of the cap");
    assertTrue(html.contains("<td class=\"number\">717 µs</td>"), "CPU per message");
    assertTrue(html.contains("samples cover 86.7% of the steady window"));
    assertTrue(html.contains("loader saturated"));
  }

  @Test
  void theBudgetIsHeldAgainstWhatWasUsed() throws IOException {
    var html = reportOf("br-2000");
    assertTrue(html.contains("The budget: 1 CPU and 4 GiB"));
    assertTrue(html.contains("<span>-XX:+UseSerialGC</span> "), "a flag is not broken");
    assertTrue(html.contains("max_connections 32"));
    assertTrue(html.contains("synchronous_commit"), "the explanation of the plan");
  }

  @Test
  void twoRunsStandSideBySideAndPointsAtTwoRatesOfDifferentTargetsMakeNoLadder()
      throws IOException {
    Recorded.copy("px-3000", folder);
    var html = reportOf("br-2000");
    assertTrue(html.contains("PASS: every message accounted for at all 2 points"));
    assertTrue(html.contains("data-figure=\"p1-cpu\"") && html.contains("data-figure=\"p2-cpu\""));
    assertFalse(html.contains("id=\"ladder\""));
  }

  @Test
  void halfARunIsReportedAsFarAsItGoes() throws IOException {
    Files.copy(Recorded.folder().resolve("br-2000.cpu.csv"), folder.resolve("half.cpu.csv"));
    Files.writeString(folder.resolve("half.summary.json"), "{\"runId\": \"half\", \"verd");
    assertEquals(0, run(folder.toString()), err::toString);
    var html = Files.readString(folder.resolve("report.html"));
    assertTrue(html.contains("No verdict: 0 of 1 points passed; without a verdict: half"));
    assertTrue(html.contains("half.summary.json is no JSON"));
    assertFalse(html.contains("– median"), "what is not known has no words beside it");
    assertTrue(html.contains("no half.pg.csv"));
    assertTrue(html.contains("data-figure=\"p1-cpu\""), "what there is, is drawn");
    assertTrue(html.contains("<td class=\"number\">–</td>"));
    assertFalse(html.contains("<td class=\"number\">0/s</td>"), "unknown is never 0");
  }

  @Test
  void theJudgementOfALadderStandsBesideTheVerdictAndItsStepsInATable() throws IOException {
    Files.writeString(folder.resolve("ladder.json"), LADDER);
    Recorded.copy("br-2000", folder);
    assertEquals(0, run("--markdown", folder.toString()), err::toString);
    var html = Files.readString(folder.resolve("report.html"));
    assertTrue(html.contains("<p class=\"ceiling\">ceiling 1000/s, limited by latency</p>"));
    assertTrue(html.contains("<td>✗ achieved 33.0% of offered</td>"));
    assertTrue(html.contains("id=\"ladder\""), "the chart");
    var markdown = Files.readString(folder.resolve("report.md"));
    assertTrue(markdown.contains("ceiling 1000/s, limited by latency"));
    assertTrue(markdown.contains("| 1,000/s | ✓ passed | 1,000/s |"));
  }

  @Test
  void theRoundsOfAComparisonStandInATableWithTheirSpread() throws IOException {
    Files.writeString(folder.resolve("compare.json"), COMPARISON);
    Recorded.copy("px-3000", folder);
    var html = reportOf("br-2000");
    assertTrue(html.contains("<h2>px and br at 2,500/s</h2>"));
    assertTrue(html.contains("The proxy costs "));
    assertTrue(html.contains("a verdict of theirs is no PASS: 1."));
    assertTrue(html.contains("<th class=\"number\" scope=\"col\">px − br</th>"));
    assertTrue(html.contains("data-figure=\"compare-1\""));
  }

  @Test
  void aBrokenFileOfASeriesIsNamedAndItsPointsAreReported() throws IOException {
    Files.writeString(folder.resolve("ladder.json"), "{\"kind\": \"lad");
    Files.writeString(folder.resolve("compare.json"), "{\"kind\": \"ladder\"}");
    var html = reportOf("br-2000");
    assertTrue(html.contains("ladder.json is no JSON"));
    assertTrue(html.contains("compare.json is no comparison"));
    assertTrue(html.contains("PASS"));
  }

  @Test
  void aPointOfWhichOnlyTheSummaryIsHereSaysSoOnce() throws IOException {
    Files.copy(
        Recorded.folder().resolve("br-2000.summary.json"), folder.resolve("old.summary.json"));
    assertEquals(0, run(folder.toString()), err::toString);
    var html = Files.readString(folder.resolve("report.html"));
    assertTrue(html.contains("only its summary is here"));
    assertFalse(html.contains("there is no old"));
  }

  @Test
  void nothingThatComesFromAFileIsReadAsHtmlOrScript() throws IOException {
    var json = Files.readString(Recorded.folder().resolve("br-2000.json"));
    var hostile = json.replaceFirst("\"kernel\": \"[^\"]*\"", "\"kernel\": \"" + HOSTILE + "\"");
    var name = "<script>alert(3)<img>";
    Files.writeString(folder.resolve(name + ".json"), hostile);
    Files.writeString(folder.resolve(name + ".waits.csv"), hostileWaits());
    Files.copy(Recorded.folder().resolve("br-2000.pg.csv"), folder.resolve(name + ".pg.csv"));
    assertEquals(0, run("--markdown", "--title", HOSTILE, folder.toString()), err::toString);
    var html = Files.readString(folder.resolve("report.html"));
    assertTrue(html.contains("&lt;script&gt;alert(3)"), "shown as text");
    assertFalse(html.contains("<script>alert"));
    assertFalse(withoutLibrary(html).contains("<img"));
    var markdown = Files.readString(folder.resolve("report.md"));
    assertFalse(markdown.contains("<script>"));
    assertFalse(markdown.contains("<img"));
  }

  @Test
  void thePageForbidsEveryRequestAndEveryOtherScript() throws IOException {
    var html = reportOf("br-2000");
    assertTrue(html.contains("default-src 'none'"));
    assertFalse(html.contains("script-src 'unsafe-inline'"));
    assertFalse(withoutLibrary(html).contains(" src="), "nothing is loaded");
  }

  @Test
  void theMarkdownHasVerdictAndTables() throws IOException {
    Recorded.copy("br-2000", folder);
    assertEquals(
        0, run("--markdown", "--out", folder.resolve("r.html").toString(), folder.toString()));
    var markdown = Files.readString(folder.resolve("r.md"));
    assertTrue(markdown.contains("**PASS: every message accounted for**"));
    assertTrue(markdown.contains("| br-2000 | ✓ PASS | broker | 2,000/s |"));
    assertTrue(markdown.contains("| --- | --- | --- | ---: |"));
  }

  @Test
  void anEmptyFolderAndAMissingOneAreNamed() {
    assertEquals(1, run(folder.toString()));
    assertTrue(err.toString().contains("no measured point in " + folder));
    assertEquals(1, run(folder.resolve("none").toString()));
    assertTrue(err.toString().contains("none is no folder"));
  }

  @Test
  void aWrongCommandLineEndsWithTwo() throws IOException {
    Recorded.copy("br-2000", folder);
    assertEquals(2, run());
    assertEquals(2, run("--colour", folder.toString()));
    assertEquals(2, run("--out", "page.txt", folder.toString()));
    assertTrue(err.toString().contains("it takes a name that ends in .html"));
  }

  private String reportOf(String run) throws IOException {
    Recorded.copy(run, folder);
    assertEquals(0, run(folder.toString()), err::toString);
    return Files.readString(folder.resolve("report.html"));
  }

  /** The chart library writes elements into strings of its own. */
  private static String withoutLibrary(String html) {
    int from = html.indexOf("<script>");
    int to = html.indexOf("</script>", from);
    assertTrue(to - from > 500_000, "the first script is the library");
    return html.substring(0, from) + html.substring(to);
  }

  private static String hostileWaits() {
    return """
        monotonicMs,epochMs,spanMs,database,backendType,waitEventType,waitEvent,backends
        20000,1796076588285,0,queencell,client backend,IO,%s,1
        """
        .formatted(HOSTILE);
  }

  private int run(String... args) {
    return ReportMain.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
