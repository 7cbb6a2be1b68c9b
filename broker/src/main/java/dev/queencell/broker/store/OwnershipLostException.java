package dev.queencell.broker.store;

import java.io.Serial;

/** Another broker owns the database now. */
public final class OwnershipLostException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public OwnershipLostException(long ownEpoch, long currentEpoch) {
    super("epoch %d has ended, the owner is at %d".formatted(ownEpoch, currentEpoch));
  }
}
