package dev.queencell.broker.http;

import dev.queencell.service.HttpProblem;
import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The query string of a request, typed: a value that can't be read refuses the request. An empty
 * value counts as absent; of a repeated name the last one counts.
 */
final class Query {
  private final Map<String, String> values = new HashMap<>();

  private Query() {}

  /**
   * Reads the query string of {@code ctx}.
   *
   * @throws HttpProblem 400 when it is no valid encoding of UTF-8 text
   */
  static Query of(Context ctx) {
    return parse(ctx.req().getQueryString());
  }

  static Query parse(String raw) {
    var query = new Query();
    if (raw == null) {
      return query;
    }
    int from = 0;
    while (from <= raw.length()) {
      int ampersand = raw.indexOf('&', from);
      int end = ampersand < 0 ? raw.length() : ampersand;
      int equals = raw.indexOf('=', from);
      if (equals > from && equals < end) {
        query.values.put(
            decode(raw.substring(from, equals)), decode(raw.substring(equals + 1, end)));
      }
      from = end + 1;
    }
    return query;
  }

  /** A text; null when it is absent or empty. */
  String text(String name) {
    var value = values.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** A whole number, clamped into an int. */
  int integer(String name, int fallback) {
    var value = text(name);
    if (value == null) {
      return fallback;
    }
    try {
      return Math.clamp(Long.parseLong(value), Integer.MIN_VALUE, Integer.MAX_VALUE);
    } catch (NumberFormatException e) {
      throw HttpProblem.badRequest(
          "bad query: %s is '%s'; it takes a whole number".formatted(name, value));
    }
  }

  /** A switch, off when absent. */
  boolean flag(String name) {
    return switch (text(name)) {
      case null -> false;
      case "true", "1" -> true;
      case "false", "0" -> false;
      case String other ->
          throw HttpProblem.badRequest(
              "bad query: %s is '%s'; it takes true or false".formatted(name, other));
    };
  }

  private static String decode(String encoded) {
    if (encoded.indexOf('%') < 0 && encoded.indexOf('+') < 0) {
      return encoded;
    }
    var bytes = new ByteArrayOutputStream(encoded.length());
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c == '+') {
        bytes.write(' ');
      } else if (c == '%') {
        bytes.write(hexPair(encoded, i + 1));
        i += 2;
      } else {
        bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    var decoded = bytes.toByteArray();
    if (Utf8.firstInvalid(decoded) >= 0) {
      throw HttpProblem.badRequest("bad query: '%s' is no UTF-8 text".formatted(encoded));
    }
    return new String(decoded, StandardCharsets.UTF_8);
  }

  private static int hexPair(String encoded, int at) {
    int high = at + 1 < encoded.length() ? Character.digit(encoded.charAt(at), 16) : -1;
    int low = high < 0 ? -1 : Character.digit(encoded.charAt(at + 1), 16);
    if (low < 0) {
      throw HttpProblem.badRequest("bad query: '%s' has a bad escape".formatted(encoded));
    }
    return high * 16 + low;
  }
}
