package dev.queencell.broker.http;

import java.nio.charset.StandardCharsets;

/** Undoes the escapes of JSON strings, for the few texts that the broker reads. */
final class JsonStrings {
  private static final int HEX = 16;

  private JsonStrings() {}

  /**
   * The text between the quotes of a valid string literal; half a surrogate pair stays one.
   *
   * @param from index behind the opening quote
   * @param to index of the closing quote
   */
  static String decode(byte[] bytes, int from, int to) {
    var raw = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    var text = new StringBuilder(raw.length());
    int at = 0;
    while (at < raw.length()) {
      int backslash = raw.indexOf('\\', at);
      if (backslash < 0) {
        break;
      }
      text.append(raw, at, backslash);
      char kind = raw.charAt(backslash + 1);
      at = backslash + 2;
      if (kind == 'u') {
        text.append((char) Integer.parseInt(raw, at, at + 4, HEX));
        at += 4;
      } else {
        text.append(meaning(kind));
      }
    }
    return text.append(raw, at, raw.length()).toString();
  }

  private static char meaning(char kind) {
    return switch (kind) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> kind;
    };
  }
}
