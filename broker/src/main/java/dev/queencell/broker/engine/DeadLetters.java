package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Messages that a group gave up on. They stay until somebody deletes them, moves them back or
 * deletes their queue. Thread-safe.
 */
public interface DeadLetters {

  /**
   * A dead letter.
   *
   * @param partition null when the partition is gone
   * @param payload as it is stored: perhaps sealed
   */
  record DeadLetter(
      UUID id,
      String transactionId,
      UUID partitionId,
      String queue,
      String partition,
      String group,
      String error,
      int retryCount,
      Slice payload,
      long failedAtMicros) {}

  /**
   * A dead letter that was moved back to a tail, or not.
   *
   * @param moved false: the destination's window holds a message of its id, at {@code offset}
   * @param messageId of the new message; the zero id when it was not moved
   */
  record Replay(
      boolean moved,
      String queue,
      String partition,
      String group,
      UUID id,
      String originalTransactionId,
      UUID messageId,
      String transactionId,
      long offset) {}

  /** It could not be moved, and nothing has changed. */
  final class NotMovedException extends RuntimeException {
    @java.io.Serial private static final long serialVersionUID = 1;

    NotMovedException(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * A page of a tenant's dead letters, newest first; it ends early rather than grow too large.
   *
   * @param queue null for all
   * @param group null for all
   */
  List<DeadLetter> list(UUID tenant, String queue, String group, int limit, int offset);

  /** Deletes the dead letters of one message, of every group; returns how many. */
  int delete(UUID tenant, String partitionId, Slice transactionId);

  /** The newest dead letter of a message. */
  Optional<UUID> newest(UUID tenant, String partitionId, Slice transactionId);

  /**
   * Appends the dead letter's message to a tail, under an id of its own, and removes the row: both
   * or neither. Empty when there is no such row.
   *
   * @param queue null: where it came from
   * @param partition null: where it came from
   * @throws NotMovedException when the destination takes no messages
   */
  Optional<Replay> replay(UUID tenant, UUID id, String queue, String partition);

  /**
   * Deletes what a queue has when this is called; returns how many.
   *
   * @param group null for all
   */
  long purge(UUID tenant, String queue, String group);
}
