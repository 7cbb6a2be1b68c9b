package dev.queencell.proxy.meter;

/** Where batches go. */
@FunctionalInterface
public interface UsageSink {
  /** What became of a batch. */
  enum Outcome {
    /** Added, now or before. */
    TAKEN,
    /** Nobody was there, or nobody can say; the same batch may be sent again. */
    AWAY,
    /** It will never be taken. */
    REJECTED
  }

  /** Sends a batch; sending one again adds nothing. */
  Outcome send(UsageBatch batch);
}
