package dev.queencell.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing buffer that JSON text is written into as bytes, without a tree and without strings in
 * between. Writes what it is told; the caller keeps the document well formed. Not thread-safe.
 */
final class JsonBytes {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] buffer;
  private int length;

  JsonBytes(int capacityBytes) {
    buffer = new byte[capacityBytes];
  }

  byte[] buffer() {
    return buffer;
  }

  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  /** Takes back everything after this length. */
  void truncate(int newLength) {
    length = newLength;
  }

  JsonBytes raw(byte[] source, int offset, int count) {
    reserve(count);
    System.arraycopy(source, offset, buffer, length, count);
    length += count;
    return this;
  }

  JsonBytes raw(byte[] source) {
    return raw(source, 0, source.length);
  }

  JsonBytes raw(char ascii) {
    reserve(1);
    buffer[length++] = (byte) ascii;
    return this;
  }

  /** Text of ASCII characters that need no escape, without quotes. */
  JsonBytes asciiText(String text) {
    reserve(text.length());
    for (int i = 0; i < text.length(); i++) {
      buffer[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  /** A quoted, escaped string. */
  JsonBytes string(String text) {
    raw('"');
    var utf8 = text.getBytes(StandardCharsets.UTF_8);
    reserve(utf8.length);
    for (byte b : utf8) {
      if (b == '"' || b == '\\') {
        raw('\\').raw((char) b);
      } else if (b >= 0 && b < ' ') {
        raw('\\').raw('u').raw('0').raw('0').raw((char) HEX[b >> 4]).raw((char) HEX[b & 15]);
      } else {
        reserve(1);
        buffer[length++] = b;
      }
    }
    return raw('"');
  }

  private void reserve(int count) {
    if (buffer.length - length < count) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + count));
    }
  }

  /** The bytes of an ASCII text, for constants. */
  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
