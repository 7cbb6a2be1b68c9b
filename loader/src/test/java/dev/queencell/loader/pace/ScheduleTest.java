package dev.queencell.loader.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  @Property(tries = 200)
  void instantsNeverDecreaseAndAllLieInsideTheDuration(
      @ForAll @DoubleRange(min = 0.5, max = 5_000) double rate,
      @ForAll @DoubleRange(min = 0, max = 3) double ramp) {
    var schedule = new Schedule(rate, ramp, ramp + 2);
    long count = schedule.count();
    long last = -1;
    for (long k = 0; k < count; k++) {
      long instant = schedule.instantNanos(k);
      assertTrue(instant >= last);
      last = instant;
    }
    assertTrue(last < (ramp + 2) * 1e9);
    assertTrue(schedule.instantNanos(count) >= (ramp + 2) * 1e9);
    assertEquals(rate * (ramp / 2 + 2), (double) count, 2);
  }

  @Property(tries = 200)
  void theRateAfterTheRampIsTheAskedOne(
      @ForAll @DoubleRange(min = 1, max = 100_000) double rate,
      @ForAll @DoubleRange(min = 0, max = 10) double ramp) {
    var schedule = new Schedule(rate, ramp, ramp + 100);
    long first = (long) (rate * ramp / 2) + 1;
    long gap = schedule.instantNanos(first + 1) - schedule.instantNanos(first);
    assertEquals(1e9 / rate, (double) gap, 2);
  }

  @Test
  void withoutARampTheFirstEventIsDueAtOnce() {
    var schedule = new Schedule(10, 0, 1);
    assertEquals(0, schedule.instantNanos(0));
    assertEquals(10, schedule.count());
  }

  @Test
  void aRampThatNeverEndsIsNoSchedule() {
    assertThrows(IllegalArgumentException.class, () -> new Schedule(10, 5, 5));
  }
}
