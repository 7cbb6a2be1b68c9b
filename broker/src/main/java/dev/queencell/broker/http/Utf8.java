package dev.queencell.broker.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Checks bytes for well-formed UTF-8 (RFC 3629), eight ASCII bytes at a step. */
final class Utf8 {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  /** The index of the first byte that is no part of well-formed UTF-8, or -1. */
  static int firstInvalid(byte[] bytes) {
    int at = 0;
    while (at < bytes.length) {
      if (at + Long.BYTES <= bytes.length && ((long) LONG.get(bytes, at) & HIGH_BITS) == 0) {
        at += Long.BYTES;
        continue;
      }
      int length = bytes[at] >= 0 ? 1 : sequenceLength(bytes, at);
      if (length == 0) {
        return at;
      }
      at += length;
    }
    return -1;
  }

  /** How many bytes {@code text} takes as UTF-8; -1 when it holds a lone surrogate. */
  static int encodedLength(String text) {
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        length += 1;
      } else if (c < 0x800) {
        length += 2;
      } else if (!Character.isSurrogate(c)) {
        length += 3;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        length += 4;
        i++;
      } else {
        return -1;
      }
    }
    return length;
  }

  /**
   * A text for people as PostgreSQL can keep it: without U+0000, without halves of characters, and
   * no longer than given. Null stays null.
   */
  static String storable(String text, int charsMax) {
    if (text == null) {
      return null;
    }
    var cut = text.length() <= charsMax ? text : text.substring(0, charsMax);
    var clean = cut.replace('\0', '\ufffd');
    return encodedLength(clean) >= 0
        ? clean
        : clean
            .codePoints()
            .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xfffd : c)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
  }

  /** The length of the multi-byte sequence that starts here; 0 when it is malformed. */
  private static int sequenceLength(byte[] bytes, int at) {
    int first = bytes[at] & 0xff;
    int second = continuation(bytes, at + 1);
    if (second < 0 || first < 0xc2 || first > 0xf4) {
      return 0;
    }
    if (first < 0xe0) {
      return 2;
    }
    if (continuation(bytes, at + 2) < 0) {
      return 0;
    }
    if (first < 0xf0) {
      // E0 below A0 is overlong, ED above 9F a surrogate.
      boolean bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f);
      return bad ? 0 : 3;
    }
    if (continuation(bytes, at + 3) < 0) {
      return 0;
    }
    // F0 below 90 is overlong, F4 above 8F beyond the last code point.
    boolean bad = (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return bad ? 0 : 4;
  }

  private static int continuation(byte[] bytes, int at) {
    return at < bytes.length && (bytes[at] & 0xc0) == 0x80 ? bytes[at] & 0xff : -1;
  }
}
