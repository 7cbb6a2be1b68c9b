package dev.queencell.loader.run;

import dev.queencell.loader.account.Ledger;
import dev.queencell.loader.fault.Judge;
import dev.queencell.loader.measure.Counters;
import dev.queencell.loader.measure.Latencies;
import dev.queencell.loader.measure.Window;
import dev.queencell.loader.pace.Ticks;
import dev.queencell.loader.payload.Filler;
import java.util.List;

/**
 * What producers and consumers of one run share.
 *
 * @param run tells this run's messages from another's
 * @param ticks the clock that latencies are read from
 */
public record Bench(
    int run,
    List<Member> members,
    PushPlan pushes,
    PopPlan pops,
    Ledger ledger,
    Judge judge,
    Counters counters,
    Latencies latencies,
    Window window,
    Filler filler,
    Ticks ticks) {

  /** Lets consumers park before the first push is due. */
  private static final long HEAD_START_NANOS = 100_000_000;

  /** The clock's now. */
  public long now() {
    return ticks.nanoTime();
  }

  /** µs since the run's start, as stamps count. */
  public long micros(long nanoTime) {
    return (nanoTime - window.runStartNanos()) / 1000;
  }

  /** The instant that a stamp means. */
  public long nanos(long micros) {
    return window.runStartNanos() + micros * 1000;
  }

  /** The window of a run that begins in a moment. */
  public static Window windowFromNow(double rampSeconds, double seconds) {
    return new Window(
        System.nanoTime() + HEAD_START_NANOS,
        System.currentTimeMillis() + HEAD_START_NANOS / 1_000_000,
        rampSeconds,
        seconds);
  }
}
