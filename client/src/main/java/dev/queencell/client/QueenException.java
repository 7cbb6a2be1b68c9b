package dev.queencell.client;

import java.io.Serial;

/** Why a request did not do what was asked: the server said so, or no answer came. */
public abstract sealed class QueenException extends RuntimeException
    permits QueenStatusException, QueenTransportException {
  @Serial private static final long serialVersionUID = 1;

  QueenException(String message, Throwable cause, boolean writableStackTrace) {
    super(message, cause, false, writableStackTrace);
  }

  /**
   * A short stable word for counting: {@code 429.rate_limited}, {@code 500}, {@code refused},
   * {@code reset}, {@code timeout}, …
   */
  public abstract String kind();

  /**
   * Whether the server may have carried the request out all the same: no answer came although the
   * request may have arrived, or a gateway or the server failed underway.
   */
  public abstract boolean outcomeUnknown();
}
