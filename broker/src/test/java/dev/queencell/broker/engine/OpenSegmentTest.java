package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OpenSegmentTest {
  private static final UUID TRACE = new UUID(7, 8);
  private static final TransactionKey KEY = new TransactionKey(5, 6);

  @Test
  void aSealedSegmentHoldsWhatWasAddedInOrderAndNothingElse() {
    var open = new OpenSegment(40);
    open.add(new UUID(0, 1), item(null, null, "1", 0), null, null);
    open.add(new UUID(0, 2), item("chosen", "somebody", "[2]", 30), TRACE, KEY);
    open.add(new UUID(0, 3), item(null, null, "{}", 0), null, null);
    assertEquals(43, open.next());
    assertEquals(new UUID(0, 2), open.idAt(41));

    var segment = open.seal(1_000);
    assertEquals(40, segment.base());
    assertEquals(3, segment.count());
    assertEquals(1_000, segment.createdAtMicros());
    assertTrue(Frames.someDelayed(segment.frames()));
    var frames = new Frames.Reader(segment.frames());
    assertTrue(frames.next());
    assertEquals(new UUID(0, 1), frames.id());
    assertNull(frames.traceId());
    assertNull(frames.producer());
    assertEquals("1", frames.payload().text());
    assertTrue(frames.next());
    assertEquals(new UUID(0, 2), frames.id());
    assertEquals("chosen", frames.transactionId().text());
    assertEquals("somebody", frames.producer().text());
    assertEquals(TRACE, frames.traceId());
    assertEquals(30, frames.delaySeconds());
    assertEquals("[2]", frames.payload().text());
    assertTrue(frames.next());
    assertNull(frames.traceId());
    assertEquals("{}", frames.payload().text());
    assertFalse(frames.next());
  }

  @Test
  void aKeyStandsAtThePlaceOfItsMessage() {
    var open = new OpenSegment(0);
    open.add(new UUID(0, 1), item(null, null, "1", 0), null, null);
    assertNull(open.keyBytes());
    open.add(new UUID(0, 2), item("chosen", null, "2", 0), null, KEY);
    var keys = ByteBuffer.wrap(open.keyBytes());
    assertEquals(2 * TransactionKey.BYTES, keys.remaining());
    assertEquals(0, keys.getLong());
    assertEquals(0, keys.getLong());
    assertEquals(5, keys.getLong());
    assertEquals(6, keys.getLong());
  }

  private static PushItem item(String transactionId, String producer, String payload, int delay) {
    return new PushItem(
        "q",
        "p",
        transactionId == null ? null : Slice.utf8(transactionId),
        producer == null ? null : Slice.utf8(producer),
        Slice.utf8(payload),
        null,
        delay);
  }
}
