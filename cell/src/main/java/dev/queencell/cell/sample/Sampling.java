package dev.queencell.cell.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One thread that takes samples of one kind on the fixed schedule until it is told to stop. Each
 * kind has a thread of its own, so that a database that hangs costs its own lines and no others'. A
 * sample that fails is noted and the next one is tried: a record with a hole is better than none.
 */
final class Sampling {
  /** The first problems tell the story; a database that is away would fill the record. */
  private static final int PROBLEMS_MAX = 20;

  private final String name;
  private final Clock clock;
  private final Ticker ticker;
  private final Probe probe;
  private final CountDownLatch stop;
  private final Thread thread;
  private final List<String> problems = new ArrayList<>();
  private long taken;
  private long failed;

  /** What takes one sample and writes it. */
  interface Probe extends AutoCloseable {
    void sample(Clock.Instant now) throws Exception;

    @Override
    void close() throws IOException;
  }

  Sampling(String name, Clock clock, long intervalMs, Probe probe, CountDownLatch stop) {
    this.name = name;
    this.clock = clock;
    this.ticker = new Ticker(clock.startNanos(), TimeUnit.MILLISECONDS.toNanos(intervalMs));
    this.probe = probe;
    this.stop = stop;
    this.thread = Thread.ofPlatform().name("sample-" + name).unstarted(this::run);
  }

  Sampling start() {
    thread.start();
    return this;
  }

  /** Waits until the thread has written its last sample, for at most the given time. */
  boolean join(long timeoutMs) throws InterruptedException {
    thread.join(timeoutMs);
    return !thread.isAlive();
  }

  String name() {
    return name;
  }

  /** How it went; to be read after {@link #join}. */
  synchronized Outcome outcome() {
    return new Outcome(taken, failed, ticker.skipped(), List.copyOf(problems));
  }

  /**
   * How a kind of sample went.
   *
   * @param skipped ticks that passed while the sample before them still ran
   */
  record Outcome(long taken, long failed, long skipped, List<String> problems) {}

  private void run() {
    try (probe) {
      boolean stopping = false;
      while (!stopping) {
        // The last sample is taken after the wish to stop, so that the run's end is covered.
        stopping = stop.await(ticker.waitNanos(clock.nanos()), TimeUnit.NANOSECONDS);
        ticker.take(clock.nanos());
        sampleOnce();
      }
    } catch (Exception e) {
      note(e);
    }
  }

  private void sampleOnce() throws InterruptedException {
    try {
      probe.sample(clock.now());
      count(true);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      count(false);
      note(e);
    }
  }

  private synchronized void count(boolean good) {
    taken += good ? 1 : 0;
    failed += good ? 0 : 1;
  }

  private synchronized void note(Exception e) {
    if (problems.size() < PROBLEMS_MAX) {
      problems.add("%d ms: %s".formatted(clock.now().monotonicMs(), e.getMessage()));
    }
  }
}
