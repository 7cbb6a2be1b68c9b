package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PopResult.Claim;
import dev.queencell.broker.engine.PopResult.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What one pop gets: spans of lanes, from the cursors on, without gaps, within the pop's budget of
 * messages and the answer's budget of bytes. Claiming leases the span (or, with auto-ack, completes
 * it) in memory and marks the cursor for the open commit. Used by the lane's thread, for one pop.
 */
final class Claims {
  /** An answer is closed behind the message that passes this. */
  private static final long ANSWER_BYTES_MAX = 32L * 1024 * 1024;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  enum Result {
    CLAIMED,
    /** Nothing to deliver now. */
    NOTHING,
    /** Its next segments are being read. */
    COLD
  }

  private final Lane lane;
  private final PopWork pop;
  private final long nanoTime;
  private final UUID leaseId;
  private final List<Claim> claims = new ArrayList<>(1);
  private final List<GroupCursor> cursors = new ArrayList<>(1);
  private int wanted;
  private int messages;
  private long bytes;

  Claims(Lane lane, PopWork pop, long nanoTime) {
    this.lane = lane;
    this.pop = pop;
    this.nanoTime = nanoTime;
    this.wanted = pop.request.batch();
    this.leaseId = pop.request.autoAck() ? null : lane.mint();
  }

  boolean wantsMore() {
    return wanted > 0 && bytes < ANSWER_BYTES_MAX;
  }

  boolean isEmpty() {
    return claims.isEmpty();
  }

  int partitions() {
    return claims.size();
  }

  int messages() {
    return messages;
  }

  List<GroupCursor> cursors() {
    return cursors;
  }

  PopResult result() {
    return new PopResult(leaseId, claims);
  }

  /** Takes what this lane has for the pop. */
  Result claim(GroupCursor cursor) {
    if (cursor.lease != null || cursor.fetching || cursor.group.seeding) {
      return Result.NOTHING;
    }
    if (!cursor.hasPending()) {
      sealGap(cursor);
      return Result.NOTHING;
    }
    var partition = cursor.partition;
    long delayMicros = partition.queue.options.delayedProcessing() * 1_000_000L;
    long visibleUntil = delayMicros > 0 ? lane.createdAtMicros() - delayMicros : Long.MAX_VALUE;
    var runs = new ArrayList<Run>(1);
    long start = cursor.nextWanted();
    long offset = start;
    int left = wanted;
    long bytesBefore = bytes;
    boolean missing = false;
    while (left > 0 && bytes < ANSWER_BYTES_MAX && offset < partition.nextOffset) {
      var segment = cursor.segmentAt(offset);
      if (segment == null) {
        missing = true;
        break;
      }
      if (segment.createdAtMicros() > visibleUntil) {
        if (runs.isEmpty()) {
          showLater(cursor, segment.createdAtMicros() - visibleUntil);
          return Result.NOTHING;
        }
        break;
      }
      int skip = (int) (offset - segment.base());
      int count = Math.min(left, segment.count() - skip);
      runs.add(new Run(offset, segment.createdAtMicros(), segment.frames(), skip, count));
      left -= count;
      bytes += (long) segment.frames().length * count / segment.count();
      offset += count;
    }
    boolean justRead = !cursor.fetched.isEmpty();
    cursor.fetched = List.of();
    if (missing && (runs.isEmpty() || !justRead)) {
      bytes = bytesBefore;
      // Batches are full where there is enough; what a read's own bounds left out comes next time.
      lane.reader.fetch(cursor, start, left + (int) (offset - start));
      return Result.COLD;
    }
    wanted = left;
    take(cursor, runs, (int) (offset - start), offset - 1);
    return Result.CLAIMED;
  }

  /** What the cursor still wanted is gone for good; it says so from here on. */
  private void sealGap(GroupCursor cursor) {
    if (cursor.isBehindGap()) {
      cursor.committed = cursor.partition.nextOffset - 1;
      cursor.attempts = 0;
      cursor.retries = 0;
      lane.dirty(cursor);
    }
  }

  private void take(GroupCursor cursor, List<Run> runs, int count, long last) {
    long start = cursor.nextWanted();
    int attempt = 1;
    if (pop.request.autoAck()) {
      cursor.committed = last;
      cursor.attemptBase = start;
      cursor.attempts = 0;
      cursor.retries = 0;
    } else {
      attempt = cursor.attemptBase == start ? cursor.attempts + 1 : 1;
      cursor.attempts = attempt;
      cursor.attemptBase = start;
      cursor.lease = new Lease(leaseId, last, nanoTime + leaseSeconds(cursor) * NANOS_PER_SECOND);
      cursor.lease.index(runs);
      if (attempt > 1) {
        lane.counters.redeliveries.add(count);
      }
    }
    lane.history.popped(
        cursor.partition.queue, count, lane.createdAtMicros() - runs.getFirst().createdAtMicros());
    lane.dirty(cursor);
    messages += count;
    cursors.add(cursor);
    claims.add(
        new Claim(
            cursor.partition.queue.key.name(),
            cursor.partition.name,
            cursor.partition.uuid(),
            attempt,
            count,
            runs));
    // Auto-acknowledged, it may have more; leased, this does nothing.
    lane.delivery.ready(cursor);
  }

  private long leaseSeconds(GroupCursor cursor) {
    int wished = pop.request.leaseSeconds();
    int own = cursor.partition.queue.options.leaseTime();
    return Math.clamp(wished > 0 ? wished : own, 1, Limits.LEASE_SECONDS_MAX);
  }

  private void showLater(GroupCursor cursor, long micros) {
    lane.timers.at(nanoTime + micros * 1_000, () -> lane.delivery.ready(cursor));
  }
}
