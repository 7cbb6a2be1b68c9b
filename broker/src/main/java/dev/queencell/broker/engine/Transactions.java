package dev.queencell.broker.engine;

import java.util.List;
import java.util.UUID;

/**
 * Messages and acknowledgements of any number of queues that happen together or not at all.
 * Thread-safe.
 */
public interface Transactions {

  /** Text of a transaction whose rows PostgreSQL does not take. */
  String REFUSED = "the database has refused the commit; transaction rolled back";

  /** One thing that a transaction does. */
  sealed interface Operation {}

  /**
   * Appends a message.
   *
   * @param traceId stored with it; null for none
   */
  record Push(PushItem item, UUID traceId) implements Operation {}

  /** Acknowledges a message for a group. */
  record Ack(String group, AckItem item) implements Operation {}

  /**
   * What is to be done.
   *
   * @param operations at most {@link Limits#TRANSACTION_OPERATIONS_MAX}
   * @param requiredLeases lease ids as the client sent them: acknowledgements without an id of
   *     their own need one of these; empty for any
   */
  record Request(UUID tenant, List<Operation> operations, List<String> requiredLeases) {}

  /** Why nothing happened. */
  enum Reason {
    DUPLICATE,
    ACK_REJECTED,
    DB_ERROR,
    /** The dead letter that was to go with it is not there. */
    GONE
  }

  /**
   * What became of an operation.
   *
   * @param messageId of a push: the stored message's, or that of the earlier one of the same key
   * @param duplicate a push whose key an earlier one of the same transaction had
   * @param error of an acknowledgement that did nothing, else null
   * @param deadLettered a dead letter was filed for the acknowledgement's partition
   * @param offset of a push's message; -1 for an acknowledgement
   */
  record Result(
      boolean success,
      UUID messageId,
      boolean duplicate,
      String error,
      boolean deadLettered,
      long offset) {}

  /**
   * All or nothing.
   *
   * @param reason null when it happened
   * @param error text for people beside a reason
   * @param results one per operation, in order; beside a reason empty, or the operation that was
   *     the reason
   */
  record Outcome(Reason reason, String error, List<Result> results) {
    static Outcome refused(Reason reason, String error) {
      return new Outcome(reason, error, List.of());
    }
  }

  /**
   * Does it, durably, and returns; or leaves everything as it was.
   *
   * @throws EngineUnavailableException when this broker does not own the database, or nobody can
   *     tell in time whether it happened
   */
  Outcome execute(Request request);
}
