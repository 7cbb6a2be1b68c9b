package dev.queencell.proxy.edge;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What the query of a pop says about waiting. Reads as leniently as any broker might: a request
 * that one would park must not pass for one that it answers at once.
 *
 * @param waits whether the broker may park the pop
 * @param timeoutMs how long for
 */
record PopQuery(boolean waits, long timeoutMs) {
  static final long TIMEOUT_DEFAULT_MS = 30_000;

  static final PopQuery AT_ONCE = new PopQuery(false, 0);

  static PopQuery of(String query) {
    if (query == null || query.isEmpty()) {
      return AT_ONCE;
    }
    boolean waits = false;
    long timeoutMs = -1;
    for (var pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      var name = decode(equals < 0 ? pair : pair.substring(0, equals));
      var value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (name.equals("wait")) {
        waits |= isTrue(value);
      } else if (name.equals("timeout")) {
        timeoutMs = Math.max(timeoutMs, number(value));
      }
    }
    if (!waits) {
      return AT_ONCE;
    }
    return new PopQuery(true, timeoutMs < 0 ? TIMEOUT_DEFAULT_MS : timeoutMs);
  }

  /** How long the broker may take to answer one that waits. */
  long answerTimeoutMs(EdgePolicy policy) {
    return Math.min(timeoutMs, policy.longPollMaxMs()) + policy.longPollMarginMs();
  }

  private static boolean isTrue(String value) {
    return switch (value.strip().toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> true;
      default -> false;
    };
  }

  private static long number(String value) {
    try {
      return Long.parseLong(value.strip());
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static String decode(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
      return text;
    }
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
