package dev.queencell.broker.http;

import java.util.UUID;

/** Reads UUIDs of clients: the canonical 36 characters, in either case, and nothing else. */
final class Uuids {
  private static final int CHARS = 36;

  private Uuids() {}

  /** The UUID; null when the text is none. */
  static UUID parse(String text) {
    if (text.length() != CHARS) {
      return null;
    }
    for (int i = 0; i < CHARS; i++) {
      char c = text.charAt(i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      // Not Character.digit: it takes digits of other scripts too.
      boolean hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      if (dash ? c != '-' : !hex) {
        return null;
      }
    }
    return UUID.fromString(text);
  }
}
