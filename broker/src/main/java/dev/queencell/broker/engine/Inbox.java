package dev.queencell.broker.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What waits for a lane. Tenants take turns: each gather takes a share of every tenant's queue in
 * rotation, so that one tenant's flood can't starve another's acknowledgement; within a tenant
 * order is kept. Thread-safe for many producers and the one lane thread.
 *
 * <p>Its memory is bounded by those who fill it: HTTP admits request bodies under one byte budget.
 */
final class Inbox {
  /** What one tenant gets in one turn. */
  private static final int TURN_WORKS = 64;

  private static final long TURN_BYTES = 256 * 1024;

  private final WorkMeters meters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  private final Map<UUID, ArrayDeque<Work>> byTenant = new HashMap<>();
  private final ArrayDeque<UUID> turns = new ArrayDeque<>();
  private long bytes;
  private boolean closed;
  private boolean waiting;
  private boolean woken;

  /** So many callers have more to ask. */
  private int held;

  Inbox(WorkMeters meters) {
    this.meters = meters;
  }

  /** Adds work at its tenant's end; false when the lane takes no more. */
  boolean put(Work work) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      var queue = byTenant.get(work.tenant);
      if (queue == null) {
        queue = new ArrayDeque<>();
        byTenant.put(work.tenant, queue);
        turns.add(work.tenant);
      }
      queue.add(work);
      meters.arrived(work);
      bytes += work.bytes();
      if (waiting && held == 0) {
        filled.signal();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** A caller has several works: the lane is not woken for the first one, see {@link #goOn}. */
  void holdOn() {
    lock.lock();
    try {
      held++;
    } finally {
      lock.unlock();
    }
  }

  /** The same caller has no more. */
  void goOn() {
    lock.lock();
    try {
      held--;
      // Whoever else holds on: nobody waits for longer than the burst that it is part of.
      if (waiting && !turns.isEmpty()) {
        filled.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves waiting work to {@code into}, up to the bounds; waits for the first at most {@code
   * waitNanos} and returns empty-handed after that or when woken.
   */
  void gather(List<Work> into, long waitNanos, int worksMax, long bytesMax)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      waiting = true;
      long left = waitNanos;
      while (turns.isEmpty() && !closed && !woken && left > 0) {
        left = filled.awaitNanos(left);
      }
      waiting = false;
      woken = false;
      long taken = 0;
      while (!turns.isEmpty() && into.size() < worksMax && taken < bytesMax) {
        taken += takeTurn(into, worksMax);
      }
      bytes -= taken;
      long now = into.isEmpty() ? 0 : System.nanoTime();
      into.forEach(work -> meters.admitted(work, now));
    } finally {
      lock.unlock();
    }
  }

  private long takeTurn(List<Work> into, int worksMax) {
    var tenant = turns.remove();
    var queue = byTenant.get(tenant);
    long taken = 0;
    for (int i = 0; i < TURN_WORKS && taken < TURN_BYTES && into.size() < worksMax; i++) {
      var work = queue.poll();
      if (work == null) {
        break;
      }
      into.add(work);
      taken += work.bytes();
    }
    if (queue.isEmpty()) {
      byTenant.remove(tenant);
    } else {
      turns.add(tenant);
    }
    return taken;
  }

  /** Ends the lane's wait without work. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      filled.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more; returns what was waiting. */
  List<Work> close() {
    lock.lock();
    try {
      closed = true;
      var left = new ArrayList<Work>();
      byTenant.values().forEach(left::addAll);
      left.forEach(meters::refused);
      byTenant.clear();
      turns.clear();
      bytes = 0;
      filled.signal();
      return left;
    } finally {
      lock.unlock();
    }
  }

  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }
}
