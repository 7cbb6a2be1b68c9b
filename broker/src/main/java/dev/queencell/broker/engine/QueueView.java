package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueOptions;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A queue as management routes show it, by watermark arithmetic.
 *
 * @param retained messages between the first kept and the next offset, over all partitions
 * @param pending behind the slowest group's cursors
 * @param processing pending under live leases
 * @param segments kept, and their size as they are stored
 * @param deadLetters filed from its partitions
 * @param conflation whether it was read for a group that conflates
 * @param partitions filled by a detail read only
 */
public record QueueView(
    UUID id,
    String name,
    String namespace,
    String task,
    Instant createdAt,
    QueueOptions options,
    int partitionCount,
    long retained,
    long pending,
    long processing,
    long segments,
    long retainedBytes,
    long deadLetters,
    boolean conflation,
    List<PartitionView> partitions) {

  /**
   * One partition of a detail read; {@code group} views count for that group alone.
   *
   * @param oldestMessage time of the oldest kept message; null when none is kept
   * @param newestMessage time of the newest message ever; null when there was none
   */
  public record PartitionView(
      UUID id,
      String name,
      Instant createdAt,
      long retained,
      long pending,
      long processing,
      long segments,
      long retainedBytes,
      Instant oldestMessage,
      Instant newestMessage,
      long deadLetters) {}
}
