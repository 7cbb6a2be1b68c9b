package dev.queencell.report.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.Sample;
import dev.queencell.report.PointBuilder;
import dev.queencell.report.read.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimeFiguresTest {
  private static final double EXACT = 1e-9;

  @Test
  void commitsPerMessageDivideTheCommitsOfAnIntervalByWhatItDelivered() {
    var point =
        started()
            .database(
                List.of(
                    at(1000, Map.of("commits", 100L)),
                    at(2000, Map.of("commits", 50L)),
                    at(3000, Map.of("commits", 7L))))
            .intervals(
                List.of(
                    new Interval(1, 1, Map.of("delivered", 400.0)),
                    new Interval(2, 1, Map.of("delivered", 500.0)),
                    new Interval(3, 1, Map.of("delivered", 0.0))))
            .build();
    var points =
        new TimeFigures(point, 1).commits().panes().getFirst().series().getFirst().points();
    assertEquals(0.25, points.get(0).y(), EXACT);
    assertEquals(0.1, points.get(1).y(), EXACT);
    assertTrue(Double.isNaN(points.get(2).y()), "commits for nothing are no commits per message");
  }

  @Test
  void lagIsWhatWasAcceptedAndNotYetDelivered() {
    var point =
        started()
            .intervals(
                List.of(
                    new Interval(1, 1, Map.of("accepted", 100.0, "delivered", 60.0)),
                    new Interval(2, 1, Map.of("accepted", 100.0, "delivered", 140.0))))
            .build();
    var points = new TimeFigures(point, 1).lag().panes().getFirst().series().getFirst().points();
    assertEquals(40, points.get(0).y(), EXACT);
    assertEquals(0, points.get(1).y(), EXACT);
  }

  @Test
  void cpuIsInCpusAndThrottlingAShareOfPeriods() {
    var usage = new ArrayList<Sample>();
    usage.add(unit(1000, "pg", Map.of("cpuMicros", 250_000L)));
    usage.add(
        unit(1000, "slice", Map.of("cpuMicros", 900_000L, "throttledPeriods", 4L, "periods", 10L)));
    var figure =
        new TimeFigures(started().usage(usage).summary("{\"capCpus\": 1.0}").build(), 1).cpu();
    assertEquals(0.25, figure.panes().get(0).series().get(0).max(), EXACT);
    assertEquals("cap", figure.panes().get(0).series().get(1).name());
    assertEquals(0.4, figure.panes().get(1).series().get(0).max(), EXACT);
  }

  @Test
  void aSecondWithoutAWaitIsAZeroAndASecondWithoutASampleIsUnknown() {
    var waiting =
        new Sample(
            1010,
            1010,
            0,
            Map.of("waitEventType", "IO", "waitEvent", "WalSync"),
            Map.of("backends", 3L));
    var point =
        started()
            .database(
                List.of(at(1020, Map.of()), at(2020, Map.of()), at(6020, Map.of("commits", 1L))))
            .waits(List.of(waiting))
            .build();
    var points = new TimeFigures(point, 1).waits().panes().getFirst().series().getFirst().points();
    assertEquals(3, points.get(0).y(), EXACT);
    assertEquals(0, points.get(1).y(), EXACT);
    assertTrue(Double.isNaN(points.get(2).y()));
    assertEquals(0, points.get(3).y(), EXACT);
  }

  private static PointBuilder started() {
    return PointBuilder.named("one").record(Json.object().put("steadyStartEpochMs", 0));
  }

  private static Sample at(long ms, Map<String, Long> values) {
    return new Sample(ms, ms, 1000, Map.of(), values);
  }

  private static Sample unit(long ms, String unit, Map<String, Long> values) {
    return new Sample(ms, ms, 1000, Map.of("unit", unit), values);
  }
}
