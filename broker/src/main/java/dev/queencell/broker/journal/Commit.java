package dev.queencell.broker.journal;

import dev.queencell.broker.store.Rows.CellMinuteRow;
import dev.queencell.broker.store.Rows.Contents;
import dev.queencell.broker.store.Rows.CursorRow;
import dev.queencell.broker.store.Rows.DeadLetterRow;
import dev.queencell.broker.store.Rows.GroupRow;
import dev.queencell.broker.store.Rows.HashRow;
import dev.queencell.broker.store.Rows.MinuteRow;
import dev.queencell.broker.store.Rows.PartitionRow;
import dev.queencell.broker.store.Rows.QueueRow;
import dev.queencell.broker.store.Rows.SegmentRow;
import dev.queencell.broker.store.Rows.TraceRow;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What one transaction will write: rows of every kind, gathered from many requests. At most one row
 * per cursor and one segment per partition. Filled and used by one thread.
 */
public final class Commit {
  final List<QueueRow> queues = new ArrayList<>();
  final List<PartitionRow> partitions = new ArrayList<>();
  final List<GroupRow> groups = new ArrayList<>();
  final List<SegmentRow> segments = new ArrayList<>();
  final List<HashRow> hashes = new ArrayList<>();
  final List<CursorRow> newCursors = new ArrayList<>();
  final List<CursorRow> changedCursors = new ArrayList<>();
  final List<DeadLetterRow> deadLetters = new ArrayList<>();
  final List<UUID> deadLettersGone = new ArrayList<>();
  final List<TraceRow> traces = new ArrayList<>();
  final List<MinuteRow> minutes = new ArrayList<>();
  final List<PartitionContents> contents = new ArrayList<>();
  final List<Long> deletedPartitions = new ArrayList<>();
  CellMinuteRow cellMinute;
  long checkpointMicros;
  long deletedQueueId;
  DeletedGroup deletedGroup;
  private long segmentBytes;

  /** A line of the checkpoint. */
  record PartitionContents(long partitionId, Contents contents) {}

  /** A group whose cursors go; its row stays when its subscription is kept. */
  record DeletedGroup(long groupId, long queueId, boolean keepSubscription) {}

  /** A new queue, or one whose options changed. */
  public void queue(QueueRow row) {
    queues.add(row);
  }

  public void partition(PartitionRow row) {
    partitions.add(row);
  }

  /** A new group, or one that has registered. */
  public void group(GroupRow row) {
    groups.add(row);
  }

  public void segment(SegmentRow row) {
    segments.add(row);
    segmentBytes += row.frames().length;
  }

  public void hashes(HashRow row) {
    hashes.add(row);
  }

  /** A cursor's row; revision 1 is its first. */
  public void cursor(CursorRow row) {
    (row.revision() == 1 ? newCursors : changedCursors).add(row);
  }

  public void deadLetter(DeadLetterRow row) {
    deadLetters.add(row);
  }

  /** Removes a dead letter that was there before this commit. */
  public void removeDeadLetter(UUID id) {
    deadLettersGone.add(id);
  }

  public void trace(TraceRow row) {
    traces.add(row);
  }

  /** Counts of queues, added to those that are stored. */
  public void minutes(List<MinuteRow> rows) {
    minutes.addAll(rows);
  }

  /** What a partition holds once this commit has happened. */
  public void contents(long partitionId, Contents row) {
    contents.add(new PartitionContents(partitionId, row));
  }

  /** Removes a partition with its cursors; it is empty. */
  public void deletePartition(long partitionId) {
    deletedPartitions.add(partitionId);
  }

  /** What the process used, beside the counts of a minute. */
  public void cellMinute(CellMinuteRow row) {
    cellMinute = row;
  }

  /** Says that all segments created before this instant are in the checkpoint with this commit. */
  public void checkpoint(long createdAtMicros) {
    checkpointMicros = createdAtMicros;
  }

  /** Removes a queue and all under it; such a commit carries nothing else. */
  public void deleteQueue(long queueId) {
    deletedQueueId = queueId;
  }

  /** Removes the cursors of a group; such a commit carries no row of a cursor. */
  public void deleteGroup(long groupId, long queueId, boolean keepSubscription) {
    deletedGroup = new DeletedGroup(groupId, queueId, keepSubscription);
  }

  /** Takes over the rows of another lane's commit, which shares none with this one. */
  public void addAll(Commit other) {
    queues.addAll(other.queues);
    partitions.addAll(other.partitions);
    groups.addAll(other.groups);
    segments.addAll(other.segments);
    hashes.addAll(other.hashes);
    newCursors.addAll(other.newCursors);
    changedCursors.addAll(other.changedCursors);
    deadLetters.addAll(other.deadLetters);
    deadLettersGone.addAll(other.deadLettersGone);
    traces.addAll(other.traces);
    minutes.addAll(other.minutes);
    contents.addAll(other.contents);
    deletedPartitions.addAll(other.deletedPartitions);
    cellMinute = other.cellMinute == null ? cellMinute : other.cellMinute;
    segmentBytes += other.segmentBytes;
  }

  public boolean isEmpty() {
    return segments.isEmpty() && newCursors.isEmpty() && changedCursors.isEmpty() && isPlain();
  }

  /** Nothing in it but rows of the hot path. */
  boolean isPlain() {
    return queues.isEmpty()
        && groups.isEmpty()
        && deadLetters.isEmpty()
        && deadLettersGone.isEmpty()
        && traces.isEmpty()
        && minutes.isEmpty()
        && contents.isEmpty()
        && deletedPartitions.isEmpty()
        && checkpointMicros == 0
        && deletedQueueId == 0
        && deletedGroup == null
        && partitions.isEmpty();
  }

  long segmentBytes() {
    return segmentBytes;
  }

  /** A row by which one can tell later whether this commit happened; null when it has none. */
  public SegmentRow anySegment() {
    return segments.isEmpty() ? null : segments.getFirst();
  }

  /** A cursor by which one can tell later whether this commit happened; null when it has none. */
  public CursorRow anyCursor() {
    if (!changedCursors.isEmpty()) {
      return changedCursors.getFirst();
    }
    return newCursors.isEmpty() ? null : newCursors.getFirst();
  }
}
