package dev.queencell.proxy.limit;

import java.util.concurrent.TimeUnit;

/** One bucket of tokens, wherever it is kept. Thread-safe. */
interface Limit {
  /**
   * Tokens per second and at most at once.
   *
   * @param perSecond 0 refuses everything
   */
  record Rate(long perSecond, long burst) {}

  /** The answer that lets a call pass. */
  int GRANTED = 0;

  int RETRY_SECONDS_MIN = 1;
  int RETRY_SECONDS_MAX = 60;

  /**
   * Takes tokens, all or none.
   *
   * @return {@link #GRANTED}, or after how many seconds it is worth trying again
   */
  int take(long tokens);

  /** Takes tokens whatever is there. */
  void takeRegardless(long tokens);

  /** A higher capacity brings no tokens, a lower one clamps what is there. */
  void change(Rate rate);

  /** Tokens that are there, as far as this process knows. */
  long remaining();

  /** True when forgetting it and making a new one would bring nobody a token. */
  boolean isAtRest();

  /** The contract's {@code Retry-After} of a wait: whole seconds, rounded up, from 1 to 60. */
  static int retrySeconds(long waitNs) {
    long seconds = waitNs / TimeUnit.SECONDS.toNanos(1);
    boolean exact = seconds * TimeUnit.SECONDS.toNanos(1) == waitNs;
    return Math.clamp(exact ? seconds : seconds + 1, RETRY_SECONDS_MIN, RETRY_SECONDS_MAX);
  }

  /** The same of a deficit: what is missing over the rate. */
  static int retrySeconds(long missing, long perSecond) {
    return perSecond <= 0
        ? RETRY_SECONDS_MAX
        : Math.clamp(Math.ceilDiv(missing, perSecond), RETRY_SECONDS_MIN, RETRY_SECONDS_MAX);
  }
}
