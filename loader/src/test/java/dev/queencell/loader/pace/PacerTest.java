package dev.queencell.loader.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PacerTest {
  /** A clock that stalls for a random while, now and then, as a busy machine does. */
  private static final class StallingTicks implements Ticks {
    private final Random random;
    private final long stallMaxNanos;
    private long now = 1_000_000_000_000L;

    StallingTicks(long seed, long stallMaxNanos) {
      random = new Random(seed);
      this.stallMaxNanos = stallMaxNanos;
    }

    @Override
    public long nanoTime() {
      now += random.nextInt(2_000);
      if (stallMaxNanos > 0 && random.nextInt(500) == 0) {
        now += random.nextLong(stallMaxNanos);
      }
      return now;
    }

    @Override
    public void parkUntil(long nanoTime) {
      // Early and late wake-ups both happen.
      now = Math.max(now, nanoTime + random.nextInt(-5_000, 100_000));
    }
  }

  @Property(tries = 100)
  void everyEventIsServedOnceInOrderAndNeverEarlyHoweverTheClockStalls(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 5_000) int rate,
      @ForAll @IntRange(min = 0, max = 500_000_000) int stallMaxNanos) {
    var ticks = new StallingTicks(seed, stallMaxNanos);
    long start = ticks.now + 1_000_000;
    var schedule = new Schedule(rate, 0.3, 1);
    var served = new ArrayList<Long>();
    var pacer =
        new Pacer(
            schedule,
            ticks,
            (event, due) -> {
              assertEquals(start + schedule.instantNanos(event), due);
              assertTrue(ticks.now >= due, "served early");
              served.add(event);
              return event % 3 != 0;
            });
    pacer.run(start);

    assertEquals(schedule.count(), served.size());
    for (int i = 0; i < served.size(); i++) {
      assertEquals(i, served.get(i));
    }
    assertEquals(served.size(), pacer.offered());
    assertEquals((served.size() + 2) / 3, pacer.shed());
  }

  @Test
  void aStallIsMadeUpForAtOnceAndCountedAsLate() {
    var ticks = new StallingTicks(1, 0);
    long start = ticks.now;
    var served = new ArrayList<Long>();
    var pacer =
        new Pacer(
            new Schedule(100, 0, 1),
            ticks,
            (event, _) -> {
              served.add(ticks.now);
              if (event == 10) {
                ticks.now += 200_000_000;
              }
              return true;
            });
    pacer.run(start);

    assertEquals(100, served.size());
    assertTrue(served.get(30) - served.get(11) < 1_000_000, "events 11 to 30 were due at once");
    assertEquals(19, pacer.late(), "all but the last were more than 5 ms late");
  }

  @Test
  void aStopEndsItBeforeTheScheduleDoes() {
    var ticks = new StallingTicks(2, 0);
    var pacer = new Pacer[1];
    pacer[0] =
        new Pacer(
            new Schedule(100, 0, 1000),
            ticks,
            (event, _) -> {
              if (event == 5) {
                pacer[0].stop();
              }
              return true;
            });
    pacer[0].run(ticks.now);
    assertEquals(6, pacer[0].offered());
  }
}
