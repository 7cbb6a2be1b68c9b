package dev.queencell.loader.pace;

import java.util.ArrayList;
import java.util.List;

/**
 * One schedule served by several threads, each its share of the events: thread i of n serves the
 * events i, i + n, i + 2n and so on. The schedule is a pure function, so they need no word with
 * each other, and a thread that the kernel holds back delays its own share only.
 */
public final class Pacers {
  /** Events per second that one thread serves within a fraction of a millisecond. */
  private static final double PER_THREAD = 50_000;

  private static final int THREADS_MAX = 64;

  private final List<Pacer> pacers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * Prepares the threads.
   *
   * @param count of threads; 0 finds one from the rate
   */
  public Pacers(int count, Schedule schedule, Ticks ticks, Pacer.Sink sink) {
    int n = count > 0 ? count : threadsFor(schedule.perSecond());
    for (int i = 0; i < n; i++) {
      pacers.add(new Pacer(schedule, i, n, ticks, sink));
    }
  }

  /** One thread for each 50,000 events a second, rounded up. */
  static int threadsFor(double perSecond) {
    return Math.clamp((long) Math.ceil(perSecond / PER_THREAD), 1, THREADS_MAX);
  }

  /**
   * Starts all threads.
   *
   * @param startNanos the schedule's start on the pacers' clock
   */
  public void start(long startNanos) {
    for (var pacer : pacers) {
      threads.add(
          Thread.ofPlatform().name("pacer-", 0).daemon().start(() -> pacer.run(startNanos)));
    }
  }

  /** Waits for all threads to come to the schedule's end, up to this long. */
  public void awaitEnd(long timeoutMs) throws InterruptedException {
    long deadline = System.nanoTime() + timeoutMs * 1_000_000;
    for (var thread : threads) {
      thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    }
  }

  /** Ends all threads and waits for them. */
  public void stop() throws InterruptedException {
    pacers.forEach(Pacer::stop);
    for (var thread : threads) {
      thread.join();
    }
  }

  public int threadCount() {
    return pacers.size();
  }

  /** Events handed over so far, the shed ones included. */
  public long offered() {
    return pacers.stream().mapToLong(Pacer::offered).sum();
  }

  public long shed() {
    return pacers.stream().mapToLong(Pacer::shed).sum();
  }

  /** Events handed over more than {@link Pacer#LATE_NANOS} after they were due. */
  public long late() {
    return pacers.stream().mapToLong(Pacer::late).sum();
  }
}
