package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueOptions;
import dev.queencell.broker.store.Ring;

/**
 * How long a queue keeps its messages, from its options. Zero means for ever.
 *
 * @param ageSeconds whole segments older than this go, consumed or not
 * @param waitSeconds the same, by an option that no switch turns off
 * @param completedSeconds whole segments older than this go that every group has completed
 * @param hashSeconds a transaction key stays for this long
 */
record RetentionPolicy(int ageSeconds, int waitSeconds, int completedSeconds, int hashSeconds) {
  /** An acknowledgement finds its message for at least this long. */
  private static final int HASH_SECONDS_MIN = 900;

  static RetentionPolicy of(QueueOptions options) {
    boolean on = options.retentionEnabled();
    int age = on ? Math.max(0, options.retentionSeconds()) : 0;
    int wait = Math.max(0, options.maxWaitTimeSeconds());
    int completed = Math.max(0, options.completedRetentionSeconds());
    return new RetentionPolicy(
        age,
        wait,
        on ? completed : 0,
        Math.max(HASH_SECONDS_MIN, Math.max(options.dedupWindowSeconds(), completed)));
  }

  /** Whole segments older than this go, consumed or not. */
  int allSeconds() {
    return smallestPositive(ageSeconds, waitSeconds);
  }

  /** The age at which a segment may go at the earliest; 0 for never. */
  int firstSeconds() {
    return smallestPositive(allSeconds(), completedSeconds);
  }

  /** Where new segments go; null: to where they are kept. */
  Ring segmentRing() {
    return firstSeconds() == 0 ? null : Ring.of(Ring.Kind.SEGMENTS, firstSeconds());
  }

  /** Where new transaction keys go; null: to where they are kept. */
  Ring hashRing() {
    return Ring.of(Ring.Kind.HASHES, hashSeconds);
  }

  private static int smallestPositive(int a, int b) {
    return a == 0 || b == 0 ? Math.max(a, b) : Math.min(a, b);
  }
}
