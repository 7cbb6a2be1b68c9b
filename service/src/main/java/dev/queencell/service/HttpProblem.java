package dev.queencell.service;

import java.io.Serial;

/**
 * A refusal that a client is told about: the status, a text for people and, where the contract has
 * one, a code for programs. Rendered as {@code {"error": text, "code": code}} by {@link
 * HttpServer}.
 */
public final class HttpProblem extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final int retryAfterSeconds;

  /**
   * @param code machine code, or null for the one-key shape
   * @param retryAfterSeconds value of the {@code Retry-After} header; 0 sends none
   */
  public HttpProblem(int status, String text, String code, int retryAfterSeconds) {
    // A refusal is an answer, not a fault: no stack trace is worth its cost.
    super(text, null, false, false);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  public HttpProblem(int status, String text, String code) {
    this(status, text, code, 0);
  }

  public static HttpProblem badRequest(String text) {
    return new HttpProblem(400, text, null);
  }

  public int status() {
    return status;
  }

  public String code() {
    return code;
  }

  public int retryAfterSeconds() {
    return retryAfterSeconds;
  }

  /** The body that is sent: {@code {"error":…}} and, where there is one, {@code "code"}. */
  public byte[] body() {
    var node = Json.object().put("error", getMessage());
    if (code != null) {
      node.put("code", code);
    }
    return Json.bytes(node);
  }
}
