package dev.queencell.broker.http;

import dev.queencell.broker.store.Slice;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.UUID;

/**
 * A growing buffer of JSON text. Writes bytes, never strings, so that an answer of a thousand
 * messages costs one array. Not thread-safe.
 */
final class JsonOut {
  /** What a Java array can hold at most, on every virtual machine. */
  private static final int CAPACITY_MAX = Integer.MAX_VALUE - 8;

  private static final byte[] NULL = ascii("null");
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int UUID_CHARS = 36;

  private byte[] buffer;
  private int size;

  JsonOut(int capacityBytes) {
    buffer = new byte[Math.max(capacityBytes, 64)];
  }

  /** The bytes of a literal, for constants. */
  static byte[] ascii(String literal) {
    return literal.getBytes(StandardCharsets.ISO_8859_1);
  }

  byte[] buffer() {
    return buffer;
  }

  int size() {
    return size;
  }

  byte[] toBytes() {
    return Arrays.copyOf(buffer, size);
  }

  void clear() {
    size = 0;
  }

  JsonOut raw(byte[] bytes) {
    return raw(bytes, 0, bytes.length);
  }

  JsonOut raw(byte[] bytes, int offset, int length) {
    reserve(length);
    System.arraycopy(bytes, offset, buffer, size, length);
    size += length;
    return this;
  }

  JsonOut raw(JsonOut other) {
    return raw(other.buffer, 0, other.size);
  }

  /** Bytes that were written to this buffer before, once more. */
  JsonOut again(int offset, int length) {
    reserve(length);
    System.arraycopy(buffer, offset, buffer, size, length);
    size += length;
    return this;
  }

  JsonOut raw(char c) {
    reserve(1);
    buffer[size++] = (byte) c;
    return this;
  }

  JsonOut bool(boolean value) {
    return raw(value ? TRUE : FALSE);
  }

  JsonOut number(long value) {
    if (value >= 0 && value < 10) {
      return raw((char) ('0' + value));
    }
    return raw(ascii(Long.toString(value)));
  }

  /** A quoted string; null writes {@code null}. */
  JsonOut string(String text) {
    return text == null ? raw(NULL) : string(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A quoted string of well-formed UTF-8; null writes {@code null}. */
  JsonOut string(Slice utf8) {
    return utf8 == null ? raw(NULL) : string(utf8.array(), utf8.offset(), utf8.length());
  }

  /** A quoted UUID; null writes {@code null}. */
  JsonOut uuid(UUID id) {
    return id == null
        ? raw(NULL)
        : raw('"').uuid(id.getMostSignificantBits(), id.getLeastSignificantBits()).raw('"');
  }

  /** The 36 characters of a UUID, without quotes. */
  JsonOut uuid(long high, long low) {
    reserve(UUID_CHARS);
    hex(high >>> 32, 8);
    buffer[size++] = '-';
    hex(high >>> 16, 4);
    buffer[size++] = '-';
    hex(high, 4);
    buffer[size++] = '-';
    hex(low >>> 48, 4);
    buffer[size++] = '-';
    hex(low, 12);
    return this;
  }

  /** A quoted UTC time with six digits of a second. */
  JsonOut time(long epochMicros) {
    long second = Math.floorDiv(epochMicros, MICROS_PER_SECOND);
    int micros = (int) Math.floorMod(epochMicros, MICROS_PER_SECOND);
    var time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
    raw('"').digits(time.getYear(), 4).raw('-').digits(time.getMonthValue(), 2).raw('-');
    digits(time.getDayOfMonth(), 2).raw('T').digits(time.getHour(), 2).raw(':');
    digits(time.getMinute(), 2).raw(':').digits(time.getSecond(), 2).raw('.');
    return digits(micros, 6).raw('Z').raw('"');
  }

  private JsonOut string(byte[] utf8) {
    return string(utf8, 0, utf8.length);
  }

  private JsonOut string(byte[] utf8, int offset, int length) {
    raw('"');
    int from = offset;
    int end = offset + length;
    for (int at = offset; at < end; at++) {
      byte b = utf8[at];
      // Bytes of multi-byte characters are negative and need no escape.
      if (b == '"' || b == '\\' || (b >= 0 && b < 0x20)) {
        raw(utf8, from, at - from);
        escape(b);
        from = at + 1;
      }
    }
    return raw(utf8, from, end - from).raw('"');
  }

  private void escape(byte b) {
    raw('\\');
    switch (b) {
      case '"', '\\' -> raw((char) b);
      case '\n' -> raw('n');
      case '\r' -> raw('r');
      case '\t' -> raw('t');
      default -> {
        raw('u').raw('0').raw('0');
        reserve(2);
        hex(b, 2);
      }
    }
  }

  private void hex(long value, int digits) {
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
      buffer[size++] = HEX[(int) (value >>> shift) & 0xf];
    }
  }

  private JsonOut digits(int value, int count) {
    reserve(count);
    int rest = value;
    for (int i = count - 1; i >= 0; i--) {
      buffer[size + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    size += count;
    return this;
  }

  private void reserve(int more) {
    long needed = (long) size + more;
    if (needed > buffer.length) {
      if (needed > CAPACITY_MAX) {
        throw new IllegalStateException("an answer of more than " + CAPACITY_MAX + " bytes");
      }
      buffer = Arrays.copyOf(buffer, (int) Math.min(CAPACITY_MAX, Math.max(needed, size * 2L)));
    }
  }
}
