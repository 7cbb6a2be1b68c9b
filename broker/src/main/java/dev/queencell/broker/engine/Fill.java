package dev.queencell.broker.engine;

/**
 * Has a waiting pop wait a little longer for a fuller batch, where its queue asks for that with
 * {@code minPopWaitTime}: from the moment there is something for it until the batch is full, the
 * time is over, or the pop's own wait is about to end. The group waits as one, its first pop in
 * front; pops that don't wait, or that want one message, are not held. Used by the lane's thread.
 */
final class Fill {
  private static final long HOLD_MS_MAX = 60_000;
  private static final long NANOS_PER_MS = 1_000_000;

  /** How long before a pop's end it is served with what there is. */
  private static final long BEFORE_END_NANOS = 20 * NANOS_PER_MS;

  private long untilNanos;
  private Timers.Timer timer;
  private long timerNanos;

  /** Whether the pop is not to be served in this pass. */
  boolean holds(Lane lane, Group group, PopWork pop, long nanoTime) {
    long holdMs = Math.clamp(group.queue.options.minPopWaitTime(), 0, HOLD_MS_MAX);
    if (holdMs == 0 || pop.request.waitMs() <= 0 || pop.request.batch() == 1) {
      return false;
    }
    long there = available(group, pop);
    if (there == 0 || there >= pop.request.batch()) {
      end();
      return false;
    }
    if (timer == null) {
      untilNanos = nanoTime + holdMs * NANOS_PER_MS;
    }
    long last = pop.deadlineNanos - BEFORE_END_NANOS;
    long until = last - untilNanos < 0 ? last : untilNanos;
    if (until - nanoTime <= 0) {
      end();
      return false;
    }
    if (timer == null || until - timerNanos < 0) {
      cancel();
      timerNanos = until;
      timer = lane.timers.at(until, () -> lane.delivery.touch(group));
    }
    return true;
  }

  /** Nobody is held any more; the next one begins anew. */
  void end() {
    cancel();
    timer = null;
  }

  private void cancel() {
    if (timer != null) {
      timer.cancel();
    }
  }

  /** Messages that the pop would get now, counted no further than its batch. */
  private static long available(Group group, PopWork pop) {
    var request = pop.request;
    boolean narrow = request.width() != PopRequest.Width.AUTOPILOT && request.partitions() > 0;
    int lanesLeft = narrow ? request.partitions() : request.batch();
    long messages = 0;
    for (var cursor : group.ready) {
      if (lanesLeft == 0 || messages >= request.batch()) {
        break;
      }
      if (!cursor.isHeld() && cursor.hasPending()) {
        // Of a conflated lane only the newest is delivered.
        messages += group.conflation ? 1 : cursor.pending();
        lanesLeft--;
      }
    }
    return messages;
  }
}
