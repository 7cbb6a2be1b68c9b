package dev.queencell.broker.store;

/**
 * The options of a queue as the contract names them, seconds and milliseconds as there; the two
 * that name the queue's place ({@code namespace}, {@code task}) belong to the queue itself.
 *
 * <p>Stored as given: the contract validates few of them, and readers clamp what they use.
 *
 * @param ttlEnforced {@code ttl} was set by a configure call. Its default has never been enforced
 *     for anybody, and must not begin to hide messages of queues that did not ask for it.
 * @param retryDelayEnforced the same of {@code retryDelay}
 * @param backPressure a full queue answers a push with 429
 * @param leaseDurability {@link #LEASES_STRICT} or {@link #LEASES_RELAXED}
 */
public record QueueOptions(
    int leaseTime,
    int retryLimit,
    boolean deadLetterQueue,
    boolean dlqAfterMaxRetries,
    int delayedProcessing,
    int windowBuffer,
    int minPopWaitTime,
    boolean retentionEnabled,
    int retentionSeconds,
    int completedRetentionSeconds,
    int maxWaitTimeSeconds,
    boolean encryptionEnabled,
    int dedupWindowSeconds,
    String retentionSinkHold,
    int retentionSinkHoldMaxSeconds,
    int priority,
    int ttl,
    int maxSize,
    int retryDelay,
    boolean ttlEnforced,
    boolean retryDelayEnforced,
    boolean backPressure,
    String leaseDurability) {

  /** Every lease is durable before it is answered. */
  public static final String LEASES_STRICT = "strict";

  /** Young leases stay in memory. */
  public static final String LEASES_RELAXED = "relaxed";

  /** Lease of a queue that a push or pop created. */
  public static final int LEASE_TIME_IMPLICIT_SECONDS = 60;

  /** Lease of a queue that configure created. */
  public static final int LEASE_TIME_CONFIGURED_SECONDS = 300;

  public static QueueOptions defaults(int leaseTimeSeconds) {
    return new QueueOptions(
        leaseTimeSeconds,
        3,
        true,
        true,
        0,
        0,
        0,
        false,
        0,
        0,
        0,
        false,
        3600,
        "",
        604_800,
        0,
        3600,
        0,
        1000,
        false,
        false,
        false,
        LEASES_STRICT);
  }

  /** How old a message may be to be delivered, in seconds; 0 for any age. */
  public int ttlInForceSeconds() {
    return ttlEnforced ? Math.max(0, ttl) : 0;
  }

  /** How long a lane rests after a failure; 0 for not at all. */
  public int retryDelayInForceMs() {
    return retryDelayEnforced ? Math.max(0, retryDelay) : 0;
  }

  public boolean relaxesLeases() {
    return leaseDurability.equals(LEASES_RELAXED);
  }

  /** Dead letters are kept unless both switches are off. */
  public boolean deadLetters() {
    return deadLetterQueue || dlqAfterMaxRetries;
  }
}
