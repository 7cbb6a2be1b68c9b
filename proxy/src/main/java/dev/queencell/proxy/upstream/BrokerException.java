package dev.queencell.proxy.upstream;

import java.io.Serial;

/** A broker gave no answer. */
public final class BrokerException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  /** What happened to the call. */
  public enum Kind {
    /** No connection, or it broke before an answer began. */
    UNREACHABLE,
    /** No answer within the time that the call had. */
    TIMED_OUT,
    /** Cancelled from here. */
    CANCELLED
  }

  private final Kind kind;

  BrokerException(Kind kind, Throwable cause) {
    // Expected whenever a broker restarts: the cause's text is worth keeping, a stack is not.
    super(cause.toString(), null, false, false);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
