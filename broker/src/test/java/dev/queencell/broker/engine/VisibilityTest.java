package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Segment;
import dev.queencell.broker.store.Slice;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class VisibilityTest {
  private static final long SECOND = 1_000_000;

  private static Segment segment(long createdAt, int... delays) {
    var writer = new Frames.Writer(16);
    for (int delay : delays) {
      writer.add(UUID.randomUUID(), null, null, null, Slice.utf8("1"), delay);
    }
    return new Segment(0, delays.length, createdAt, writer.toBytes());
  }

  private static Visibility at(long now) {
    return new Visibility(now, 0, 0, 0);
  }

  @Test
  void aFrameRemembersItsDelayBesideEverythingElse() {
    var writer = new Frames.Writer(16);
    var id = UUID.randomUUID();
    writer.add(id, Slice.utf8("t"), id, Slice.utf8("who"), Slice.utf8("{}"));
    assertFalse(Frames.someDelayed(writer.toBytes()));
    writer.add(id, Slice.utf8("t"), id, Slice.utf8("who"), Slice.utf8("{\"a\":1}"), 77);
    var frames = writer.toBytes();
    assertTrue(Frames.someDelayed(frames));
    var reader = new Frames.Reader(frames);
    assertTrue(reader.next());
    assertEquals(0, reader.delaySeconds());
    assertEquals("{}", reader.payload().text());
    assertTrue(reader.next());
    assertEquals(77, reader.delaySeconds());
    assertEquals("who", reader.producer().text());
    assertEquals(id, reader.traceId());
    assertEquals("{\"a\":1}", reader.payload().text());
    assertFalse(reader.next());
  }

  @Test
  void whatStandsBehindADelayedMessageWaitsWithIt() {
    var segment = segment(0, 0, 0, 5, 0);
    assertEquals(2, at(SECOND).dueCount(segment, 0, 4));
    assertEquals(0, at(SECOND).dueCount(segment, 2, 2));
    assertEquals(4, at(5 * SECOND).dueCount(segment, 0, 4));
    assertEquals(4 * SECOND, at(SECOND).untilDueMicros(segment, 2));
    assertEquals(0, at(SECOND).untilDueMicros(segment, 3));
  }

  @Test
  void theLastDueMessageMayStandBehindOneThatIsNot() {
    var segment = segment(0, 0, 9, 0, 9);
    assertEquals(2, at(SECOND).lastDue(segment, 0, 4));
    assertEquals(-1, at(SECOND).lastDue(segment, 3, 4));
    assertEquals(3, at(9 * SECOND).lastDue(segment, 0, 4));
  }

  @Test
  void optionsCountFromTheTimeOfTheSegment() {
    var segment = segment(10 * SECOND, 0);
    var visible = new Visibility(12 * SECOND, 11 * SECOND, 5 * SECOND, 4 * SECOND);
    assertTrue(visible.isExpired(segment));
    assertFalse(visible.isExpired(segment(11 * SECOND, 0)));
    assertEquals(3 * SECOND, visible.untilVisibleMicros(segment));
    assertEquals(2 * SECOND, visible.untilGatheredMicros(segment));
    assertEquals(0, at(12 * SECOND).untilGatheredMicros(segment));
  }

  @Test
  void aRankedPopIsServedByTheBestLaneFirst() {
    var ranking = new Ranking(2);
    assertFalse(ranking.announce(1));
    assertFalse(ranking.lets(1));
    assertTrue(ranking.announce(7));
    assertFalse(ranking.lets(1));
    assertTrue(ranking.lets(7));
    ranking.tried();
    assertTrue(ranking.lets(Ranking.NOTHING));
  }
}
