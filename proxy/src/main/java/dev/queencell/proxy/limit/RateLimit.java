package dev.queencell.proxy.limit;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.TokensInheritanceStrategy;
import io.github.bucket4j.local.LocalBucket;
import java.time.Duration;

/**
 * One token bucket of this process: its capacity is the burst, it refills evenly at the rate and
 * starts full. A refusal takes nothing. What was delivered is taken regardless, below zero if need
 * be.
 *
 * <p>Thread-safe.
 */
final class RateLimit implements Limit {
  /** Beyond a token per nanosecond the bucket's arithmetic ends; nobody reaches half of it. */
  private static final long PER_SECOND_MAX = 500_000_000;

  private final TimeMeter clock;

  /** Null where the rate or the burst is 0: nothing ever passes. */
  private volatile LocalBucket bucket;

  private volatile long capacity;
  private volatile long perSecond;

  RateLimit(Rate rate, TimeMeter clock) {
    this.clock = clock;
    this.capacity = rate.burst();
    this.perSecond = rate.perSecond();
    this.bucket = bucket(rate);
  }

  @Override
  public int take(long tokens) {
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
    if (tokens > capacity) {
      // It will never be there, and the bucket says so with the end of time; the contract does not.
      return Limit.retrySeconds(tokens - current.getAvailableTokens(), perSecond);
    }
    long waitNs = current.estimateAbilityToConsume(tokens).getNanosToWaitForRefill();
    return Limit.retrySeconds(waitNs);
  }

  @Override
  public void takeRegardless(long tokens) {
    var current = bucket;
    if (tokens > 0 && current != null) {
      current.consumeIgnoringRateLimits(tokens);
    }
  }

  /** The tokens that are there; negative while delivered messages are owed. */
  @Override
  public long remaining() {
    var current = bucket;
    return current == null ? 0 : current.getAvailableTokens();
  }

  @Override
  public boolean isAtRest() {
    var current = bucket;
    return current == null || current.getAvailableTokens() >= capacity;
  }

  @Override
  public void change(Rate rate) {
    var current = bucket;
    capacity = rate.burst();
    perSecond = rate.perSecond();
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
