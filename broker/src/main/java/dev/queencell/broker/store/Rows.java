package dev.queencell.broker.store;

import java.util.List;
import java.util.UUID;

/** The rows of the schema as values, for loading and for writing. */
public final class Rows {
  private Rows() {}

  /**
   * A queue.
   *
   * @param optionsJson the options as the schema keeps them
   * @param bucketMax the highest bucket that segments of it may be in, see {@link Ring}
   * @param hashBucketMax the same for its transaction keys
   */
  public record QueueRow(
      long id,
      UUID tenant,
      String name,
      String namespace,
      String task,
      String optionsJson,
      long createdAtMicros,
      short bucketMax,
      short hashBucketMax) {}

  /**
   * A partition, and what it holds.
   *
   * @param rolledForward it holds more than its row says
   */
  public record PartitionRow(
      long id,
      long queueId,
      String name,
      long createdAtMicros,
      Contents contents,
      boolean rolledForward) {}

  /**
   * What a partition holds, as of {@code nextOffset}.
   *
   * @param bytes of its segments as they are stored
   * @param oldestAtMicros time of the first of them; meaningless when it is empty
   * @param newestAtMicros time of the last message ever; 0 when there was none
   * @param sweepDue rows below {@code firstOffset} may still be there
   */
  public record Contents(
      long firstOffset,
      long nextOffset,
      int segments,
      long bytes,
      long oldestAtMicros,
      long newestAtMicros,
      boolean sweepDue) {
    public static final Contents NONE = new Contents(0, 0, 0, 0, 0, 0, false);
  }

  /**
   * A consumer group on a queue.
   *
   * @param registered it has a subscription (a queue-wide pop was made)
   * @param mode {@code new}, {@code all} or {@code timestamp}
   * @param subscribedFromMicros its messages are those since then; 0 for all, or without a
   *     subscription
   * @param conflation it takes only the newest message of each partition
   * @param seeded its cursors have been placed
   */
  public record GroupRow(
      long id,
      long queueId,
      String name,
      boolean registered,
      String mode,
      long subscribedFromMicros,
      boolean conflation,
      boolean seeded,
      long createdAtMicros) {}

  /**
   * A cursor with its lease.
   *
   * @param revision counts the writes of this row, from 1
   * @param leaseEnd last leased offset; meaningless without a lease
   * @param leaseMs what is left of the lease; 0 for none
   */
  public record CursorRow(
      long partitionId,
      long groupId,
      int revision,
      long committed,
      long leaseHigh,
      long leaseLow,
      long leaseEnd,
      long leaseMs,
      int attempts,
      long attemptBase,
      int retries) {}

  /** A packed segment. */
  public record SegmentRow(
      long partitionId,
      long base,
      int count,
      short codec,
      short bucket,
      long createdAtMicros,
      byte[] frames) {}

  /** The transaction keys of a segment. */
  public record HashRow(
      long partitionId, long base, short bucket, long createdAtMicros, byte[] hashes) {}

  /**
   * What happened to a queue in a minute.
   *
   * @param minute since the epoch
   */
  public record MinuteRow(long queueId, int minute, QueueCounts counts) {}

  /** What the broker's process used in a minute. */
  public record CellMinuteRow(
      int minute,
      double cpuPercent,
      long residentBytes,
      long heapBytes,
      int sessions,
      long uptimeSeconds) {}

  /**
   * A client's note on a message.
   *
   * @param queueId 0 when the partition is of no known queue
   * @param transactionKey the 16 bytes that {@code transactionId} is found by
   * @param data JSON text
   */
  public record TraceRow(
      UUID id,
      UUID tenant,
      long queueId,
      UUID partitionId,
      UUID transactionKey,
      byte[] transactionId,
      String group,
      String eventType,
      String data,
      List<String> names,
      long createdAtMicros) {}

  /**
   * A dead letter: the message as it was, and why.
   *
   * @param createdAtMicros of the message
   * @param traceId of the message; null for none
   * @param producer of the message, UTF-8; null for nobody
   */
  public record DeadLetterRow(
      UUID id,
      long queueId,
      long partitionId,
      String group,
      long offset,
      UUID messageId,
      byte[] transactionId,
      byte[] payload,
      String error,
      int retryCount,
      long createdAtMicros,
      UUID traceId,
      byte[] producer) {}
}
