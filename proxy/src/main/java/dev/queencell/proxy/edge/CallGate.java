package dev.queencell.proxy.edge;

import dev.queencell.service.HttpProblem;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Bounds the calls that run at the broker at once, parked pops and uploads that their clients pace
 * aside. A broker works no faster for having more of them, and each holds a connection with its
 * buffers; what comes in a burst waits here, where it costs least. First come first served, but
 * pushes come after everything else: what takes messages away is never more than what was brought,
 * and a flood of pushes must not keep the consumers from draining it.
 *
 * <p>Thread-safe.
 */
final class CallGate {
  private static final int CALLS_MAX = 256;
  private static final long WAIT_MS_MAX = 30_000;

  /** Guards what follows. */
  private final Object lock = new Object();

  private final Queue<Waiter> pushes = new ArrayDeque<>();
  private final Queue<Waiter> others = new ArrayDeque<>();
  private int running;

  /** Who waits, since when, and what it does with its place. */
  private record Waiter(long sinceNanos, Runnable placed, Runnable late) {
    boolean isLate() {
      return System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(WAIT_MS_MAX);
    }
  }

  /**
   * Takes a place at once, or has it announced. Doesn't block.
   *
   * @param placed is called with the place when it is not given at once, on any thread, quickly
   * @param late is called instead when a place came free only after the longest wait
   * @return true when the place is there, and neither is called
   */
  boolean enter(boolean isPush, Runnable placed, Runnable late) {
    synchronized (lock) {
      if (running < CALLS_MAX) {
        running++;
        return true;
      }
      (isPush ? pushes : others).add(new Waiter(System.nanoTime(), placed, late));
      return false;
    }
  }

  /**
   * Waits for a place.
   *
   * @throws HttpProblem 504 when none came free in time
   */
  void await(boolean isPush) {
    var place = new CompletableFuture<Boolean>();
    // A place for somebody who has gone is left at once.
    Runnable placed =
        () -> {
          if (!place.complete(true)) {
            leave();
          }
        };
    if (enter(isPush, placed, () -> place.complete(false))) {
      return;
    }
    try {
      if (place.get(WAIT_MS_MAX, TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (TimeoutException e) {
      if (!place.complete(false) && place.getNow(false)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (!place.complete(false) && place.getNow(false)) {
        leave();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    throw Refusals.brokerTimedOut();
  }

  /** Gives the place to who is next. */
  void leave() {
    while (true) {
      Waiter next;
      synchronized (lock) {
        next = others.isEmpty() ? pushes.poll() : others.poll();
        if (next == null) {
          running--;
          return;
        }
      }
      if (!next.isLate()) {
        next.placed().run();
        return;
      }
      next.late().run();
    }
  }

  /** Calls that run. */
  int running() {
    synchronized (lock) {
      return running;
    }
  }

  /** Calls that wait for a place. */
  int waiting() {
    synchronized (lock) {
      return pushes.size() + others.size();
    }
  }
}
