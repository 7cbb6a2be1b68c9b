package dev.queencell.state.http;

import dev.queencell.service.HttpProblem;
import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Lets a call pass that carries the one right token in one header. Both sides are hashed first and
 * then compared in constant time, so that neither content nor length shows in the time taken.
 *
 * <p>Thread-safe.
 */
final class TokenGuard {
  private final String header;
  private final byte[] wanted;

  TokenGuard(String header, String token) {
    this.header = header;
    this.wanted = digest(token);
  }

  /**
   * Checks before anything else of the request is read.
   *
   * @throws HttpProblem 401 {@code unauthorized}
   */
  void check(Context ctx) {
    var sent = ctx.req().getHeader(header);
    if (sent == null || !MessageDigest.isEqual(digest(sent), wanted)) {
      throw new HttpProblem(
          401, "the header %s is missing or wrong".formatted(header), "unauthorized");
    }
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
