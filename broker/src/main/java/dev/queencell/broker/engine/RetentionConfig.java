package dev.queencell.broker.engine;

/**
 * How retention works in the background.
 *
 * @param intervalMs between two looks at what has become due
 * @param batchSize rows that one statement deletes or moves at most
 * @param partitionCleanupDays an empty partition that nobody uses goes after so many days
 */
public record RetentionConfig(long intervalMs, int batchSize, int partitionCleanupDays) {
  public static final RetentionConfig DEFAULTS = new RetentionConfig(5_000, 1_000, 30);
}
