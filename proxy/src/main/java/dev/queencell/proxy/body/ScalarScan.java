package dev.queencell.proxy.body;

import java.nio.charset.StandardCharsets;

/**
 * Walks JSON byte by byte and reports every member of an object whose value is a string, a number,
 * {@code true} or {@code false}: its depth, its key and its value, as far as they are short. Splits
 * into pieces don't matter, nothing is allocated, and what is not JSON reports nothing of worth.
 *
 * <p>Not thread-safe; one use.
 */
abstract class ScalarScan implements AnswerCount {
  /** Longer keys and values are none that anybody here asks for. */
  private static final int SHORT_MAX = 24;

  private final byte[] key = new byte[SHORT_MAX];
  private final byte[] value = new byte[SHORT_MAX];
  private int keyLength;
  private int valueLength;
  private int depth;
  private boolean inString;
  private boolean inScalar;
  private boolean escaped;

  /** After a colon: the next scalar belongs to {@link #key}. */
  private boolean afterColon;

  /** A member with a short scalar value ended. */
  abstract void member(int depth);

  /** True when the member's key is this. */
  final boolean keyIs(byte[] wanted) {
    return matches(key, keyLength, wanted);
  }

  /** True when the member's value is this, the quotes of a string aside. */
  final boolean valueIs(byte[] wanted) {
    return matches(value, valueLength, wanted);
  }

  /** The member's value as a whole number from 0; 0 when it is none. */
  final long valueNumber() {
    long number = 0;
    for (int i = 0; i < valueLength; i++) {
      if (value[i] < '0' || value[i] > '9' || i > 17) {
        return 0;
      }
      number = number * 10 + (value[i] - '0');
    }
    return number;
  }

  @Override
  public final void feed(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      byte b = bytes[i];
      if (inString) {
        string(b);
      } else {
        structure(b);
      }
    }
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void string(byte b) {
    if (escaped) {
      escaped = false;
      // Nobody writes the words that are looked for with escapes.
      valueLength = SHORT_MAX + 1;
    } else if (b == '\\') {
      escaped = true;
    } else if (b == '"') {
      inString = false;
      if (afterColon) {
        ended();
      }
    } else {
      append(b);
    }
  }

  private void structure(byte b) {
    switch (b) {
      case '"' -> {
        inString = true;
        valueLength = 0;
      }
      case ':' -> {
        // What was read last was a key.
        keyLength = valueLength;
        System.arraycopy(value, 0, key, 0, Math.min(valueLength, SHORT_MAX));
        valueLength = 0;
        afterColon = true;
      }
      case '{', '[' -> {
        depth++;
        afterColon = false;
      }
      case ',' -> endScalar();
      case '}', ']' -> {
        endScalar();
        depth--;
      }
      case ' ', '\n', '\r', '\t' -> {
        // Between tokens.
      }
      default -> {
        if (!inScalar) {
          inScalar = true;
          valueLength = 0;
        }
        append(b);
      }
    }
  }

  private void endScalar() {
    if (inScalar && afterColon) {
      ended();
    }
    inScalar = false;
    afterColon = false;
  }

  private void ended() {
    if (keyLength <= SHORT_MAX && valueLength <= SHORT_MAX) {
      member(depth);
    }
    afterColon = false;
    inScalar = false;
  }

  private void append(byte b) {
    if (valueLength < SHORT_MAX) {
      value[valueLength] = b;
    }
    if (valueLength <= SHORT_MAX) {
      valueLength++;
    }
  }

  private static boolean matches(byte[] text, int length, byte[] wanted) {
    if (length != wanted.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text[i] != wanted[i]) {
        return false;
      }
    }
    return true;
  }
}
