package dev.queencell.loader.run;

import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.pace.Aim;
import dev.queencell.loader.pace.Pacer;
import dev.queencell.loader.pace.Pacers;
import dev.queencell.loader.pace.Schedule;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends what the schedule says is due: one virtual thread and one attempt per push. {@link #offer}
 * runs on the pacers' threads and returns at once; everything else runs on the pushes' threads.
 */
public final class PacedLoad implements Load, Pacer.Sink {
  /** For pacers that the machine held back to hand over what was due; they wait for nothing. */
  private static final long LATE_END_MS = 30_000;

  private final Bench bench;
  private final Sender sender;
  private final Aim aim;
  private final Pacers pacers;
  private final int batch;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final ThreadFactory threads = Thread.ofVirtual().name("push").factory();

  /**
   * Prepares a load.
   *
   * @param pacerThreads 0 finds a number from the rate
   */
  public PacedLoad(Bench bench, Schedule schedule, Aim aim, int pacerThreads) {
    this.bench = bench;
    this.aim = aim;
    sender = new Sender(bench);
    batch = bench.pushes().batch();
    pacers = new Pacers(pacerThreads, schedule, bench.ticks(), this);
  }

  @Override
  public boolean offer(long event, long dueNanos) {
    int tenant = aim.tenant(event);
    var account = bench.ledger().tenant(tenant);
    boolean steady = bench.window().contains(dueNanos);
    bench.counters().add(Counter.OFFERED, batch, steady);
    account.offered(batch);
    if (inFlight.incrementAndGet() > bench.pushes().inFlightMax()) {
      inFlight.decrementAndGet();
      bench.counters().add(Counter.SHED, batch, steady);
      account.shed(batch);
      return false;
    }
    int partition = aim.partition(event, dueNanos - bench.window().runStartNanos());
    long base = bench.ledger().issue(tenant, partition, batch);
    threads.newThread(() -> send(tenant, partition, base, dueNanos)).start();
    return true;
  }

  private void send(int tenant, int partition, long base, long dueNanos) {
    try {
      sender.push(tenant, partition, base, dueNanos);
    } finally {
      inFlight.decrementAndGet();
    }
  }

  @Override
  public void start() {
    pacers.start(bench.window().runStartNanos());
  }

  @Override
  public void stop(boolean atOnce) throws InterruptedException {
    if (!atOnce) {
      // The schedule is at its end: only what is late is left.
      pacers.awaitEnd(LATE_END_MS);
    }
    pacers.stop();
  }

  @Override
  public int inFlight() {
    return inFlight.get();
  }

  @Override
  public boolean finished() {
    return false;
  }

  @Override
  public long late() {
    return pacers.late();
  }
}
