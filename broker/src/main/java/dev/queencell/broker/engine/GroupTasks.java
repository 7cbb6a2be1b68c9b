package dev.queencell.broker.engine;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What management asks of consumer groups, run on a lane. Counts come from watermarks: their cost
 * follows the number of places, never the number of messages.
 */
final class GroupTasks {
  /** Rows of cursors that one commit takes; a seek over more partitions is several commits. */
  private static final int SEEK_CURSORS_PER_COMMIT = 10_000;

  private GroupTasks() {}

  /**
   * A place as the lane knows it.
   *
   * @param partition its number
   * @param nextWanted offset of the oldest message that is left
   * @param oldestMicros when that was written; 0 when it must be read
   * @param nowMicros the lane's time
   */
  record Place(
      long partition,
      String partitionName,
      UUID partitionId,
      UUID leaseId,
      boolean delivered,
      long committed,
      long lag,
      long nextWanted,
      long oldestMicros,
      long nowMicros) {}

  /** A group on a queue with its places. */
  record State(
      String name,
      String queue,
      String mode,
      long subscribedFromMicros,
      long createdAtMicros,
      boolean conflation,
      List<Place> places) {}

  /**
   * The groups of a tenant on one lane.
   *
   * @param groupName null for all of them
   */
  static List<State> states(Lane lane, UUID tenant, String groupName) {
    var states = new ArrayList<State>();
    for (var queue : lane.directory.queuesOf(tenant)) {
      for (var group : queue.groups.values()) {
        if (groupName == null || group.name.equals(groupName)) {
          states.add(state(lane, group));
        }
      }
    }
    return states;
  }

  private static State state(Lane lane, Group group) {
    var places = new ArrayList<Place>();
    for (var partition : group.queue.partitions.values()) {
      var cursor = partition.cursor(group);
      if (cursor != null) {
        places.add(place(lane, cursor));
      }
    }
    return new State(
        group.name,
        group.queue.key.name(),
        group.registered ? group.mode : null,
        group.subscribedFromMicros,
        group.createdAtMicros,
        group.conflation,
        places);
  }

  private static Place place(Lane lane, GroupCursor cursor) {
    long wanted = cursor.nextWanted();
    var segment = cursor.hasPending() ? cursor.partition.cachedAt(wanted) : null;
    return new Place(
        cursor.partition.id,
        cursor.partition.name,
        cursor.partition.uuid(),
        cursor.lease == null ? null : cursor.lease.id,
        cursor.wasDelivered(),
        cursor.committed,
        cursor.pending(),
        wanted,
        segment == null ? 0 : segment.createdAtMicros(),
        lane.createdAtMicros());
  }

  static int resubscribe(Lane lane, UUID tenant, String groupName, Instant from) {
    int queues = 0;
    for (var queue : lane.directory.queuesOf(tenant)) {
      var group = queue.groups.get(groupName);
      if (group != null && group.registered) {
        Subscriptions.resubscribe(lane, group, from);
        queues++;
      }
    }
    return queues;
  }

  /**
   * The ends of a queue's partitions at one moment; none when it is missing.
   *
   * @param queue its number
   */
  record Ends(long queue, Map<Long, Long> firstOffsets, Map<Long, Long> nextOffsets) {}

  static Ends ends(Lane lane, UUID tenant, String queueName, String partitionName) {
    var queue = lane.directory.find(tenant, queueName);
    if (queue == null) {
      return new Ends(0, Map.of(), Map.of());
    }
    var first = new HashMap<Long, Long>();
    var next = new HashMap<Long, Long>();
    for (var partition : queue.partitions.values()) {
      if (partitionName == null || partition.name.equals(partitionName)) {
        first.put(partition.id, partition.firstOffset);
        next.put(partition.id, partition.nextOffset);
      }
    }
    return new Ends(queue.id, first, next);
  }

  /**
   * Moves a group on the partitions that {@code starts} names.
   *
   * @param starts the next offset to deliver by partition; null: the end of every partition
   * @param partitionName null: all
   * @return the number of partitions moved
   */
  static int seek(
      Lane lane,
      UUID tenant,
      String queueName,
      String groupName,
      String partitionName,
      Map<Long, Long> starts)
      throws SQLException {
    var queue = lane.directory.find(tenant, queueName);
    if (queue == null) {
      return 0;
    }
    int moved = 0;
    Group group = null;
    for (var partition : new ArrayList<>(queue.partitions.values())) {
      Long start = starts == null ? Long.valueOf(partition.nextOffset) : starts.get(partition.id);
      if (start == null || (partitionName != null && !partition.name.equals(partitionName))) {
        continue;
      }
      group = group == null ? lane.directory.group(queue, groupName) : group;
      move(lane, group, partition, start - 1);
      if (++moved % SEEK_CURSORS_PER_COMMIT == 0) {
        lane.flush(System.nanoTime());
      }
    }
    return moved;
  }

  private static void move(Lane lane, Group group, Partition partition, long committed) {
    var cursor = partition.cursor(group);
    if (cursor == null) {
      cursor = partition.addCursor(group, committed);
    } else if (cursor.lease != null) {
      lane.delivery.leases().release(cursor);
    }
    lane.delivery.endRest(cursor);
    cursor.moveTo(committed);
    lane.dirty(cursor);
    lane.delivery.ready(cursor);
  }

  /** Removes a group's places on the lane's queues; see {@link Groups#delete}. */
  static int delete(
      Lane lane, UUID tenant, String groupName, String queueName, boolean deleteMetadata)
      throws SQLException {
    int places = 0;
    for (var queue : List.copyOf(lane.directory.queuesOf(tenant))) {
      var group = queue.groups.get(groupName);
      if (group != null && (queueName == null || queue.key.name().equals(queueName))) {
        places += delete(lane, group, deleteMetadata);
      }
    }
    return places;
  }

  private static int delete(Lane lane, Group group, boolean deleteMetadata) throws SQLException {
    // What was decided before is committed first; the deletion is a commit of its own.
    lane.flush(System.nanoTime());
    for (var pop : group.waiting()) {
      lane.delivery.leave(pop);
      pop.endEmpty();
    }
    int places = 0;
    for (var partition : group.queue.partitions.values()) {
      var cursor = partition.cursor(group);
      if (cursor != null) {
        if (cursor.lease != null) {
          lane.delivery.leases().release(cursor);
        }
        partition.removeCursor(cursor);
        places++;
      }
    }
    boolean keep = !deleteMetadata && group.registered;
    group.ready.clear();
    group.seeding = false;
    group.seeded = false;
    if (keep) {
      lane.commit().group(group.toRow());
    } else {
      group.queue.groups.remove(group.name);
    }
    lane.commit().deleteGroup(group.id, group.queue.id, keep);
    lane.flush(System.nanoTime());
    return places;
  }
}
