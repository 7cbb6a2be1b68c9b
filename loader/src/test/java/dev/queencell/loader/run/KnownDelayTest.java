package dev.queencell.loader.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.client.Caller;
import dev.queencell.client.QueenTransport;
import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.fault.FaultPlan;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.fixture.FixtureServer;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.measure.Series;
import dev.queencell.loader.measure.Window;
import dev.queencell.loader.pace.MovingWindow;
import dev.queencell.loader.pace.Schedule;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.payload.Filler;
import dev.queencell.testsupport.Await;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the loader measures, against a server whose delays are known exactly: real requests over
 * real connections, and a clock that only the server's handler moves.
 */
@Timeout(60)
class KnownDelayTest {
  private static final int EVENTS = 1_000;
  private static final long START = 1_000_000_000_000L;

  /** Time stands still but for what the server spends. */
  private static final class ServersTicks implements Ticks {
    private final AtomicLong now = new AtomicLong(START);

    @Override
    public long nanoTime() {
      return now.get();
    }

    @Override
    public void parkUntil(long nanoTime) {
      now.accumulateAndGet(nanoTime, Math::max);
    }
  }

  @Test
  void percentilesAreThoseOfTheKnownDelaysFromScheduleAndFromSend() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    var ticks = new ServersTicks();
    var fromSend = new long[EVENTS];
    var fromSchedule = new long[EVENTS];
    var delays = new long[EVENTS];
    for (int i = 0; i < EVENTS; i++) {
      // Mostly a few ms, now and then a stall that the events behind it wait for.
      delays[i] =
          random.nextInt(200) == 0
              ? 200_000_000 + random.nextInt(800_000_000)
              : 500_000 + random.nextInt(8_000_000);
    }
    var schedule = new Schedule(100, 0, EVENTS / 100.0);
    var served = new AtomicLong();
    try (var server = new FixtureServer();
        var transport = new QueenTransport(server.url())) {
      server.onPush(() -> ticks.now.addAndGet(delays[(int) served.getAndIncrement()]));
      var bench = bench(ticks, transport);
      var load = new PacedLoad(bench, schedule, new MovingWindow(3, 3), 1);
      for (int event = 0; event < EVENTS; event++) {
        long due = START + schedule.instantNanos(event);
        ticks.parkUntil(due);
        long sent = ticks.nanoTime();
        assertTrue(load.offer(event, due));
        Await.until("answered", () -> load.inFlight() == 0);
        fromSend[event] = delays[event];
        fromSchedule[event] = sent - due + delays[event];
      }
      assertPercentiles(fromSend, bench.latencies().steady(Series.PUSH_FROM_SEND));
      assertPercentiles(fromSchedule, bench.latencies().steady(Series.PUSH));
    }
  }

  private static Bench bench(Ticks ticks, QueenTransport transport) {
    var ledger = new Ledger(1, 3, true);
    return new Bench(
        7,
        List.of(new Member(0, "t", transport.client(Caller.ANONYMOUS), "q", "")),
        new PushPlan(1, 200, 10, false, 1, 0),
        new PopPlan(10, 1, 0, false, 1, 1, 0),
        ledger,
        new Judge(ledger, 1, FaultPlan.NONE),
        new Counters(),
        new Latencies(),
        new Window(START, 0, 0, 1_000_000),
        Filler.constant(200),
        ticks);
  }

  /** Within 2% or 100 µs, as the loader promises. */
  private static void assertPercentiles(long[] nanos, Histogram micros) {
    assertEquals(EVENTS, micros.getTotalCount());
    var sorted = nanos.clone();
    Arrays.sort(sorted);
    for (double percentile : new double[] {50, 90, 95, 99, 99.9, 100}) {
      long known = sorted[(int) Math.ceil(percentile * EVENTS / 100 - 1e-6) - 1] / 1000;
      long measured = micros.getValueAtPercentile(percentile);
      assertEquals(
          (double) known, (double) measured, Math.max(100, known * 0.02), "p" + percentile);
    }
    double mean = Arrays.stream(nanos).average().orElseThrow() / 1000;
    assertEquals(mean, micros.getMean(), Math.max(100, mean * 0.02), "mean");
  }
}
