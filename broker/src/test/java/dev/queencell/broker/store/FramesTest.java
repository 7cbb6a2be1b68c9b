package dev.queencell.broker.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FramesTest {
  @Property(tries = 300)
  void whatWasPackedComesBackByteForByte(@ForAll @Size(max = 20) List<byte[]> payloads) {
    var writer = new Frames.Writer(16);
    for (int i = 0; i < payloads.size(); i++) {
      writer.add(
          new UUID(i, ~i),
          i % 2 == 0 ? null : Slice.utf8("key-" + i),
          i % 3 == 0 ? new UUID(7, i) : null,
          i % 5 == 0 ? Slice.utf8("producer") : null,
          Slice.of(payloads.get(i)));
    }
    var reader = new Frames.Reader(writer.toBytes());
    for (int i = 0; i < payloads.size(); i++) {
      assertTrue(reader.next());
      assertEquals(new UUID(i, ~i), reader.id());
      assertEquals(
          i % 2 == 0 ? new UUID(i, ~i).toString() : "key-" + i, reader.transactionId().text());
      assertEquals(i % 3 == 0 ? new UUID(7, i) : null, reader.traceId());
      if (i % 5 == 0) {
        assertEquals("producer", reader.producer().text());
      } else {
        assertNull(reader.producer());
      }
      assertArrayEquals(payloads.get(i), reader.payload().toBytes());
    }
    assertFalse(reader.next());
  }

  @Property(tries = 100)
  void skippingLandsOnTheSameFrameAsWalking(
      @ForAll @Size(min = 1, max = 30) List<byte[]> payloads) {
    var writer = new Frames.Writer(16);
    payloads.forEach(payload -> writer.add(new UUID(1, 2), null, null, null, Slice.of(payload)));
    for (int i = 0; i < payloads.size(); i++) {
      var reader = new Frames.Reader(writer.toBytes());
      reader.skip(i);
      assertTrue(reader.next());
      assertArrayEquals(payloads.get(i), reader.payload().toBytes());
    }
  }

  @Test
  void theLongestTransactionIdFits() {
    var id = "x".repeat(Frames.TRANSACTION_ID_BYTES_MAX);
    var writer = new Frames.Writer(16);
    writer.add(new UUID(1, 2), Slice.utf8(id), null, null, Slice.utf8("1"));
    var reader = new Frames.Reader(writer.toBytes());
    reader.next();
    assertEquals(id, reader.transactionId().text());
  }

  @Property(tries = 100)
  void packingIsUndoneByUnpacking(@ForAll byte[] seed) {
    var frames = new byte[seed.length * 40];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = seed[i % seed.length];
    }
    try (var codec = new SegmentCodec()) {
      var packed = codec.pack(frames);
      assertArrayEquals(frames, SegmentCodec.unpack(packed.codec(), packed.bytes()));
    }
  }

  @Test
  void whatDoesNotShrinkIsStoredAsItIs() {
    var noise = new byte[4_000];
    new java.util.Random(42).nextBytes(noise);
    try (var codec = new SegmentCodec()) {
      assertEquals(SegmentCodec.RAW, codec.pack(noise).codec());
      var zeros = new byte[4_000];
      assertEquals(SegmentCodec.ZSTD, codec.pack(zeros).codec());
      assertTrue(codec.pack(zeros).bytes().length < 100);
    }
  }

  @Test
  void anUnknownCodecIsRefused() {
    var bytes = new byte[10];
    Arrays.fill(bytes, (byte) 1);
    assertThrows(IllegalStateException.class, () -> SegmentCodec.unpack((short) 9, bytes));
    assertThrows(RuntimeException.class, () -> SegmentCodec.unpack(SegmentCodec.ZSTD, bytes));
  }
}
