package dev.queencell.proxy.edge;

import dev.queencell.service.HttpProblem;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the calls that run at the broker at once, parked pops and uploads that their clients pace
 * aside. A broker works no faster for having more of them, and each holds a connection with its
 * buffers; what comes in a burst waits here, first come first served, where it costs least.
 *
 * <p>Thread-safe.
 */
final class CallGate {
  private static final int CALLS_MAX = 256;
  private static final long WAIT_MS_MAX = 30_000;

  private final Semaphore places = new Semaphore(CALLS_MAX, true);

  /**
   * Waits for a place.
   *
   * @throws HttpProblem 504 when none came free in time
   */
  void enter() {
    try {
      if (places.tryAcquire(WAIT_MS_MAX, TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw Refusals.brokerTimedOut();
  }

  /** Takes a place if one is free and nobody waits for it. */
  boolean tryEnter() {
    return !places.hasQueuedThreads() && places.tryAcquire();
  }

  void leave() {
    places.release();
  }

  /** Calls that run. */
  int running() {
    return CALLS_MAX - places.availablePermits();
  }

  /** Calls that wait for a place. */
  int waiting() {
    return places.getQueueLength();
  }
}
