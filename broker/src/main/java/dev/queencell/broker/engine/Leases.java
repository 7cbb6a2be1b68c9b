package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The live leases of one commit lane by id: their ends, renewals and returns. One id may cover
 * cursors of many partitions. Used by the lane's thread.
 */
final class Leases {
  private final Lane lane;
  private final Delivery delivery;
  private final Map<UUID, List<GroupCursor>> byId = new HashMap<>();

  Leases(Lane lane, Delivery delivery) {
    this.lane = lane;
    this.delivery = delivery;
  }

  /** Watches over the leases that a pop was just given. */
  void granted(Claims claims) {
    for (var cursor : claims.cursors()) {
      if (cursor.lease != null) {
        watch(cursor);
      }
    }
  }

  /** Watches over a cursor's lease; also for one that was loaded. */
  void watch(GroupCursor cursor) {
    var lease = cursor.lease;
    byId.computeIfAbsent(lease.id, key -> new ArrayList<>(1)).add(cursor);
    lease.timer = lane.timers.at(lease.deadlineNanos, () -> due(cursor, lease));
  }

  private void due(GroupCursor cursor, Lease lease) {
    if (cursor.lease != lease) {
      return;
    }
    if (lease.deadlineNanos - System.nanoTime() > 0) {
      // It was renewed meanwhile.
      lease.timer = lane.timers.at(lease.deadlineNanos, () -> due(cursor, lease));
      return;
    }
    lane.counters.leasesExpired.increment();
    release(cursor);
    delivery.ready(cursor);
  }

  /** Ends a cursor's lease in memory; the caller decides what is written and delivered next. */
  void release(GroupCursor cursor) {
    var lease = cursor.lease;
    cursor.lease = null;
    if (lease.timer != null) {
      lease.timer.cancel();
    }
    var holders = byId.get(lease.id);
    if (holders != null && holders.remove(cursor) && holders.isEmpty()) {
      byId.remove(lease.id);
    }
  }

  /** The cursors that a lease id covers for a tenant. */
  List<GroupCursor> held(UUID tenant, UUID leaseId) {
    var held = new ArrayList<GroupCursor>();
    for (var cursor : byId.getOrDefault(leaseId, List.of())) {
      if (cursor.group.queue.key.tenant().equals(tenant)) {
        held.add(cursor);
      }
    }
    return held;
  }

  /**
   * Moves the ends of a lease on, never back.
   *
   * @return the number of leases renewed and what the first of them to end has left; in nanoseconds
   */
  Renewal renew(UUID tenant, UUID leaseId, int seconds) {
    long now = System.nanoTime();
    long wished = now + seconds * 1_000_000_000L;
    int renewed = 0;
    long earliest = Long.MAX_VALUE;
    for (var cursor : held(tenant, leaseId)) {
      var lease = cursor.lease;
      if (lease.deadlineNanos - now <= 0) {
        continue;
      }
      if (wished - lease.deadlineNanos > 0) {
        lease.deadlineNanos = wished;
        lane.dirty(cursor);
      }
      renewed++;
      earliest = Math.min(earliest, lease.deadlineNanos - now);
    }
    return new Renewal(renewed, earliest);
  }

  /** What a renewal did on one lane. */
  record Renewal(int renewed, long earliestNanos) {}

  /** Ends all leases of a queue that is being deleted. */
  void drop(Queue queue) {
    for (var partition : queue.partitions.values()) {
      for (var cursor : partition.cursors()) {
        if (cursor.lease != null) {
          release(cursor);
        }
      }
    }
  }
}
