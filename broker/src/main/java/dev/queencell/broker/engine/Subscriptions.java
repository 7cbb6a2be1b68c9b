package dev.queencell.broker.engine;

import dev.queencell.broker.store.Rows.GroupRow;
import dev.queencell.broker.store.SegmentReader;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;

/**
 * Where a group starts. The first queue-wide pop of a group registers it and places its cursor on
 * every partition that exists then; partitions that come later are read from their beginning. The
 * stored record wins over whatever later pops ask for. Used by the lane's thread.
 */
final class Subscriptions {
  private Subscriptions() {}

  static void register(Lane lane, Group group, PopRequest request) {
    if (group.registered) {
      return;
    }
    group.registered = true;
    boolean fromNew = startsAtNew(group, request);
    var from = group.isQueueMode() ? null : request.from();
    var starts = from == null ? Map.<Long, Long>of() : startsSince(lane, group.queue, from);
    for (var partition : group.queue.partitions.values()) {
      if (partition.cursor(group) == null) {
        place(lane, group, partition, start(partition, from, fromNew, starts));
      }
    }
    lane.commit()
        .group(
            new GroupRow(
                group.id,
                group.queue.id,
                group.name,
                true,
                fromNew ? "new" : "all",
                from == null ? lane.createdAtMicros() : micros(from)));
  }

  /** Places a cursor for a pop on one partition, if the group has none there yet. */
  static void seedPinned(Lane lane, Group group, PopRequest request) {
    var partition = group.queue.partitions.get(request.partition());
    if (partition == null || partition.cursor(group) != null) {
      return;
    }
    var from = group.isQueueMode() ? null : request.from();
    var starts = from == null ? Map.<Long, Long>of() : startsSince(lane, group.queue, from);
    boolean fromNew = !group.registered && startsAtNew(group, request);
    place(lane, group, partition, start(partition, from, fromNew, starts));
  }

  private static boolean startsAtNew(Group group, PopRequest request) {
    return !group.isQueueMode() && request.from() == null && request.fromNew();
  }

  private static long start(
      Partition partition, Instant from, boolean fromNew, Map<Long, Long> starts) {
    if (from != null) {
      var stored = starts.get(partition.id);
      if (stored != null) {
        return stored - 1;
      }
      // Messages of the open commit are in no row yet, and newer than any instant asked for.
      return partition.open != null ? partition.open.base - 1 : partition.nextOffset - 1;
    }
    return fromNew ? partition.nextOffset - 1 : partition.firstOffset - 1;
  }

  private static void place(Lane lane, Group group, Partition partition, long committed) {
    var cursor = partition.addCursor(group, committed);
    if (committed >= partition.firstOffset) {
      // Without a row the cursor would be at the beginning after a restart.
      lane.dirty(cursor);
    }
    lane.delivery.ready(cursor);
  }

  private static Map<Long, Long> startsSince(Lane lane, Queue queue, Instant from) {
    try {
      return new SegmentReader(lane.journal().connection())
          .firstOffsetsSince(queue.id, micros(from));
    } catch (SQLException e) {
      throw new LaneReadException(e);
    }
  }

  private static long micros(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
  }
}
