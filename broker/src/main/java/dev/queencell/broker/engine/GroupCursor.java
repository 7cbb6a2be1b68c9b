package dev.queencell.broker.engine;

import dev.queencell.broker.store.Rows.CursorRow;
import dev.queencell.broker.store.Segment;
import java.util.List;

/**
 * How far a group has come in a partition, and who holds the next span. Touched by the queue's lane
 * thread only.
 */
final class GroupCursor {
  final Group group;
  final Partition partition;

  /** Highest completed offset; everything at or below it is final. */
  long committed;

  /** The live lease, or null. */
  Lease lease;

  /** Delivery attempts of the batch that began at {@link #attemptBase}. */
  int attempts;

  long attemptBase = -1;

  /** Explicit failures charged to the batch at the cursor. */
  int retries;

  /** Writes of the stored row; 0: there is none yet. */
  int revision;

  /** Stands in the group's ready list. */
  boolean inReady;

  /** Its next segments are being read from PostgreSQL. */
  boolean fetching;

  /** It was deleted; a read or a timer that still holds it must bring nothing back. */
  boolean gone;

  /** Why it is not looked at though it may have something to deliver; null: it is. */
  Rest rest;

  /** Segments that a read brought for the next delivery, whatever the cache has room for. */
  List<Segment> fetched = List.of();

  /** Will be written by the commit that is being filled. */
  boolean dirty;

  /** Times it was moved from outside; what was read for the place before does not count then. */
  int moves;

  /** Offsets below are known to be gone, though not completed; 0 when nothing is known. */
  long skipTo;

  GroupCursor(Group group, Partition partition, long committed) {
    this.group = group;
    this.partition = partition;
    this.committed = committed;
  }

  /** Places it anew, as if nothing had been delivered from there on. It must not be leased. */
  void moveTo(long newCommitted) {
    committed = newCommitted;
    attempts = 0;
    retries = 0;
    skipTo = 0;
    fetched = List.of();
    moves++;
  }

  /** Whether messages have been handed to the group here. */
  boolean wasDelivered() {
    return attemptBase >= 0;
  }

  /** The segment that holds an offset, if it is in memory; else null. */
  Segment segmentAt(long offset) {
    for (var segment : fetched) {
      if (offset >= segment.base() && offset < segment.end()) {
        return segment;
      }
    }
    return partition.cachedAt(offset);
  }

  /** Nothing can be taken from it now, whatever it has. */
  boolean isHeld() {
    return lease != null || fetching || rest != null || gone || group.seeding;
  }

  /** Where the next delivery begins. */
  long nextWanted() {
    return Math.max(Math.max(committed + 1, partition.firstOffset), skipTo);
  }

  boolean hasPending() {
    return nextWanted() < partition.nextOffset;
  }

  /** All that it has not completed is gone, and nothing has come since. */
  boolean isBehindGap() {
    return partition.firstOffset == partition.nextOffset && committed + 1 < partition.nextOffset;
  }

  long pending() {
    return Math.max(0, partition.nextOffset - nextWanted());
  }

  /** The last leased offset; -1 without a lease. */
  long leaseEnd() {
    return lease == null ? -1 : lease.end;
  }

  /** Messages under the live lease that are not completed. */
  long processing() {
    return lease == null
        ? 0
        : Math.max(0, lease.end - Math.max(committed, partition.firstOffset - 1));
  }

  CursorRow toRow(long nanoTime) {
    return lease == null
        ? new CursorRow(
            partition.id,
            group.id,
            revision,
            committed,
            0,
            0,
            -1,
            0,
            attempts,
            attemptBase,
            retries)
        : new CursorRow(
            partition.id,
            group.id,
            revision,
            committed,
            lease.id.getMostSignificantBits(),
            lease.id.getLeastSignificantBits(),
            lease.end,
            Math.max(1, (lease.deadlineNanos - nanoTime) / 1_000_000),
            attempts,
            attemptBase,
            retries);
  }
}
