package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class CounterTest {
  private final Counter counter = new Counter();

  @Test
  void theFirstReadingIsOnlyABaseline() {
    assertEquals(Sample.UNKNOWN, counter.increase("a", 1_000));
    assertEquals(25, counter.increase("a", 1_025));
  }

  @Test
  void aCounterThatWentDownHasCountedWhatItShowsNow() {
    counter.increase("a", 1_000);
    assertEquals(40, counter.increase("a", 40));
    assertEquals(2, counter.increase("a", 42));
  }

  @Test
  void aNewGenerationBeginsAtZeroEvenWhenItsNumberIsHigher() {
    counter.increase("a", 1_000);
    assertEquals(1_200, counter.increase("b", 1_200));
  }

  @Test
  void anIncreaseAfterMissingReadingsCoversThemAll() {
    counter.increase("a", 100);
    assertEquals(Sample.UNKNOWN, counter.increase("a", Sample.UNKNOWN));
    assertEquals(Sample.UNKNOWN, counter.increase("", Sample.UNKNOWN));
    assertEquals(30, counter.increase("a", 130));
  }

  @Property
  void withoutResetsTheIncreasesAddUpToTheWholeDistance(
      @ForAll @Size(min = 2, max = 50) List<@IntRange(max = 1_000_000) Integer> steps) {
    var fresh = new Counter();
    var increases = new ArrayList<Long>();
    long reading = 0;
    for (var step : steps) {
      reading += step;
      increases.add(fresh.increase("a", reading));
    }
    long sum = increases.stream().skip(1).mapToLong(Long::longValue).sum();
    assertEquals(reading - steps.getFirst(), sum);
  }

  @Property
  void anIncreaseIsNeverNegative(
      @ForAll @Size(min = 1, max = 50) List<@IntRange(max = 1_000) Integer> readings) {
    var fresh = new Counter();
    fresh.increase("a", readings.getFirst());
    for (var reading : readings) {
      assertTrue(fresh.increase("a", reading) >= 0);
    }
  }
}
