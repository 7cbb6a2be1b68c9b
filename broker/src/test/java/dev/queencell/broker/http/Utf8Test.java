package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class Utf8Test {
  @Property(tries = 20_000)
  void agreesWithTheDecoderOfTheLibrary(@ForAll("nearlyUtf8") byte[] bytes) {
    assertEquals(decodes(bytes), Utf8.firstInvalid(bytes) < 0);
  }

  @Property
  void measuresWhatTheEncoderOfTheLibraryWrites(@ForAll String text) {
    boolean encodes = StandardCharsets.UTF_8.newEncoder().canEncode(text);
    assertEquals(
        encodes ? text.getBytes(StandardCharsets.UTF_8).length : -1, Utf8.encodedLength(text));
  }

  @Test
  void theFirstBadByteIsNamed() {
    byte[] bytes = "0123456789 abcdefg é".getBytes(StandardCharsets.UTF_8);
    bytes[18] = (byte) 0xff;
    assertEquals(18, Utf8.firstInvalid(bytes));
  }

  /** Random bytes are almost never UTF-8; these are about as often as not. */
  @Provide
  Arbitrary<byte[]> nearlyUtf8() {
    var plain = Arbitraries.bytes().between((byte) 0, (byte) 127).array(byte[].class).ofMaxSize(12);
    var wide =
        Arbitraries.integers()
            .between(0x80, 0x110005)
            .map(codePoint -> encode(codePoint))
            .list()
            .ofMaxSize(3);
    var noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(1);
    return net.jqwik.api.Combinators.combine(plain, wide, noise, plain)
        .as(
            (head, middle, bad, tail) -> {
              var buffer = ByteBuffer.allocate(64);
              buffer.put(head);
              middle.forEach(buffer::put);
              buffer.put(bad).put(tail).flip();
              var bytes = new byte[buffer.remaining()];
              buffer.get(bytes);
              return bytes;
            });
  }

  /** Encodes surrogates and too large numbers as well, by the same scheme. */
  private static byte[] encode(int codePoint) {
    if (codePoint < 0x800) {
      return bytes(0xc0 | (codePoint >> 6), tail(codePoint));
    }
    if (codePoint < 0x10000) {
      return bytes(0xe0 | (codePoint >> 12), tail(codePoint >> 6), tail(codePoint));
    }
    return bytes(
        0xf0 | (codePoint >> 18), tail(codePoint >> 12), tail(codePoint >> 6), tail(codePoint));
  }

  private static int tail(int bits) {
    return 0x80 | (bits & 0x3f);
  }

  private static byte[] bytes(int... values) {
    var bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private static boolean decodes(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
