package dev.queencell.client;

import java.io.Serial;

/** The server answered with a status that is not a success. */
public final class QueenStatusException extends QueenException {
  @Serial private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final int retryAfterSeconds;

  QueenStatusException(
      String request, int status, String code, String error, int retryAfterSeconds) {
    // A refusal is an answer and comes in storms: no stack trace is worth its cost.
    super(
        "%s answered %d%s: %s"
            .formatted(request, status, code.isEmpty() ? "" : " (" + code + ")", error),
        null,
        false);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  public int status() {
    return status;
  }

  /** The body's {@code code}; empty when it has none. */
  public String code() {
    return code;
  }

  /** Value of {@code Retry-After} in seconds; -1 when the answer has none. */
  public int retryAfterSeconds() {
    return retryAfterSeconds;
  }

  @Override
  public String kind() {
    return code.isEmpty() ? Integer.toString(status) : status + "." + code;
  }

  @Override
  public boolean outcomeUnknown() {
    return status >= 500;
  }
}
