package dev.queencell.report.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import dev.queencell.report.PointBuilder;
import dev.queencell.report.figure.Comparison.Spread;
import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import dev.queencell.report.read.SeriesFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Comparison.Measure CPU = Comparison.MEASURES.getFirst();

  @Test
  void differencesAreTakenWithinRoundsBeforeTheirMedian() {
    // Of the medians the difference would be 150 - 110 = 40.
    var comparisons =
        compared(
            List.of(
                point("proxy", 500, 150),
                point("broker", 500, 100),
                point("proxy", 500, 900),
                point("broker", 500, 800),
                point("proxy", 500, 130),
                point("broker", 500, 110)));
    assertEquals(1, comparisons.size());
    assertEquals(3, comparisons.getFirst().rounds().size());
    assertEquals(new Spread(20, 50, 100), comparisons.getFirst().difference(CPU));
    assertEquals(new Spread(130, 150, 900), comparisons.getFirst().ofA(CPU));
  }

  @Test
  void onlyRatesThatWereMeasuredBothWaysAreCompared() {
    var comparisons =
        compared(
            List.of(point("proxy", 500, 1), point("proxy", 1000, 1), point("broker", 1000, 3)));
    assertTrue(
        compared(
                List.of(
                    point("proxy", 1000, 1),
                    PointBuilder.named("elsewhere")
                        .folder("other")
                        .summary("{\"target\": \"broker\", \"offeredPerSec\": 1000}")
                        .build()))
            .isEmpty());
    assertEquals(1000, comparisons.getFirst().ratePerSec());
    assertEquals(-2, comparisons.getFirst().difference(CPU).median());
    assertEquals(1, comparisons.size());
  }

  @Test
  void theMedianOfTwoIsTheirMeanAndOfNothingUnknown() {
    assertEquals(new Spread(1, 2, 3), Spread.of(3, Double.NaN, 1));
    assertTrue(Double.isNaN(Spread.of(Double.NaN).median()));
  }

  @Test
  void theRoundsOfAScriptCountAsItPairedThem() {
    var document =
        """
        {"kind": "comparison", "plan": {"a": {"name": "old"}, "b": {"name": "new"}},
         "results": [
           {"ratePerSec": 700, "discardedRounds": 1, "points": [{"a": "old-700-2", "b": "new-700-2"}]},
           {"ratePerSec": 900, "discardedRounds": 0, "points": []}]}
        """;
    var series = SeriesFile.of(SeriesFile.Kind.COMPARISON, "out", Json.mapper().readTree(document));
    var points =
        List.of(
            named("old-700-1", 50),
            named("new-700-1", 90),
            named("new-700-2", 30),
            named("old-700-2", 70));
    var comparisons = Comparison.of(new Measured(points, List.of(series.orElseThrow()), List.of()));
    assertEquals(1, comparisons.size(), "nothing was measured at 900/s");
    var one = comparisons.getFirst();
    assertEquals(List.of("old", "new"), List.of(one.a(), one.b()));
    assertEquals(new Spread(40, 40, 40), one.difference(CPU));
    assertEquals(1, one.discarded());
    assertFalse(one.isOfProxy());
  }

  @Test
  void whatARequestCostsTheCellIsTheDifferenceOverTheRequestsOfAMessage() {
    var through =
        PointBuilder.named("through")
            .summary(
                """
                {"target": "proxy", "offeredPerSec": 500, "cellCpuMicrosPerMessage": 500,
                 "proxyRequestsPerMessage": 2}""")
            .build();
    var comparison = compared(List.of(through, point("broker", 500, 300))).getFirst();
    assertTrue(comparison.isOfProxy());
    assertEquals(100, comparison.cellCpuPerProxyRequest().median());
  }

  private static List<Comparison> compared(List<MeasuredPoint> points) {
    return Comparison.of(Measured.of(points));
  }

  private static MeasuredPoint named(String runId, int micros) {
    return PointBuilder.named(runId)
        .summary("{\"target\": \"proxy\", \"cellCpuMicrosPerMessage\": %d}".formatted(micros))
        .build();
  }

  private static MeasuredPoint point(String target, int rate, int micros) {
    return PointBuilder.named(target)
        .summary(
            "{\"target\": \"%s\", \"offeredPerSec\": %d.02, \"cellCpuMicrosPerMessage\": %d}"
                .formatted(target, rate, micros))
        .build();
  }
}
