package dev.queencell.report.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.report.PointBuilder;
import dev.queencell.report.figure.Comparison.Spread;
import dev.queencell.report.read.MeasuredPoint;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final Comparison.Measure CPU = Comparison.MEASURES.getFirst();

  @Test
  void differencesAreTakenWithinRoundsBeforeTheirMedian() {
    // Of the medians the difference would be 150 - 110 = 40.
    var comparisons =
        Comparison.of(
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
    assertEquals(new Spread(130, 150, 900), comparisons.getFirst().proxy(CPU));
  }

  @Test
  void onlyRatesThatWereMeasuredBothWaysAreCompared() {
    var comparisons =
        Comparison.of(
            List.of(point("proxy", 500, 1), point("proxy", 1000, 1), point("broker", 1000, 3)));
    assertTrue(
        Comparison.of(
                List.of(
                    point("proxy", 1000, 1),
                    PointBuilder.named("elsewhere")
                        .folder("other")
                        .summary("{\"target\": \"broker\", \"offeredPerSec\": 1000}")
                        .build()))
            .isEmpty());
    assertEquals(1000, comparisons.getFirst().offeredPerSec());
    assertEquals(-2, comparisons.getFirst().difference(CPU).median());
    assertEquals(1, comparisons.size());
  }

  @Test
  void theMedianOfTwoIsTheirMeanAndOfNothingUnknown() {
    assertEquals(new Spread(1, 2, 3), Spread.of(3, Double.NaN, 1));
    assertTrue(Double.isNaN(Spread.of(Double.NaN).median()));
  }

  @Test
  void aLadderNeedsTwoRatesOfOneTarget() {
    assertTrue(Ladder.of(List.of(point("proxy", 500, 1), point("proxy", 500, 1))).isEmpty());
    var ladders =
        Ladder.of(
            List.of(point("proxy", 1000, 1), point("proxy", 500, 1), point("broker", 500, 1)));
    assertEquals(1, ladders.size());
    assertEquals(
        List.of(500.0, 1000.0), ladders.getFirst().points().stream().map(Ladder::rate).toList());
  }

  private static MeasuredPoint point(String target, int rate, int micros) {
    return PointBuilder.named(target)
        .summary(
            "{\"target\": \"%s\", \"offeredPerSec\": %d.02, \"cellCpuMicrosPerMessage\": %d}"
                .formatted(target, rate, micros))
        .build();
  }
}
