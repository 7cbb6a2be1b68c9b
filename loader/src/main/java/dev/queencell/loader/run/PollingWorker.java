package dev.queencell.loader.run;

import dev.queencell.client.PopRequest;
import dev.queencell.client.PopResult;
import dev.queencell.client.QueenClient;
import dev.queencell.client.QueenException;
import dev.queencell.loader.account.Causes;
import dev.queencell.loader.measure.Counter;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer's loop on a virtual thread: pop, hand over what came, again, until stopped. No failure
 * ends it: failed requests are counted by kind and followed by a backoff. {@link #stop} lets what
 * is in hand be finished and cuts a parked poll, unless what that poll takes would be lost.
 */
public abstract class PollingWorker implements Worker {
  private static final Logger LOG = LoggerFactory.getLogger(PollingWorker.class);
  private static final long FIRST_BACKOFF_MS = 20;
  private static final long BACKOFF_MAX_MS = 1_000;

  private final QueenClient client;
  private final Causes causes;
  private final int popBatch;
  private final long emptySleepMs;
  private final PopRequest[] pops;
  private final String name;
  private Thread thread;
  private int turn;
  private boolean parked;
  private volatile boolean stopped;

  /**
   * Makes a worker that is not started yet.
   *
   * @param popBatch how many messages a lost pop may have taken with it
   * @param emptySleepMs pause after all requests in turn came back empty; 0 for those that wait
   * @param pops asked in turn
   */
  protected PollingWorker(
      String name,
      QueenClient client,
      Causes causes,
      int popBatch,
      long emptySleepMs,
      PopRequest... pops) {
    this.client = client;
    this.causes = causes;
    this.popBatch = popBatch;
    this.emptySleepMs = emptySleepMs;
    this.pops = pops;
    this.name = name;
  }

  /** The run's numbers. */
  protected abstract Bench bench();

  /** Deals with a pop that is not empty. */
  protected abstract void handle(PopResult popped);

  /**
   * Whether a poll may be cut while it waits: what it takes at that moment comes again when its
   * lease ends. One that acks itself has to come home.
   */
  protected boolean mayCutPolls() {
    return true;
  }

  /** Called once after the last pop. */
  protected void ended() {}

  @Override
  public final synchronized void start() {
    if (thread == null) {
      thread = Thread.ofVirtual().name(name).start(this::run);
    }
  }

  @Override
  public final void stop() {
    stopped = true;
    synchronized (this) {
      if (parked) {
        thread.interrupt();
      }
    }
  }

  @Override
  public final void join() throws InterruptedException {
    Thread started;
    synchronized (this) {
      started = thread;
    }
    if (started != null) {
      started.join();
    }
  }

  protected final boolean isStopped() {
    return stopped;
  }

  private void run() {
    while (!stopped) {
      try {
        consume();
      } catch (RuntimeException e) {
        // Anything but a failed request is a fault of the loader; the run goes on and says so.
        LOG.error("{} starts again", name, e);
        bench().counters().error("consumer", "restart");
        causes.consumerRestarted(popBatch);
      }
    }
    ended();
  }

  private void consume() {
    long backoffMs = FIRST_BACKOFF_MS;
    int emptyInTurn = 0;
    while (!stopped) {
      var popped = pop();
      if (popped == null) {
        pause(ThreadLocalRandom.current().nextLong(backoffMs / 2, backoffMs + 1));
        backoffMs = Math.min(BACKOFF_MAX_MS, backoffMs * 2);
        continue;
      }
      backoffMs = FIRST_BACKOFF_MS;
      if (!popped.isEmpty()) {
        emptyInTurn = 0;
        handle(popped);
      } else if (++emptyInTurn >= pops.length) {
        emptyInTurn = 0;
        pause(emptySleepMs);
      }
    }
  }

  /** Null when the request failed. */
  private PopResult pop() {
    if (!park(mayCutPolls())) {
      return PopResult.EMPTY;
    }
    try {
      turn = turn + 1 >= pops.length ? 0 : turn + 1;
      var popped = client.pop(pops[turn]);
      var bench = bench();
      boolean steady = bench.window().contains(bench.now());
      bench.counters().add(Counter.POP_REQUESTS, 1, steady);
      if (popped.isEmpty()) {
        bench.counters().add(Counter.EMPTY_POPS, 1, steady);
      }
      return popped;
    } catch (QueenException e) {
      if (!stopped) {
        bench().counters().error("pop", e.kind());
        if (e.outcomeUnknown()) {
          causes.popLost(popBatch);
        }
      }
      return null;
    } finally {
      unpark();
    }
  }

  /** False when there is no more waiting. */
  private synchronized boolean park(boolean mayBeCut) {
    parked = !stopped && mayBeCut;
    return !stopped;
  }

  private synchronized void unpark() {
    parked = false;
    if (Thread.interrupted()) {
      LOG.debug("a parked poll was cut");
    }
  }

  /** Sleeps, unless stopped. */
  protected final void pause(long waitMs) {
    if (waitMs == 0 || !park(true)) {
      return;
    }
    try {
      Thread.sleep(waitMs);
    } catch (InterruptedException e) {
      LOG.debug("stopped while pausing");
    } finally {
      unpark();
    }
  }
}
