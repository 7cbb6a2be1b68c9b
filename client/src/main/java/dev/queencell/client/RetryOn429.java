package dev.queencell.client;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Retries of requests that were refused with 429, and of nothing else: the wait is the answer's
 * {@code Retry-After} with ±20% jitter, or 500 ms doubling to 30 s where it has none.
 *
 * @param attemptsMax the first attempt included; 1 never retries
 */
public record RetryOn429(int attemptsMax) {
  public static final RetryOn429 NEVER = new RetryOn429(1);

  private static final long FIRST_WAIT_MS = 500;
  private static final long WAIT_MAX_MS = 30_000;
  private static final double JITTER = 0.2;

  public RetryOn429 {
    if (attemptsMax < 1) {
      throw new IllegalArgumentException("attemptsMax is %d; it takes ≥ 1".formatted(attemptsMax));
    }
  }

  /** How long to wait after the given failed attempt (1 = the first), in ms. */
  long waitMs(int attempt, int retryAfterSeconds) {
    if (retryAfterSeconds < 0) {
      return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS << Math.min(attempt - 1, 10));
    }
    double jitter = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return (long) (retryAfterSeconds * 1000L * jitter);
  }
}
