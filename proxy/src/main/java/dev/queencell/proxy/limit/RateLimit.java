package dev.queencell.proxy.limit;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.TokensInheritanceStrategy;
import io.github.bucket4j.local.LocalBucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One token bucket: its capacity is the burst, it refills evenly at the rate and starts full. A
 * refusal takes nothing. What was delivered is taken regardless, below zero if need be.
 *
 * <p>Thread-safe.
 */
final class RateLimit {
  /**
   * Tokens per second and at most at once.
   *
   * @param perSecond 0 refuses everything
   */
  record Rate(long perSecond, long burst) {}

  /** The answer that lets a call pass. */
  static final int GRANTED = 0;

  static final int RETRY_SECONDS_MIN = 1;
  static final int RETRY_SECONDS_MAX = 60;

  /** Beyond a token per nanosecond the bucket's arithmetic ends; nobody reaches half of it. */
  private static final long PER_SECOND_MAX = 500_000_000;

  private final TimeMeter clock;

  /** Null where the rate or the burst is 0: nothing ever passes. */
  private volatile LocalBucket bucket;

  RateLimit(Rate rate, TimeMeter clock) {
    this.clock = clock;
    this.bucket = bucket(rate);
  }

  /**
   * Takes tokens, all or none.
   *
   * @return {@link #GRANTED}, or after how many seconds it is worth trying again
   */
  int take(long tokens) {
    if (tokens == 0) {
      return GRANTED;
    }
    var current = bucket;
    if (current == null) {
      return RETRY_SECONDS_MAX;
    }
    // Two steps, so that the common case makes no garbage.
    if (current.tryConsume(tokens)) {
      return GRANTED;
    }
    long waitNs = current.estimateAbilityToConsume(tokens).getNanosToWaitForRefill();
    long seconds = waitNs / TimeUnit.SECONDS.toNanos(1);
    boolean exact = seconds * TimeUnit.SECONDS.toNanos(1) == waitNs;
    return Math.clamp(exact ? seconds : seconds + 1, RETRY_SECONDS_MIN, RETRY_SECONDS_MAX);
  }

  /** Takes tokens whatever is there. */
  void takeRegardless(long tokens) {
    var current = bucket;
    if (tokens > 0 && current != null) {
      current.consumeIgnoringRateLimits(tokens);
    }
  }

  /** A higher capacity brings no tokens, a lower one clamps what is there. */
  void change(Rate rate) {
    var current = bucket;
    if (current == null || isClosed(rate)) {
      bucket = bucket(rate);
    } else {
      current.replaceConfiguration(configuration(rate), TokensInheritanceStrategy.AS_IS);
    }
  }

  private LocalBucket bucket(Rate rate) {
    if (isClosed(rate)) {
      return null;
    }
    return Bucket.builder()
        .addLimit(configuration(rate).getBandwidths()[0])
        .withCustomTimePrecision(clock)
        .build();
  }

  private static boolean isClosed(Rate rate) {
    return rate.perSecond() <= 0 || rate.burst() <= 0;
  }

  private static BucketConfiguration configuration(Rate rate) {
    return BucketConfiguration.builder()
        .addLimit(
            limit ->
                limit
                    .capacity(rate.burst())
                    .refillGreedy(
                        Math.min(rate.perSecond(), PER_SECOND_MAX), Duration.ofSeconds(1)))
        .build();
  }
}
