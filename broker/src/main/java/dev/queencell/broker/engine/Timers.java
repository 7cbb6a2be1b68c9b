package dev.queencell.broker.engine;

import java.util.PriorityQueue;

/**
 * What a lane must do at an instant though nobody asks: end parked pops and leases, show delayed
 * messages. Monotonic time. Used by one thread.
 */
final class Timers {
  /** Fewer cancelled entries than this are not worth a sweep. */
  private static final int SWEEP_MIN = 1024;

  private final PriorityQueue<Timer> heap =
      new PriorityQueue<>((a, b) -> Long.compare(a.atNanos - b.atNanos, 0));

  private int cancelled;

  /** An entry; cancelling lets go of what it holds at once, its place in the heap goes later. */
  final class Timer {
    private final long atNanos;
    private Runnable action;

    private Timer(long atNanos, Runnable action) {
      this.atNanos = atNanos;
      this.action = action;
    }

    void cancel() {
      if (action != null) {
        action = null;
        cancelled++;
      }
    }
  }

  Timer at(long nanoTime, Runnable action) {
    if (cancelled > SWEEP_MIN && cancelled > heap.size() / 2) {
      heap.removeIf(timer -> timer.action == null);
      cancelled = 0;
    }
    var timer = new Timer(nanoTime, action);
    heap.add(timer);
    return timer;
  }

  /** How long until the next is due; at most {@code maxNanos}, 0 when one is due now. */
  long untilNextNanos(long nanoTime, long maxNanos) {
    while (!heap.isEmpty() && heap.peek().action == null) {
      heap.remove();
      cancelled--;
    }
    return heap.isEmpty() ? maxNanos : Math.clamp(heap.peek().atNanos - nanoTime, 0, maxNanos);
  }

  /** Runs all that is due. */
  void fire(long nanoTime) {
    while (!heap.isEmpty() && heap.peek().atNanos - nanoTime <= 0) {
      var timer = heap.remove();
      var action = timer.action;
      timer.action = null;
      if (action == null) {
        cancelled--;
      } else {
        action.run();
      }
    }
  }
}
