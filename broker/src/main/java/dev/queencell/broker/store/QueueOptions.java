package dev.queencell.broker.store;

/**
 * The options of a queue as the contract names them, seconds and milliseconds as there; the two
 * that name the queue's place ({@code namespace}, {@code task}) belong to the queue itself.
 *
 * <p>Stored as given: the contract validates few of them, and readers clamp what they use.
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
    int retryDelay) {

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
        1000);
  }

  /** Dead letters are kept unless both switches are off. */
  public boolean deadLetters() {
    return deadLetterQueue || dlqAfterMaxRetries;
  }
}
