package dev.queencell.loader.account;

import java.util.concurrent.atomic.LongAdder;

/**
 * What happened to one tenant's consumers that makes a broker deliver again, and how many messages
 * each of it can bring back. Redeliveries that the broker announces ({@code deliveryAttempt} above
 * 1) are counted beside: they are an observation, not a cause. Thread-safe.
 */
public final class Causes {
  private final LongAdder acksFailed = new LongAdder();
  private final LongAdder acksRefused = new LongAdder();
  private final LongAdder leasesExpired = new LongAdder();
  private final LongAdder popsLost = new LongAdder();
  private final LongAdder consumerRestarts = new LongAdder();
  private final LongAdder nacked = new LongAdder();
  private final LongAdder redeliveries = new LongAdder();
  private final LongAdder explainable = new LongAdder();

  /** An ack request that ended without an answer or with an error; none of its batch is certain. */
  public void ackFailed(int batchMessages) {
    acksFailed.increment();
    explainable.add(batchMessages);
  }

  /** An ack request whose answer refused some items. */
  public void acksRefused(int refused, int becauseOfLease, int batchMessages) {
    acksRefused.add(refused - becauseOfLease);
    leasesExpired.add(becauseOfLease);
    explainable.add(batchMessages);
  }

  /** A pop whose answer was lost: what it leased comes again when the lease ends. */
  public void popLost(int batchMax) {
    popsLost.increment();
    explainable.add(batchMax);
  }

  /** A consumer that died with a batch in hand. */
  public void consumerRestarted(int batchMax) {
    consumerRestarts.increment();
    explainable.add(batchMax);
  }

  /** A message that a consumer failed on purpose: it and what follows in its lane come again. */
  public void nacked(int batchMessages) {
    nacked.increment();
    explainable.add(batchMessages);
  }

  /** A message that came with a delivery attempt above 1. */
  public void redelivered() {
    redeliveries.increment();
  }

  /** The counts so far. */
  public Counts counts() {
    return new Counts(
        acksFailed.sum(),
        acksRefused.sum(),
        leasesExpired.sum(),
        popsLost.sum(),
        consumerRestarts.sum(),
        nacked.sum(),
        redeliveries.sum(),
        explainable.sum());
  }

  /**
   * Causes of one tenant.
   *
   * @param acksFailed ack requests without a good answer
   * @param acksRefused acks that were refused for another reason than their lease
   * @param leasesExpired acks that were answered {@code invalid or expired lease}
   * @param popsLost pops whose answer was lost
   * @param nacked messages that a consumer failed on purpose
   * @param redeliveries messages that came with an attempt above 1; no cause by itself
   * @param explainable how many redelivered messages the causes can account for, at most
   */
  public record Counts(
      long acksFailed,
      long acksRefused,
      long leasesExpired,
      long popsLost,
      long consumerRestarts,
      long nacked,
      long redeliveries,
      long explainable) {
    /** Whether anything happened that makes a broker deliver again. */
    public boolean any() {
      return explainable > 0;
    }
  }
}
