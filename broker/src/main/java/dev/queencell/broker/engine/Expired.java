package dev.queencell.broker.engine;

import java.util.List;

/**
 * Steps over messages that are older than their queue's {@code ttl}: for the group they count as
 * completed from the moment a pop comes upon them, durably, so that raising the option later brings
 * none of them back. Used by the lane's thread.
 */
final class Expired {
  private Expired() {}

  /**
   * Moves a cursor behind what is too old; it must not be held.
   *
   * @return {@code CLAIMED} when there may be something to deliver, {@code NOTHING} when all was
   *     too old, {@code COLD} while the end of it is being looked for
   */
  static Claims.Result stepOver(Lane lane, GroupCursor cursor, Visibility visible) {
    var partition = cursor.partition;
    long start = cursor.nextWanted();
    long offset = start;
    while (offset < partition.nextOffset) {
      var segment = cursor.segmentAt(offset);
      if (segment == null) {
        if (offset == start) {
          // Nobody knows yet; it is read like any other and comes here again.
          return Claims.Result.CLAIMED;
        }
        complete(lane, cursor, offset);
        lookFor(lane, cursor, offset, visible.aliveFromMicros());
        return Claims.Result.COLD;
      }
      if (!visible.isExpired(segment)) {
        break;
      }
      offset = segment.end();
    }
    if (offset > start) {
      complete(lane, cursor, offset);
    }
    return cursor.hasPending() ? Claims.Result.CLAIMED : Claims.Result.NOTHING;
  }

  /** Has the group complete everything below an offset. */
  static void complete(Lane lane, GroupCursor cursor, long next) {
    cursor.committed = next - 1;
    cursor.attempts = 0;
    cursor.retries = 0;
    lane.dirty(cursor);
  }

  private static void lookFor(Lane lane, GroupCursor cursor, long from, long aliveFromMicros) {
    cursor.fetching = true;
    cursor.group.fetching++;
    cursor.fetched = List.of();
    int moves = cursor.moves;
    lane.reader.startSince(
        cursor.partition,
        from,
        aliveFromMicros,
        start -> {
          if (cursor.moves == moves && start > cursor.nextWanted()) {
            complete(lane, cursor, start);
          }
          lane.delivery.fetched(cursor);
        });
  }
}
