package dev.queencell.loader.pace;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves a schedule, or every n-th event of one: hands over each event once, in order, never before
 * it is due. It waits for the clock and for nothing else; one that falls behind hands over late
 * what is due and skips nothing. What the sink can't take at once is shed: offered, never sent.
 *
 * <p>{@link #run} belongs to one thread; the counters may be read by any.
 */
public final class Pacer {
  /** Takes events; must return at once. */
  @FunctionalInterface
  public interface Sink {
    /**
     * An event is due.
     *
     * @param event its number, from 0
     * @param dueNanos its instant on the pacer's clock
     * @return false when it can't be taken now
     */
    boolean offer(long event, long dueNanos);
  }

  /** An event handed over later than this counts as late. */
  public static final long LATE_NANOS = 5_000_000;

  /** So that a stop is noticed on a slow schedule. */
  private static final long PARK_MAX_NANOS = 50_000_000;

  private final Schedule schedule;
  private final int first;
  private final int stride;
  private final Ticks ticks;
  private final Sink sink;
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong shed = new AtomicLong();
  private final AtomicLong late = new AtomicLong();

  public Pacer(Schedule schedule, Ticks ticks, Sink sink) {
    this(schedule, 0, 1, ticks, sink);
  }

  /** A pacer of the events {@code first}, {@code first + stride}, and so on. */
  Pacer(Schedule schedule, int first, int stride, Ticks ticks, Sink sink) {
    this.schedule = schedule;
    this.first = first;
    this.stride = stride;
    this.ticks = ticks;
    this.sink = sink;
  }

  /**
   * Serves its events to the schedule's end, unless stopped.
   *
   * @param startNanos the schedule's start on the pacer's clock
   */
  public void run(long startNanos) {
    long count = schedule.count();
    long due = startNanos + schedule.instantNanos(first);
    for (long event = first; event < count && !stopped.get(); ) {
      long now = ticks.nanoTime();
      if (now - due < 0) {
        ticks.parkUntil(Math.min(due, now + PARK_MAX_NANOS));
        continue;
      }
      offered.lazySet(offered.get() + 1);
      if (now - due > LATE_NANOS) {
        late.lazySet(late.get() + 1);
      }
      if (!sink.offer(event, due)) {
        shed.lazySet(shed.get() + 1);
      }
      event += stride;
      due = startNanos + schedule.instantNanos(event);
    }
  }

  /** Ends {@link #run} early; callable from any thread. */
  public void stop() {
    stopped.set(true);
  }

  /** Events handed over so far, the shed ones included. */
  public long offered() {
    return offered.get();
  }

  public long shed() {
    return shed.get();
  }

  /** Events handed over more than {@link #LATE_NANOS} after they were due. */
  public long late() {
    return late.get();
  }
}
