package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.store.Rows.Contents;
import dev.queencell.broker.store.Segment;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TailCacheTest {
  private static final long BUDGET_BYTES = 80_000;
  private static final int FRAME_BYTES = 904;
  private static final int SEGMENTS = 200;
  private final AtomicLong lanes = new AtomicLong();
  private final TailCache cache = new TailCache(BUDGET_BYTES, lanes::get);
  private final Partition partition = new Partition(null, 1, "p", 0, Contents.NONE);
  private int added;

  private void addSome() {
    for (int i = 0; i < SEGMENTS; i++) {
      cache.add(partition, segment(added));
      added++;
    }
  }

  private static Segment segment(int base) {
    return new Segment(base, 1, 0, new byte[FRAME_BYTES]);
  }

  @Test
  void theNewestStayWithinTheBudget() {
    addSome();
    assertEquals(BUDGET_BYTES, cache.bytes());
    assertNotNull(partition.cachedAt(added - 1));
    assertNotNull(partition.cachedAt(added - 80));
    assertNull(partition.cachedAt(added - 81));
  }

  @Test
  void manyLanesTakeTheirRoomFromItAndLeaveAnEighth() {
    lanes.set(200);
    addSome();
    assertEquals(BUDGET_BYTES, cache.bytes());
    lanes.set(300);
    addSome();
    assertEquals(2 * BUDGET_BYTES - 300 * 400, cache.bytes());
    lanes.set(1_000_000);
    addSome();
    assertEquals(BUDGET_BYTES / 8, cache.bytes());
    lanes.set(0);
    addSome();
    assertEquals(BUDGET_BYTES, cache.bytes());
  }

  @Test
  void theOnlySegmentStaysWhateverItsSizeAndALaneWithoutOneTakesMore() {
    lanes.set(1_000_000);
    cache.add(partition, new Segment(0, 1, 0, new byte[(int) BUDGET_BYTES]));
    assertNotNull(partition.cachedAt(0));
    partition.uncacheBelow(1);
    assertNull(partition.cachedAt(0));
    partition.uncacheBelow(1);
    cache.add(partition, segment(1));
    assertNotNull(partition.cachedAt(1));
    assertTrue(cache.bytes() < BUDGET_BYTES);
  }
}
