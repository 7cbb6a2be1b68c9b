package dev.queencell.loader.pace;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Prints how late 100,000 events a second are served on this machine, each starting a virtual
 * thread as a push does. To be looked at, not asserted: a busy machine says nothing. Arguments: the
 * rate, the seconds, the pacer threads (0 = by the rate).
 */
final class PacingBenchmark {
  private static final double DEFAULT_RATE = 100_000;
  private static final int DEFAULT_SECONDS = 10;

  private PacingBenchmark() {}

  public static void main(String[] args) throws InterruptedException {
    double rate = args.length > 0 ? Double.parseDouble(args[0]) : DEFAULT_RATE;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_SECONDS;
    int threads = args.length > 2 ? Integer.parseInt(args[2]) : 0;
    run(rate, 3, threads); // compiles what is measured
    run(rate, seconds, threads);
  }

  private static void run(double rate, int seconds, int threads) throws InterruptedException {
    var served = new ConcurrentHistogram(60_000_000_000L, 3);
    var sent = new ConcurrentHistogram(60_000_000_000L, 3);
    var done = new LongAdder();
    var ticks = Ticks.system();
    var pushes = Thread.ofVirtual().factory();
    var pacers =
        new Pacers(
            threads,
            new Schedule(rate, 0, seconds),
            ticks,
            (_, due) -> {
              served.recordValue(Math.max(0, ticks.nanoTime() - due));
              pushes
                  .newThread(
                      () -> {
                        sent.recordValue(Math.max(0, ticks.nanoTime() - due));
                        done.increment();
                      })
                  .start();
              return true;
            });
    pacers.start(ticks.nanoTime() + 100_000_000);
    pacers.awaitEnd(seconds * 10_000L);
    System.out.printf(
        Locale.ROOT,
        "%.0f/s for %d s on %d threads: served late p50 %.3f ms p99 %.3f ms max %.1f ms; push's thread"
            + " began p50 %.3f ms p99 %.3f ms; %d of %d%n",
        rate,
        seconds,
        pacers.threadCount(),
        served.getValueAtPercentile(50) / 1e6,
        served.getValueAtPercentile(99) / 1e6,
        served.getMaxValue() / 1e6,
        sent.getValueAtPercentile(50) / 1e6,
        sent.getValueAtPercentile(99) / 1e6,
        done.sum(),
        pacers.offered());
  }
}
