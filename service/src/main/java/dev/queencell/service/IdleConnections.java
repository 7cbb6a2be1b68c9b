package dev.queencell.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections of a {@link DirectClient} that carry nothing now; the one that was used last is
 * used first.
 *
 * <p>Thread-safe.
 */
final class IdleConnections {
  /** Well below the five minutes after which a server here closes an idle connection. */
  private static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by {@link #lock}; the one used last is the last. */
  private final Map<DirectClient.Address, Deque<DirectConnection>> kept = new HashMap<>();

  private final AtomicInteger count = new AtomicInteger();

  int count() {
    return count.get();
  }

  /** One to that server; null for none. */
  DirectConnection take(DirectClient.Address address) {
    lock.lock();
    try {
      var those = kept.get(address);
      var last = those == null ? null : those.pollLast();
      if (last != null) {
        count.decrementAndGet();
      }
      return last;
    } finally {
      lock.unlock();
    }
  }

  void keep(DirectConnection connection) {
    lock.lock();
    try {
      connection.rests();
      kept.computeIfAbsent(connection.address(), ignored -> new ArrayDeque<>()).addLast(connection);
      count.incrementAndGet();
    } finally {
      lock.unlock();
    }
    connection.fillMore();
  }

  /** One has ended by itself. */
  void remove(DirectConnection connection) {
    lock.lock();
    try {
      var those = kept.get(connection.address());
      if (those != null && those.remove(connection)) {
        count.decrementAndGet();
      }
    } finally {
      lock.unlock();
    }
  }

  void closeAll(DirectClient.Address address) {
    for (var one = take(address); one != null; one = take(address)) {
      one.close();
    }
  }

  /** Closes those that were not used for a minute. */
  void closeRested(long nanoTime) {
    var rested = new ArrayList<DirectConnection>();
    lock.lock();
    try {
      for (var those : kept.values()) {
        while (!those.isEmpty()
            && nanoTime - those.peekFirst().restsSinceNanos() >= IDLE_NANOS_MAX) {
          rested.add(those.pollFirst());
          count.decrementAndGet();
        }
      }
      kept.values().removeIf(Deque::isEmpty);
    } finally {
      lock.unlock();
    }
    rested.forEach(DirectConnection::close);
  }
}
