package dev.queencell.proxy.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private final ManualClock clock = new ManualClock();

  @Test
  void theBurstPassesAtOnceAndTheNextRequestWaits() {
    var limit = new RateLimit(new Limit.Rate(5, 25), clock);
    for (int i = 0; i < 25; i++) {
      assertEquals(Limit.GRANTED, limit.take(1), "request " + (i + 1));
    }
    assertEquals(1, limit.take(1));
  }

  @Test
  void aRefusalTakesNothing() {
    var limit = new RateLimit(new Limit.Rate(5, 25), clock);
    limit.take(25);
    for (int i = 0; i < 100; i++) {
      assertEquals(1, limit.take(1));
    }
    clock.pass(Duration.ofMillis(200));
    assertEquals(Limit.GRANTED, limit.take(1));
    assertEquals(1, limit.take(1));
  }

  @Test
  void theWaitIsTheDeficitOverTheRateRoundedUp() {
    var limit = new RateLimit(new Limit.Rate(2, 10), clock);
    limit.take(10);
    assertEquals(1, limit.take(1));
    assertEquals(1, limit.take(2));
    assertEquals(2, limit.take(3));
    assertEquals(5, limit.take(10));
  }

  @Test
  void theWaitIsBetweenOneAndSixtySeconds() {
    var limit = new RateLimit(new Limit.Rate(1, 1000), clock);
    limit.take(1000);
    assertEquals(60, limit.take(900));
    assertEquals(60, limit.take(5000));
    var fast = new RateLimit(new Limit.Rate(1_000_000, 1), clock);
    fast.take(1);
    assertEquals(1, fast.take(1));
  }

  @Test
  void whatIsMoreThanTheBurstIsToldTheDeficitToo() {
    var limit = new RateLimit(new Limit.Rate(200, 800), clock);
    assertEquals(1, limit.take(1000), "200 missing at 200 per second");
    assertEquals(6, limit.take(2000));
    assertEquals(60, limit.take(Long.MAX_VALUE));
    limit.takeRegardless(900);
    assertEquals(6, limit.take(1000), "1100 missing");
    limit.change(new Limit.Rate(1000, 800));
    assertEquals(2, limit.take(1000), "1100 missing at the new rate");
  }

  @Test
  void whatWasDeliveredMayDriveItBelowZero() {
    var limit = new RateLimit(new Limit.Rate(20, 100), clock);
    limit.takeRegardless(300);
    assertEquals(11, limit.take(1), "201 missing at 20 per second");
    clock.pass(Duration.ofSeconds(10));
    assertEquals(1, limit.take(1), "exactly empty");
    clock.pass(Duration.ofMillis(50));
    assertEquals(Limit.GRANTED, limit.take(1));
  }

  @Test
  void noMessagesAreAlwaysFree() {
    var limit = new RateLimit(new Limit.Rate(1, 1), clock);
    limit.takeRegardless(50);
    assertEquals(Limit.GRANTED, limit.take(0));
  }

  @Test
  void aHigherPlanBringsNoTokensAndALowerOneClamps() {
    var limit = new RateLimit(new Limit.Rate(1, 10), clock);
    limit.take(8);
    limit.change(new Limit.Rate(1, 1000));
    assertEquals(Limit.GRANTED, limit.take(2));
    assertEquals(1, limit.take(1));
    var clamped = new RateLimit(new Limit.Rate(1, 1000), clock);
    clamped.change(new Limit.Rate(1, 10));
    assertEquals(Limit.GRANTED, clamped.take(10));
    assertEquals(1, clamped.take(1));
  }

  @Test
  void aRateOfZeroRefusesEverythingUntilItIsRaised() {
    var limit = new RateLimit(new Limit.Rate(0, 10), clock);
    assertEquals(60, limit.take(1));
    limit.change(new Limit.Rate(1, 10));
    assertEquals(Limit.GRANTED, limit.take(1));
    limit.change(new Limit.Rate(0, 0));
    assertEquals(60, limit.take(1));
  }

  @Test
  void anAbsurdRateIsNoError() {
    var limit = new RateLimit(new Limit.Rate(Long.MAX_VALUE, Long.MAX_VALUE), clock);
    assertEquals(Limit.GRANTED, limit.take(1_000_000));
  }

  @Property(tries = 20)
  void aBucketOfSoManyNeverAdmitsOneMoreToSixtyFourThreads(
      @ForAll @IntRange(min = 1, max = 3000) int burst) throws Exception {
    var limit = new RateLimit(new Limit.Rate(1, burst), new ManualClock());
    var granted = new AtomicInteger();
    var start = new CountDownLatch(1);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 64; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    awaitQuietly(start);
                    for (int k = 0; k < 100; k++) {
                      if (limit.take(1) == Limit.GRANTED) {
                        granted.incrementAndGet();
                      }
                    }
                  }));
    }
    start.countDown();
    for (var thread : threads) {
      thread.join();
    }
    assertEquals(Math.min(burst, 6400), granted.get());
  }

  @Property
  void aChangeOfPlanHandsOutNoTokens(
      @ForAll @IntRange(min = 1, max = 500) int burst,
      @ForAll @IntRange(min = 0, max = 500) int taken,
      @ForAll List<@IntRange(min = 1, max = 1000) Integer> laterBursts) {
    var limit = new RateLimit(new Limit.Rate(1, burst), new ManualClock());
    limit.takeRegardless(taken);
    long least = (long) burst - taken;
    for (int later : laterBursts) {
      limit.change(new Limit.Rate(1, later));
      least = Math.min(least, later);
      assertEquals(least, limit.remaining());
    }
  }

  @Property
  void overTimeNoMoreThanBurstAndRefillPass(
      @ForAll @IntRange(min = 1, max = 500) int perSecond,
      @ForAll @IntRange(min = 1, max = 500) int burst,
      @ForAll @IntRange(min = 1, max = 200) int steps) {
    var time = new ManualClock();
    var limit = new RateLimit(new Limit.Rate(perSecond, burst), time);
    long granted = 0;
    for (int i = 0; i < steps; i++) {
      while (limit.take(1) == Limit.GRANTED) {
        granted++;
      }
      time.pass(Duration.ofMillis(7));
    }
    double most = burst + perSecond * 0.007 * steps;
    assertTrue(granted <= most, granted + " of at most " + most);
    double least = Math.min(most, burst) + Math.max(0, perSecond * 0.007 * (steps - 1) - 1);
    // A bucket that fills up between two steps loses what doesn't fit.
    boolean overflows = burst < 2 + perSecond * 0.007;
    assertTrue(overflows || granted >= Math.floor(least), granted + " of at least " + least);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
