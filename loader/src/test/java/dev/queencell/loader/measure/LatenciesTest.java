package dev.queencell.loader.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  private static final double PRECISION = 0.001;

  @Property(tries = 100)
  void percentilesAreThoseOfTheSortedValuesWithinATenthOfAPercent(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3_000) int count) {
    var random = new Random(seed);
    var latencies = new Latencies();
    var micros = new long[count];
    for (int i = 0; i < count; i++) {
      micros[i] = (long) Math.pow(10, 1 + 6 * random.nextDouble());
      latencies.record(Series.PUSH, micros[i] * 1000 + random.nextInt(1000), true);
    }
    Arrays.sort(micros);
    var histogram = latencies.steady(Series.PUSH);
    for (int rank : new int[] {1, (count + 1) / 2, count}) {
      double known = micros[rank - 1];
      assertEquals(
          known,
          (double) histogram.getValueAtPercentile(100.0 * rank / count),
          1 + known * PRECISION);
    }
    assertEquals(count, histogram.getTotalCount());
  }

  @Test
  void whatLiesOutsideTheSteadyWindowIsInTheIntervalOnly() {
    var latencies = new Latencies();
    latencies.record(Series.ACK, 5_000_000, false);
    latencies.record(Series.ACK, 7_000_000, true);
    assertEquals(2, latencies.takeInterval(Series.ACK).getTotalCount());
    assertEquals(0, latencies.takeInterval(Series.ACK).getTotalCount());
    assertEquals(1, latencies.steady(Series.ACK).getTotalCount());
    assertEquals(1, latencies.steady(Series.ACK).getTotalCount(), "asking does not take away");
    assertEquals(0, latencies.steady(Series.PUSH).getTotalCount());
  }

  @Test
  void valuesOutOfRangeAreClampedAndNotLost() {
    var latencies = new Latencies();
    latencies.record(Series.PUSH, -5, true);
    latencies.record(Series.PUSH, Long.MAX_VALUE, true);
    Histogram histogram = latencies.steady(Series.PUSH);
    assertEquals(2, histogram.getTotalCount());
    assertEquals(0, histogram.getMinValue());
  }
}
