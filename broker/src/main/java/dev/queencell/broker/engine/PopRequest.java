package dev.queencell.broker.engine;

import java.time.Instant;
import java.util.UUID;

/**
 * A wish for messages.
 *
 * @param queue null for a discovery pop over all queues of {@code namespace} and {@code task}
 * @param partition null: the broker picks
 * @param namespace discovery filter, null or empty for any
 * @param task discovery filter, null or empty for any
 * @param group never null; {@link #QUEUE_MODE} when the client named none
 * @param batch messages wanted in all, at least 1
 * @param partitions partitions to claim at most; 0 or less: no cap
 * @param waitMs how long to park when there is nothing; 0 answers at once
 * @param leaseSeconds 0 or less: the queue's own
 * @param fromNew whether a group that is new here starts behind what is there
 * @param from the instant a new group starts at, or null
 * @param width who says how many partitions
 * @param conflation whether a group that is new here takes only the newest message of a partition
 */
public record PopRequest(
    UUID tenant,
    String queue,
    String partition,
    String namespace,
    String task,
    String group,
    int batch,
    int partitions,
    boolean autoAck,
    long waitMs,
    int leaseSeconds,
    boolean fromNew,
    Instant from,
    Width width,
    boolean conflation) {

  /** The group of consumers that name none. */
  public static final String QUEUE_MODE = "__QUEUE_MODE__";

  /** Who says how many partitions a pop claims at most. */
  public enum Width {
    /** The caller. */
    SENT,
    /** The default; a conflating group takes as many as its batch holds. */
    DEFAULT,
    /** The engine, by how many lanes are ready and how many consumers wait for them. */
    AUTOPILOT,
    /** The default; what autopilot would have chosen is counted. */
    SHADOW
  }

  public PopRequest(
      UUID tenant,
      String queue,
      String partition,
      String namespace,
      String task,
      String group,
      int batch,
      int partitions,
      boolean autoAck,
      long waitMs,
      int leaseSeconds,
      boolean fromNew,
      Instant from) {
    this(
        tenant,
        queue,
        partition,
        namespace,
        task,
        group,
        batch,
        partitions,
        autoAck,
        waitMs,
        leaseSeconds,
        fromNew,
        from,
        Width.SENT,
        false);
  }

  /** The same wish, answered at once. */
  PopRequest withoutWait() {
    return new PopRequest(
        tenant,
        queue,
        partition,
        namespace,
        task,
        group,
        batch,
        partitions,
        autoAck,
        0,
        leaseSeconds,
        fromNew,
        from,
        width,
        conflation);
  }
}
