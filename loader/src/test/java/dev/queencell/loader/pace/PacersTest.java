package dev.queencell.loader.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PacersTest {
  /** A clock that is always past everything: whatever is due is due now. */
  private static final class LateTicks implements Ticks {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE / 2);

    @Override
    public long nanoTime() {
      return now.get();
    }

    @Override
    public void parkUntil(long nanoTime) {
      throw new AssertionError("nothing is to be waited for");
    }
  }

  @Property(tries = 30)
  void anyNumberOfThreadsServesEveryEventExactlyOnceAtItsOwnInstant(
      @ForAll @IntRange(min = 1, max = 16) int threads,
      @ForAll @IntRange(min = 1, max = 20_000) int rate)
      throws InterruptedException {
    var schedule = new Schedule(rate, 0, 1);
    var served = new AtomicIntegerArray((int) schedule.count());
    long start = 1_000;
    var pacers =
        new Pacers(
            threads,
            schedule,
            new LateTicks(),
            (event, due) -> {
              assertEquals(start + schedule.instantNanos(event), due);
              served.incrementAndGet((int) event);
              return true;
            });
    pacers.start(start);
    pacers.awaitEnd(60_000);
    pacers.stop();
    for (int i = 0; i < served.length(); i++) {
      assertEquals(1, served.get(i), "event " + i);
    }
    assertEquals(schedule.count(), pacers.offered());
    assertEquals(threads, pacers.threadCount());
  }

  @Test
  void threadsGrowWithTheRate() {
    assertEquals(1, Pacers.threadsFor(1));
    assertEquals(1, Pacers.threadsFor(50_000));
    assertEquals(2, Pacers.threadsFor(100_000));
    assertEquals(64, Pacers.threadsFor(1e9));
  }

  @Test
  void whatIsShedIsCountedAndNothingWaitsForIt() throws InterruptedException {
    var pacers = new Pacers(3, new Schedule(1_000, 0, 1), new LateTicks(), (_, _) -> false);
    pacers.start(0);
    pacers.awaitEnd(60_000);
    assertEquals(1_000, pacers.shed());
    assertTrue(pacers.late() == 1_000, "all were due long ago");
  }
}
