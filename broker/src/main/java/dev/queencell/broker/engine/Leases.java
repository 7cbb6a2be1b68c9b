package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The live leases of one commit lane by id: their ends, renewals and returns. One id may cover
 * cursors of many partitions. A queue whose leases are relaxed has them written only when they have
 * reached an age that most never do: an acknowledgement that comes before saves a row and often a
 * commit, and a crash before frees what was leased. Used by the lane's thread.
 */
final class Leases {
  /** The age at which a relaxed lease is written. */
  private static final long YOUNG_NANOS = 500_000_000L;

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
    long first =
        lease.unwritten
            ? Math.min(lease.deadlineNanos, System.nanoTime() + YOUNG_NANOS)
            : lease.deadlineNanos;
    lease.timer = lane.timers.at(first, () -> due(cursor, lease));
  }

  private void due(GroupCursor cursor, Lease lease) {
    if (cursor.lease != lease) {
      return;
    }
    if (lease.unwritten && lease.deadlineNanos - System.nanoTime() > 0) {
      lane.dirty(cursor);
    }
    if (lease.deadlineNanos - System.nanoTime() > 0) {
      // It was renewed meanwhile, or has just grown old enough to be written.
      lease.timer = lane.timers.at(lease.deadlineNanos, () -> due(cursor, lease));
      return;
    }
    lane.counters.leasesExpired.increment();
    release(cursor);
    delivery.ready(cursor);
  }

  /** Has every lease written that is in memory only; for the end of a term in order. */
  void writeAll() {
    for (var holders : byId.values()) {
      for (var cursor : holders) {
        if (cursor.lease.unwritten) {
          lane.dirty(cursor);
        }
      }
    }
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
