package dev.queencell.broker.engine;

import dev.queencell.broker.store.Slice;
import java.util.UUID;

/**
 * What became of one pushed item.
 *
 * @param messageId of the stored message; for a duplicate that of the original
 * @param transactionId the key that was used; null means the text of {@code messageId}
 */
public record PushOutcome(Status status, UUID messageId, Slice transactionId) {
  /** Original of a duplicate whose id can no longer be read. */
  public static final UUID UNKNOWN_ID = new UUID(0, 0);

  /** Durable, already there, or refused by the store. */
  public enum Status {
    QUEUED,
    DUPLICATE,
    FAILED
  }
}
