package dev.queencell.broker.store;

import java.nio.charset.StandardCharsets;

/**
 * A part of a byte array that nobody changes any more. Payloads and ids travel as slices of the
 * request body that brought them, so that they are copied once: into their segment.
 */
public record Slice(byte[] array, int offset, int length) {
  public static Slice of(byte[] bytes) {
    return new Slice(bytes, 0, bytes.length);
  }

  public static Slice utf8(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  public byte[] toBytes() {
    var copy = new byte[length];
    System.arraycopy(array, offset, copy, 0, length);
    return copy;
  }

  /** The slice read as UTF-8. */
  public String text() {
    return new String(array, offset, length, StandardCharsets.UTF_8);
  }
}
