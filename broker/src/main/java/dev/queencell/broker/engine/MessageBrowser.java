package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueOptions;
import dev.queencell.broker.store.Slice;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Looks at messages without taking them. What it tells of their fate is true at the moment of
 * asking. Its work is bounded by the limits here, whatever is stored: a page that ends at a limit
 * says so. Thread-safe.
 */
public interface MessageBrowser {
  /** Partitions that one page is drawn from; of more, those written last. */
  int PARTITIONS_MAX = 1_000;

  /** Segments that one page looks at. */
  int SEGMENTS_MAX = 5_000;

  /** Messages that one page looks at, those included that it leaves out or skips. */
  int MESSAGES_MAX = 200_000;

  /** A page is closed behind the message whose payload passes this. */
  long PAGE_BYTES_MAX = 16L * 1024 * 1024;

  /** What has become of a message. */
  enum Status {
    PENDING,
    PROCESSING,
    COMPLETED,
    DEAD_LETTER
  }

  /**
   * Which messages.
   *
   * @param queue null for all; so are partition, namespace, task and status
   * @param fromMicros inclusive
   * @param toMicros exclusive
   */
  record Filter(
      String queue,
      String partition,
      String namespace,
      String task,
      Status status,
      long fromMicros,
      long toMicros,
      int limit,
      int offset) {}

  /** The queue that a message is in. */
  record Place(
      String queue,
      String partition,
      UUID partitionId,
      String namespace,
      String task,
      int priority) {}

  /**
   * A message and its fate.
   *
   * @param status of any reader; {@code queueStatus} is that of the queue mode's cursor alone
   * @param consumedBy groups that are past it
   * @param leaseExpiresAt null without a live lease over it
   * @param key the 16 bytes that its transaction id is found by
   */
  record Message(
      Place place,
      UUID id,
      Slice transactionId,
      UUID key,
      UUID traceId,
      Slice producer,
      Slice payload,
      long offset,
      long segmentBase,
      long createdAtMicros,
      Status status,
      Status queueStatus,
      int consumedBy,
      int groups,
      Instant leaseExpiresAt) {}

  /** Who reads the queues that were asked about. */
  record Readers(boolean queueMode, int groups) {}

  /**
   * A page, newest first.
   *
   * @param complete nothing was left out because of a limit of this interface
   */
  record Page(List<Message> messages, Readers readers, boolean complete) {}

  /** One group's view of a message. */
  record GroupView(String name, boolean consumed, Instant leaseExpiresAt) {}

  /**
   * One message.
   *
   * @param error null unless it is a dead letter
   */
  record Detail(
      Message message,
      String error,
      int retryCount,
      List<GroupView> groups,
      Readers readers,
      QueueOptions options) {}

  Page list(UUID tenant, Filter filter);

  /** The newest message with a transaction id; empty when it is gone, foreign or never was. */
  Optional<Detail> find(UUID tenant, String partitionId, Slice transactionId);
}
