package dev.queencell.report.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.output.Json;
import dev.queencell.cell.sample.Sample;
import dev.queencell.report.PointBuilder;
import dev.queencell.report.figure.Series.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private static final double EXACT = 1e-9;

  /** The sampler began 5 s before the load; the wall clock then stood at 100 s. */
  private static final long LOAD_BEGAN_EPOCH_MS = 105_000;

  private final List<Sample> samples = new ArrayList<>();

  @Test
  void secondsCountFromTheBeginOfTheLoadOnTheMonotonicClock() {
    sample(5000, 1000, Map.of());
    // The wall clock steps by an hour; the axis does not.
    samples.add(new Sample(6000, 3_706_000, 1000, Map.of(), Map.of()));
    assertEquals(0, timeline().seconds(5000), EXACT);
    assertEquals(1, timeline().seconds(6000), EXACT);
  }

  @Test
  void aRateIsTheIncreaseOverItsOwnSpan() {
    sample(5000, 0, Map.of());
    sample(6000, 1000, Map.of("commits", 500L));
    sample(6500, 500, Map.of("commits", 500L));
    var rate = timeline().rate(samples, "commits", 1);
    assertTrue(Double.isNaN(rate.get(0).y()), "a first line has no increase");
    assertEquals(new Point(1, 500), rate.get(1));
    assertEquals(new Point(1.5, 1000), rate.get(2));
  }

  @Test
  void aMissedSecondBreaksTheLine() {
    sample(6000, 1000, Map.of("commits", 10L));
    sample(10_000, 4000, Map.of("commits", 40L));
    var rate = timeline().rate(samples, "commits", 1);
    assertEquals(3, rate.size());
    assertTrue(Double.isNaN(rate.get(1).y()));
    assertEquals(3, rate.get(1).x(), EXACT);
    assertEquals(new Point(5, 10), rate.get(2));
  }

  @Test
  void whatIsNotKnownIsNotZero() {
    sample(6000, 1000, Map.of());
    sample(7000, 1000, Map.of("memoryBytes", 0L));
    var state = timeline().state(samples, "memoryBytes");
    assertTrue(Double.isNaN(state.get(0).y()));
    assertEquals(0, state.get(1).y());
  }

  @Test
  void aRatioIsUnknownWhereItsDivisorStoodStill() {
    sample(6000, 1000, Map.of("throttledPeriods", 3L, "periods", 10L));
    sample(7000, 1000, Map.of("throttledPeriods", 0L, "periods", 0L));
    var share = timeline().ratio(samples, "throttledPeriods", "periods", 1);
    assertEquals(0.3, share.get(0).y(), EXACT);
    assertTrue(Double.isNaN(share.get(1).y()));
  }

  @Test
  void anIncreaseTakesThePartOfASpanThatLiesInside() {
    sample(6000, 1000, Map.of("commits", 100L));
    sample(7000, 1000, Map.of("commits", 200L));
    assertEquals(150, timeline().increase(samples, "commits", 0.5, 1.5), EXACT);
    assertEquals(300, timeline().increase(samples, "commits", 0, 2), EXACT);
    // Three quarters of four seconds were not sampled.
    assertTrue(Double.isNaN(timeline().increase(samples, "commits", 1, 5)));
  }

  @Test
  void longRunsAreDrawnWithFewerPointsThatKeepTheSum() {
    for (int second = 1; second <= 3000; second++) {
      sample(5000 + second * 1000L, 1000, Map.of("commits", (long) second));
    }
    var rate = timeline().rate(samples, "commits", 1);
    assertEquals(600, rate.size());
    assertEquals(3, rate.getFirst().y(), EXACT);
    double sum = rate.stream().mapToDouble(point -> point.y() * 5).sum();
    assertEquals(3000 * 3001 / 2.0, sum, 1e-3);
  }

  private void sample(long monotonicMs, long spanMs, Map<String, Long> values) {
    samples.add(new Sample(monotonicMs, 100_000 + monotonicMs, spanMs, Map.of(), values));
  }

  private Timeline timeline() {
    var record = Json.object().put("steadyStartEpochMs", LOAD_BEGAN_EPOCH_MS);
    return new Timeline(PointBuilder.named("one").record(record).database(samples).build());
  }
}
