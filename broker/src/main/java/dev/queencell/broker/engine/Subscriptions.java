package dev.queencell.broker.engine;

import java.time.Instant;

/**
 * Where a group starts. The first queue-wide pop of a group registers it and places its cursor on
 * every partition that exists then; partitions that come later are read from their beginning. The
 * stored record wins over whatever later pops ask for. A start at an instant is read from
 * PostgreSQL beside the lane; until then the cursors stand, unwritten, at the end. Used by the
 * lane's thread.
 */
final class Subscriptions {
  static final String NEW = "new";
  static final String ALL = "all";
  static final String TIMESTAMP = "timestamp";

  /** The end of the year 9999. */
  private static final long SECONDS_MAX = 253_402_300_799L;

  private Subscriptions() {}

  static void register(Lane lane, Group group, PopRequest request) {
    if (group.seeding || group.subscribes()) {
      return;
    }
    boolean fresh = !group.registered;
    if (fresh) {
      subscribe(lane, group, request);
    }
    group.seeded = true;
    if (group.mode.equals(ALL)) {
      placeAll(lane, group, true);
      lane.commit().group(group.toRow());
    } else if (fresh && group.mode.equals(NEW)) {
      placeAll(lane, group, false);
      lane.commit().group(group.toRow());
    } else {
      placeSince(lane, group);
    }
  }

  private static void subscribe(Lane lane, Group group, PopRequest request) {
    group.registered = true;
    group.conflation = request.conflation() && !group.isQueueMode();
    if (group.isQueueMode() || (request.from() == null && !request.fromNew())) {
      group.mode = ALL;
      group.subscribedFromMicros = 0;
    } else if (request.from() == null) {
      group.mode = NEW;
      group.subscribedFromMicros = lane.createdAtMicros();
    } else {
      group.mode = TIMESTAMP;
      group.subscribedFromMicros = micros(request.from());
    }
  }

  private static void placeAll(Lane lane, Group group, boolean atBeginning) {
    for (var partition : group.queue.partitions.values()) {
      if (partition.cursor(group) == null) {
        place(lane, group, partition, (atBeginning ? partition.firstOffset : partition.nextOffset));
      }
    }
  }

  private static void place(Lane lane, Group group, Partition partition, long nextWanted) {
    var cursor = partition.addCursor(group, nextWanted - 1);
    if (nextWanted > partition.firstOffset) {
      // Without a row the cursor would be at the beginning after a restart.
      lane.dirty(cursor);
    }
    lane.delivery.ready(cursor);
  }

  /** Places the cursors by the subscription's instant, once that has been read. */
  private static void placeSince(Lane lane, Group group) {
    group.seeding = true;
    int seeding = ++group.seedings;
    group.fetching++;
    for (var partition : group.queue.partitions.values()) {
      if (partition.cursor(group) == null) {
        partition.addCursor(group, partition.nextOffset - 1);
      }
    }
    lane.reader.startsSince(
        group.queue,
        group.subscribedFromMicros,
        starts -> {
          group.fetching--;
          if (!group.seeding || group.seedings != seeding) {
            // Its cursors were deleted meanwhile; somebody may still wait for this read.
            lane.delivery.touch(group);
            return;
          }
          group.seeding = false;
          for (var partition : group.queue.partitions.values()) {
            var cursor = partition.cursor(group);
            if (cursor != null && cursor.revision == 0 && !cursor.dirty) {
              cursor.committed =
                  Math.min(cursor.committed, starts.getOrDefault(partition.id, Long.MAX_VALUE) - 1);
              lane.dirty(cursor);
            }
          }
          lane.commit().group(group.toRow());
          lane.delivery.seeded(group);
        });
  }

  /** Places a cursor for a pop on one partition, if the group has none there yet. */
  static void seedPinned(Lane lane, Group group, PopRequest request) {
    var partition = group.queue.partitions.get(request.partition());
    if (partition == null || partition.cursor(group) != null) {
      return;
    }
    Instant from = request.from();
    long sinceMicros = 0;
    if (group.registered) {
      sinceMicros = group.subscribedFromMicros;
    } else if (!group.isQueueMode() && from != null) {
      sinceMicros = micros(from);
    } else if (!group.isQueueMode() && request.fromNew()) {
      place(lane, group, partition, partition.nextOffset);
      return;
    }
    if (sinceMicros <= 0) {
      place(lane, group, partition, partition.firstOffset);
      return;
    }
    var cursor = partition.addCursor(group, partition.nextOffset - 1);
    cursor.fetching = true;
    group.fetching++;
    lane.reader.startSince(
        partition,
        partition.firstOffset,
        sinceMicros,
        start -> {
          if (cursor.revision == 0 && !cursor.dirty) {
            cursor.committed = start - 1;
            lane.dirty(cursor);
          }
          lane.delivery.fetched(cursor);
        });
  }

  /** Places a cursor on a partition that came after the group did. */
  static GroupCursor placeNew(Lane lane, Group group, Partition partition) {
    if (group.registered && lane.createdAtMicros() < group.subscribedFromMicros) {
      // It subscribed to what comes later than now.
      var cursor = partition.addCursor(group, partition.nextOffset - 1);
      lane.dirty(cursor);
      return cursor;
    }
    return partition.addCursor(group, partition.firstOffset - 1);
  }

  /** Says anew since when a group wants messages; moves no cursor. */
  static void resubscribe(Lane lane, Group group, Instant from) {
    group.mode = TIMESTAMP;
    group.subscribedFromMicros = micros(from);
    lane.commit().group(group.toRow());
  }

  /** The first microsecond at or after an instant, within what PostgreSQL and the wire can hold. */
  static long micros(Instant instant) {
    long seconds = Math.clamp(instant.getEpochSecond(), 0, SECONDS_MAX);
    return seconds * 1_000_000L + (instant.getNano() + 999) / 1_000;
  }
}
