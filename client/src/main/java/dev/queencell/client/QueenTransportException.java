package dev.queencell.client;

import java.io.Serial;

/** No complete answer came. */
public final class QueenTransportException extends QueenException {
  @Serial private static final long serialVersionUID = 1;

  /** How the exchange broke. */
  public enum Failure {
    /** Nothing listens there: the request was never sent. */
    REFUSED("refused", false),
    /** The connection ended before the answer did. */
    RESET("reset", true),
    /** The connection could not be made in time: the request was never sent. */
    CONNECT_TIMEOUT("connect_timeout", false),
    /** The answer did not come in time. */
    TIMEOUT("timeout", true),
    /** All pooled connections stayed in use for the whole wait: the request was never sent. */
    POOL_EXHAUSTED("pool_exhausted", false),
    /** The calling thread was interrupted. */
    INTERRUPTED("interrupted", true),
    /** The answer is not what the contract promises. */
    BAD_ANSWER("bad_answer", true);

    private final String kind;
    private final boolean outcomeUnknown;

    Failure(String kind, boolean outcomeUnknown) {
      this.kind = kind;
      this.outcomeUnknown = outcomeUnknown;
    }
  }

  private final Failure failure;

  QueenTransportException(String request, Failure failure, Throwable cause) {
    super(request + ": " + failure.kind + reason(cause), cause, false);
    this.failure = failure;
  }

  /** The cause in its own words, without the name of its class. */
  private static String reason(Throwable cause) {
    return cause == null || cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")";
  }

  public Failure failure() {
    return failure;
  }

  @Override
  public String kind() {
    return failure.kind;
  }

  @Override
  public boolean outcomeUnknown() {
    return failure.outcomeUnknown;
  }
}
