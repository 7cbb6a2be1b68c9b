package dev.queencell.loader.run;

import dev.queencell.loader.measure.IntervalFiles;
import dev.queencell.loader.measure.Usage;
import java.util.List;

/**
 * The phases of one run: load (ramp, then the steady window), then drain until everything accepted
 * has been delivered or the time is up, then an end to all consumers. One thread steers, reports
 * and reads the loader's own usage at the window's edges.
 */
public final class LoadRun {
  private static final long LOOK_EVERY_NANOS = 50_000_000;
  private static final long LIVE_EVERY_NANOS = 1_000_000_000;

  private final Bench bench;
  private final Load load;
  private final List<Worker> consumers;
  private final Drainage drainage;
  private final Times times;
  private final Console console;
  private final IntervalFiles files;
  private final Interruption interruption;
  private long nextReport;
  private long nextLive;
  private Usage usageAtStart = Usage.now();
  private Usage usageAtEnd = usageAtStart;

  /**
   * How long the phases may take.
   *
   * @param durationSeconds of the load; 0 until it is interrupted or has finished
   * @param timeoutMs after which every push has ended one way or the other
   */
  public record Times(int durationSeconds, int drainSeconds, int reportSeconds, long timeoutMs) {}

  /** A run that accounts in its bench's ledger. */
  public LoadRun(
      Bench bench,
      Load load,
      List<? extends Worker> consumers,
      Times times,
      Console console,
      IntervalFiles files,
      Interruption interruption) {
    this(bench, load, consumers, Drainage.of(bench), times, console, files, interruption);
  }

  /** A run that accounts in its own way. */
  public LoadRun(
      Bench bench,
      Load load,
      List<? extends Worker> consumers,
      Drainage drainage,
      Times times,
      Console console,
      IntervalFiles files,
      Interruption interruption) {
    this.bench = bench;
    this.load = load;
    this.drainage = drainage;
    this.consumers = List.copyOf(consumers);
    this.times = times;
    this.console = console;
    this.files = files;
    this.interruption = interruption;
  }

  /** Runs all phases; returns when every producer and consumer has ended. */
  public void run() throws InterruptedException {
    var window = bench.window();
    nextReport = window.runStartNanos() + reportNanos();
    nextLive = window.runStartNanos();
    consumers.forEach(Worker::start);
    load.start();
    boolean cut = steerUntil("ramp", window.startNanos());
    usageAtStart = Usage.now();
    cut = cut || steerUntil("load", window.endNanos());
    window.cut(System.nanoTime());
    usageAtEnd = Usage.now();
    load.stop(cut);
    if (!cut && !consumers.isEmpty()) {
      drain();
    }
    awaitPushes();
    drainage.close();
    consumers.forEach(Worker::stop);
    for (var consumer : consumers) {
      consumer.join();
    }
    console.interval(files.next(load.inFlight()), drainage.open());
    if (!files.problem().isEmpty()) {
      console.line("the interval files are incomplete: " + files.problem());
    }
  }

  private long reportNanos() {
    return times.reportSeconds() * 1_000_000_000L;
  }

  /** True when an end was asked for. */
  private boolean steerUntil(String phase, long untilNanos) {
    while (System.nanoTime() - untilNanos < 0 && !load.finished()) {
      long look = Math.min(System.nanoTime() + LOOK_EVERY_NANOS, untilNanos);
      if (interruption.awaitUntil(look)) {
        return true;
      }
      report(phase);
    }
    return false;
  }

  private void report(String phase) {
    long now = System.nanoTime();
    if (now - nextReport >= 0) {
      nextReport += reportNanos();
      console.interval(files.next(load.inFlight()), drainage.open());
    }
    if (console.isTerminal() && now - nextLive >= 0) {
      nextLive += LIVE_EVERY_NANOS;
      console.live(
          phase,
          (now - bench.window().runStartNanos()) / 1e9,
          times.durationSeconds(),
          bench.counters(),
          drainage.open());
    }
  }

  private void drain() {
    long deadline = System.nanoTime() + times.drainSeconds() * 1_000_000_000L;
    while (!drained() && System.nanoTime() - deadline < 0) {
      if (interruption.awaitUntil(System.nanoTime() + LOOK_EVERY_NANOS)) {
        return;
      }
      report("drain");
    }
  }

  private boolean drained() {
    return load.inFlight() == 0 && drainage.drained();
  }

  /** Pushes that are still underway end by their own timeout at the latest. */
  private void awaitPushes() {
    long deadline = System.nanoTime() + times.timeoutMs() * 1_000_000L;
    while (load.inFlight() > 0 && System.nanoTime() - deadline < 0) {
      if (interruption.awaitUntil(System.nanoTime() + LOOK_EVERY_NANOS)) {
        return;
      }
      report("drain");
    }
  }

  /** The loader's own usage when the steady window began. */
  public Usage usageAtStart() {
    return usageAtStart;
  }

  /** The loader's own usage when the steady window ended. */
  public Usage usageAtEnd() {
    return usageAtEnd;
  }

  /** Pushes that began late. */
  public long late() {
    return load.late();
  }
}
