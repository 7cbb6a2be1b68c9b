package dev.queencell.loader.cloud;

import dev.queencell.loader.measure.IntervalFiles;
import dev.queencell.loader.measure.Usage;
import dev.queencell.loader.pace.Pacer;
import dev.queencell.loader.pace.Schedule;
import dev.queencell.loader.pace.Ticks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The phases of one run: load (ramp, then the steady window), then drain until everything accepted
 * has been delivered or the time is up, then an end to all consumers. One thread steers, reports
 * and reads the loader's own usage at the window's edges.
 */
final class CloudRun {
  private static final long LOOK_EVERY_NANOS = 50_000_000;
  private static final long LIVE_EVERY_NANOS = 1_000_000_000;

  private final Bench bench;
  private final Console console;
  private final IntervalFiles files;
  private final Interruption interruption;
  private final Producers producers;
  private final Pacer pacer;
  private final List<Consumer> consumers = new ArrayList<>();
  private final long reportNanos;
  private long nextReport;
  private long nextLive;
  private Usage usageAtStart = Usage.now();
  private Usage usageAtEnd = usageAtStart;

  CloudRun(Bench bench, Console console, IntervalFiles files, Interruption interruption) {
    this.bench = bench;
    this.console = console;
    this.files = files;
    this.interruption = interruption;
    producers = new Producers(bench);
    pacer = new Pacer(schedule(), Ticks.system(), producers);
    int perTenant = bench.options().get(CloudOptions.CONSUMERS);
    for (int i = 0; i < perTenant; i++) {
      for (var member : bench.members()) {
        consumers.add(new Consumer(bench, member, i));
      }
    }
    reportNanos = bench.options().get(CloudOptions.REPORT) * 1_000_000_000L;
  }

  private Schedule schedule() {
    var options = bench.options();
    double perTenant = options.get(CloudOptions.PER_TENANT_RATE);
    double rate =
        perTenant > 0 ? perTenant * Producers.activeTenants(bench) : options.get(CloudOptions.RATE);
    return new Schedule(
        rate / options.get(CloudOptions.PUSH_BATCH),
        options.get(CloudOptions.RAMP_SEC),
        options.get(CloudOptions.DURATION));
  }

  /** Runs all phases; returns when every producer and consumer has ended. */
  void run() throws IOException, InterruptedException {
    var window = bench.window();
    nextReport = window.runStartNanos() + reportNanos;
    nextLive = window.runStartNanos();
    consumers.forEach(Consumer::start);
    var pacing =
        Thread.ofPlatform().name("pacer").daemon().start(() -> pacer.run(window.runStartNanos()));
    boolean cut = steerUntil("ramp", window.startNanos());
    usageAtStart = Usage.now();
    cut = cut || steerUntil("load", window.endNanos());
    pacer.stop();
    window.cut(System.nanoTime());
    usageAtEnd = Usage.now();
    pacing.join();
    if (!cut && !consumers.isEmpty()) {
      drain();
    }
    awaitPushes();
    bench.judge().close();
    consumers.forEach(Consumer::stop);
    for (var consumer : consumers) {
      consumer.join();
    }
    console.interval(files.next(producers.inFlight()), bench.ledger().open());
  }

  /** True when an end was asked for. */
  private boolean steerUntil(String phase, long untilNanos) throws IOException {
    while (System.nanoTime() - untilNanos < 0) {
      long look = Math.min(System.nanoTime() + LOOK_EVERY_NANOS, untilNanos);
      if (interruption.awaitUntil(look)) {
        return true;
      }
      report(phase);
    }
    return false;
  }

  private void report(String phase) throws IOException {
    long now = System.nanoTime();
    if (now - nextReport >= 0) {
      nextReport += reportNanos;
      console.interval(files.next(producers.inFlight()), bench.ledger().open());
    }
    if (console.isTerminal() && now - nextLive >= 0) {
      nextLive += LIVE_EVERY_NANOS;
      console.live(
          phase,
          (now - bench.window().runStartNanos()) / 1e9,
          bench.options().get(CloudOptions.DURATION),
          bench.counters(),
          bench.ledger().open());
    }
  }

  private void drain() throws IOException {
    long deadline = System.nanoTime() + bench.options().get(CloudOptions.DRAIN) * 1_000_000_000L;
    while (!drained() && System.nanoTime() - deadline < 0) {
      if (interruption.awaitUntil(System.nanoTime() + LOOK_EVERY_NANOS)) {
        return;
      }
      report("drain");
    }
  }

  private boolean drained() {
    return producers.inFlight() == 0
        && bench.ledger().open() <= bench.judge().withheld()
        && bench.judge().drained(bench.ledger().undelivered());
  }

  /** Pushes that are still underway end by their own timeout at the latest. */
  private void awaitPushes() throws IOException {
    long deadline = System.nanoTime() + bench.options().get(CloudOptions.TIMEOUT) * 1_000_000L;
    while (producers.inFlight() > 0 && System.nanoTime() - deadline < 0) {
      if (interruption.awaitUntil(System.nanoTime() + LOOK_EVERY_NANOS)) {
        return;
      }
      report("drain");
    }
  }

  Pacer pacer() {
    return pacer;
  }

  Usage usageAtStart() {
    return usageAtStart;
  }

  Usage usageAtEnd() {
    return usageAtEnd;
  }
}
