package dev.queencell.loader.run;

import dev.queencell.loader.measure.Counter;
import dev.queencell.loader.pace.Aim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Producers that push again as soon as they are answered: they find how much a server takes, and
 * say nothing of how it fares under a given load, since a slow server slows them down. A push is
 * due when it is sent.
 */
public final class ClosedLoad implements Load {
  private final Bench bench;
  private final Sender sender;
  private final Aim aim;
  private final int producers;
  private final long pushesMax;
  private final AtomicLong nextEvent = new AtomicLong();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean stopped;

  /**
   * Prepares the producers.
   *
   * @param pushesMax requests after which they end by themselves; 0 for no end
   */
  public ClosedLoad(Bench bench, Aim aim, int producers, long pushesMax) {
    this.bench = bench;
    this.aim = aim;
    this.producers = producers;
    this.pushesMax = pushesMax == 0 ? Long.MAX_VALUE : pushesMax;
    sender = new Sender(bench);
  }

  @Override
  public void start() {
    running.set(producers);
    for (int i = 0; i < producers; i++) {
      threads.add(Thread.ofVirtual().name("producer-" + i).start(this::produce));
    }
  }

  private void produce() {
    try {
      while (bench.now() - bench.window().runStartNanos() < 0) {
        bench.ticks().parkUntil(bench.window().runStartNanos());
      }
      while (!stopped) {
        long event = nextEvent.getAndIncrement();
        if (event >= pushesMax) {
          return;
        }
        long now = bench.now();
        int tenant = aim.tenant(event);
        int partition = aim.partition(event, now - bench.window().runStartNanos());
        int batch = bench.pushes().batch();
        bench.counters().add(Counter.OFFERED, batch, bench.window().contains(now));
        bench.ledger().tenant(tenant).offered(batch);
        inFlight.incrementAndGet();
        try {
          sender.push(tenant, partition, bench.ledger().issue(tenant, partition, batch), now);
        } finally {
          inFlight.decrementAndGet();
        }
      }
    } finally {
      running.decrementAndGet();
    }
  }

  @Override
  public void stop(boolean atOnce) {
    // Those that are underway end by their own timeout at the latest; the run waits for them.
    stopped = true;
  }

  @Override
  public int inFlight() {
    return inFlight.get();
  }

  @Override
  public boolean finished() {
    return !threads.isEmpty() && running.get() == 0;
  }

  @Override
  public long late() {
    return 0;
  }
}
