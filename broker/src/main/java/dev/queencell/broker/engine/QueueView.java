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
    List<PartitionView> partitions) {

  /** One partition of a detail read; {@code group} views count for that group alone. */
  public record PartitionView(
      UUID id, String name, Instant createdAt, long retained, long pending, long processing) {}
}
