package dev.queencell.report.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import dev.queencell.report.PointBuilder;
import dev.queencell.report.figure.Series.Mark;
import dev.queencell.report.read.Measured;
import dev.queencell.report.read.MeasuredPoint;
import dev.queencell.report.read.SeriesFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class LadderTest {
  private static final String JUDGED =
      """
      {"kind": "ladder", "plan": {"target": "proxy", "p99LimitMs": 1000.0},
       "ceiling": {"text": "ceiling 500/s, limited by latency"},
       "rungs": [
         {"ratePerSec": 1000, "runId": "rate-1000", "failure": "p99 2003 ms over 1000 ms",
          "deliveredPerSec": 998, "p99Ms": 2003, "cellCpuMicrosPerMessage": 300},
         {"ratePerSec": 500, "runId": "rate-500_2", "failure": null,
          "deliveredPerSec": 499.5, "p99Ms": 20, "cellCpuMicrosPerMessage": 400}]}
      """;

  @Test
  void aLadderNeedsTwoRatesOfOneTarget() {
    assertTrue(Ladder.of(Measured.of(List.of(point("proxy", 500), point("proxy", 500)))).isEmpty());
    var ladders =
        Ladder.of(
            Measured.of(List.of(point("proxy", 1000), point("proxy", 500), point("broker", 500))));
    assertEquals(1, ladders.size());
    assertFalse(ladders.getFirst().isJudged());
    assertEquals(List.of(500.0, 1000.0), rates(ladders.getFirst()));
  }

  @Test
  void pointsOfOtherShapesAreNoStepsOfALadder() {
    var one = configured("mode=openloop push-batch=100 run-id=a rate=500 verify=true", 500);
    var two = configured("mode=openloop push-batch=100 run-id=b rate=900 verify=true", 900);
    var other = configured("mode=openloop push-batch=1 run-id=c rate=700 verify=true", 700);
    assertTrue(Ladder.of(Measured.of(List.of(one, other))).isEmpty());
    assertEquals(
        List.of(500.0, 900.0), rates(Ladder.of(Measured.of(List.of(one, other, two))).getFirst()));
  }

  private static MeasuredPoint configured(String config, int rate) {
    return PointBuilder.named("broker-" + rate)
        .summary("{\"target\": \"broker\", \"offeredPerSec\": %d}".formatted(rate))
        .record(Json.object().put("config", config))
        .build();
  }

  @Test
  void theStepsOfAScriptCountAsItJudgedThem() {
    // A try that was cut short lies there, too, and is no step.
    var ladders = judged(List.of(point("proxy", 500), point("proxy", 700), point("broker", 9)));
    assertEquals(1, ladders.size());
    var ladder = ladders.getFirst();
    assertTrue(ladder.isJudged());
    assertEquals("ceiling 500/s, limited by latency", ladder.ceiling());
    assertEquals(List.of(500.0, 1000.0), rates(ladder));
    assertEquals("", ladder.steps().getFirst().failure());
    assertEquals("p99 2003 ms over 1000 ms", ladder.steps().getLast().failure());
  }

  @Test
  void theFigureRingsWhatDidNotPassAndDrawsTheLimit() {
    var panes = Ladder.figure(judged(List.of(point("proxy", 500)))).panes();
    var rings =
        panes.getFirst().series().stream().filter(one -> one.mark() == Mark.SCATTER).toList();
    assertEquals(List.of(new Series.Point(1000, 998)), rings.getFirst().points());
    var limits = panes.get(1).series().stream().filter(one -> one.mark() == Mark.LIMIT).toList();
    assertEquals(1000, limits.getFirst().max());
  }

  @Test
  void twoLaddersOfOneTargetAreToldApart() {
    var figure =
        Ladder.figure(
            List.of(
                new Ladder("/out/old", "proxy", "", Double.NaN, steps()),
                new Ladder("/out/new", "proxy", "", Double.NaN, steps())));
    var names = figure.panes().getFirst().series().stream().map(Series::name).toList();
    assertEquals(List.of("proxy old", "proxy new", "offered"), names);
    var colours = figure.panes().getFirst().series().stream().map(Series::colour).distinct();
    assertEquals(3, colours.count());
  }

  private static List<Ladder.Step> steps() {
    return List.of(Ladder.Step.of(point("proxy", 500)), Ladder.Step.of(point("proxy", 900)));
  }

  private static List<Ladder> judged(List<MeasuredPoint> points) {
    var document = Json.mapper().readTree(JUDGED);
    var series = SeriesFile.of(SeriesFile.Kind.LADDER, "out", document).orElseThrow();
    return Ladder.of(new Measured(points, List.of(series), List.of()));
  }

  private static List<Double> rates(Ladder ladder) {
    return ladder.steps().stream().map(Ladder.Step::ratePerSec).toList();
  }

  private static MeasuredPoint point(String target, int rate) {
    return PointBuilder.named(target + "-" + rate)
        .summary(
            "{\"target\": \"%s\", \"offeredPerSec\": %d.02, \"deliveredPerSec\": %d}"
                .formatted(target, rate, rate))
        .build();
  }
}
