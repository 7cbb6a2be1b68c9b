package dev.queencell.broker.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds the commit lane with the highest priority for a discovery pop, before any lane serves it:
 * each says once what it has, and whoever has less waits until the best has tried. Only pops of
 * tenants that use priorities, over several lanes, are ranked. Thread-safe.
 */
final class Ranking {
  /** The rank of a lane that has nothing. */
  static final int NOTHING = Integer.MIN_VALUE;

  private final AtomicInteger lanesLeft;
  private final AtomicInteger best = new AtomicInteger(NOTHING);
  private volatile boolean tried;

  Ranking(int lanes) {
    lanesLeft = new AtomicInteger(lanes);
  }

  /** A lane says what it has; true for the last one to do so. */
  boolean announce(int priority) {
    best.accumulateAndGet(priority, Math::max);
    return lanesLeft.decrementAndGet() == 0;
  }

  /** Whether a lane that has this may serve now. */
  boolean lets(int priority) {
    return tried || isBest(priority);
  }

  /** Whether no lane has said that it has more than this, and all have spoken. */
  boolean isBest(int priority) {
    return lanesLeft.get() == 0 && priority >= best.get();
  }

  boolean wasTried() {
    return tried;
  }

  /** The best has tried: from here on the fastest serves. */
  void tried() {
    tried = true;
  }
}
