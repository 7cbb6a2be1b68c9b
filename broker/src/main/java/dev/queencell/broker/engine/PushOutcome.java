package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;
import java.util.UUID;

/**
 * What became of one pushed item.
 *
 * @param messageId of the stored message; for a duplicate that of the original
 * @param transactionId the key that was used; null means the text of {@code messageId}
 * @param reason why a failed item failed, for people; null where there is none
 */
public record PushOutcome(Status status, UUID messageId, Slice transactionId, String reason) {
  /** Original of a duplicate whose id can no longer be read. */
  public static final UUID UNKNOWN_ID = new UUID(0, 0);

  /** Nothing of the item was written: it may be pushed anew without a second thought. */
  public static final String NOT_COMMITTED = "not committed";

  /** The database does not take what the item would write; it is not worth another try. */
  public static final String REFUSED = "refused by the database";

  /** The item may or may not have been written. */
  public static final String IN_DOUBT = "its commit is in doubt";

  /** Its queue holds as many messages as it may. */
  public static final String QUEUE_FULL = "queue is full";

  /** The same, of a queue that asks producers to slow down. */
  public static final String BACK_PRESSURE = "queue is full, try again later";

  public PushOutcome(Status status, UUID messageId, Slice transactionId) {
    this(status, messageId, transactionId, null);
  }

  /** Durable, already there, kept on this broker's disk until it can be stored, or refused. */
  public enum Status {
    QUEUED,
    DUPLICATE,
    BUFFERED,
    FAILED
  }

  /** An item that was not taken. */
  public static PushOutcome failed(Slice transactionId, String reason) {
    return new PushOutcome(Status.FAILED, UNKNOWN_ID, transactionId, reason);
  }
}
