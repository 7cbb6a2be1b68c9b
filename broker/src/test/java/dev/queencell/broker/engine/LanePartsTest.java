package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PopResult.Run;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The small parts that a lane is made of, without a database. */
class LanePartsTest {
  @Test
  void messageTimeNeverGoesBackWhateverTheWallClockSays() {
    var clock = new LaneClock(1_000, 5_000, 0);
    long first = clock.stamp(0);
    assertEquals(5_001, first);
    assertEquals(5_002, clock.stamp(0));
    assertEquals(8_001, clock.stamp(3_000_000));
    assertEquals(8_002, clock.stamp(2_000_000));
  }

  @Test
  void mintedIdsAreUuidsOfVersionSevenAndDiffer() {
    var mint = new IdMint();
    var seen = new HashSet<UUID>();
    for (int i = 0; i < 10_000; i++) {
      var id = mint.next(1_764_000_000_000_000L);
      assertEquals(7, id.version());
      assertEquals(2, id.variant());
      assertTrue(seen.add(id));
    }
  }

  @Property
  void aPartitionIdNamesItsQueueAndItself(
      @ForAll @LongRange(min = 1, max = (1L << 48) - 1) long queue,
      @ForAll @LongRange(min = 1, max = (1L << 62) - 1) long partition) {
    var uuid = new PartitionId(queue, partition).toUuid();
    assertEquals(8, uuid.version());
    assertEquals(new PartitionId(queue, partition), PartitionId.parse(uuid.toString()));
  }

  @Test
  void whatIsNoUuidIsNoPartition() {
    assertNull(PartitionId.parse(""));
    assertNull(PartitionId.parse("x".repeat(36)));
  }

  @Property
  void aCanonicalUuidIsItsOwnKeyAndAnythingElseIsHashed(@ForAll long high, @ForAll long low) {
    // All zeros stand for "no key" where keys are stored.
    Assume.that((high | low) != 0);
    var id = new UUID(high, low);
    assertEquals(TransactionKey.of(id), TransactionKey.of(Slice.utf8(id.toString())));
    var upper = id.toString().toUpperCase(java.util.Locale.ROOT);
    if (!upper.equals(id.toString())) {
      assertNotEquals(TransactionKey.of(id), TransactionKey.of(Slice.utf8(upper)));
    }
  }

  @Test
  void theZeroUuidHasAKeyThatIsNotZero() {
    assertNotEquals(
        new TransactionKey(0, 0), TransactionKey.of(Slice.utf8(new UUID(0, 0).toString())));
  }

  @Property
  void aMintedIdBearsItsMarkAndItsTime(@ForAll @LongRange(min = 0, max = 1L << 52) long micros) {
    var key = TransactionKey.of(new IdMint().next(micros));
    assertTrue(IdMint.isMinted(key));
    assertEquals(micros / 1_000, IdMint.epochMs(key));
    assertFalse(IdMint.isMinted(new TransactionKey(key.high(), key.low() ^ 1)));
  }

  private static Lease leaseOf(String... keys) {
    var writer = new Frames.Writer(64);
    for (var key : keys) {
      writer.add(UUID.randomUUID(), Slice.utf8(key), null, null, Slice.utf8("1"));
    }
    var lease = new Lease(UUID.randomUUID(), keys.length - 1, 0);
    lease.index(List.of(new Run(0, 0, writer.toBytes(), 0, keys.length)));
    return lease;
  }

  @Test
  void aLeaseFindsTheSmallestOffsetAboveTheCursor() {
    var lease = leaseOf("a", "b", "a", "c");
    assertEquals(0, lease.find(TransactionKey.of(Slice.utf8("a")), -1));
    assertEquals(2, lease.find(TransactionKey.of(Slice.utf8("a")), 0));
    assertEquals(3, lease.find(TransactionKey.of(Slice.utf8("c")), 0));
    assertEquals(-1, lease.find(TransactionKey.of(Slice.utf8("b")), 1));
    assertEquals(-1, lease.find(TransactionKey.of(Slice.utf8("z")), -1));
  }

  @Test
  void aLargeLeaseFindsWhatASmallOneWould() {
    var keys = new String[500];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "k" + i % 400;
    }
    var lease = leaseOf(keys);
    assertEquals(399, lease.find(TransactionKey.of(Slice.utf8("k399")), -1));
    assertEquals(50, lease.find(TransactionKey.of(Slice.utf8("k50")), 49));
    assertEquals(450, lease.find(TransactionKey.of(Slice.utf8("k50")), 50));
    assertEquals(-1, lease.find(TransactionKey.of(Slice.utf8("k50")), 450));
  }

  @Test
  void aDeduplicationWindowForgetsByAge() {
    var window = DedupWindow.ofNew();
    var key = TransactionKey.of(Slice.utf8("k"));
    window.add(key, 7, 1_000_000);
    assertEquals(7, window.find(key, 1_000_000));
    assertEquals(-1, window.find(key, 1_000_001));
    window.add(key, 8, 2_000_000);
    assertEquals(8, window.find(key, 1_500_000));
    window.add(TransactionKey.of(Slice.utf8("l")), 9, 100_000_000);
    window.expire(99_000_000);
    // What was forgotten is not known to be absent, unless it is out of the window anyway.
    assertEquals(DedupWindow.UNREAD, window.find(key, 0));
    assertEquals(DedupWindow.ABSENT, window.find(key, 99_000_000));
    assertEquals(DedupWindow.ENTRY_BYTES, window.bytes());
  }

  @Test
  void aWindowThatTakesOverAnotherKeepsTheNewestOfAKey() {
    var key = TransactionKey.of(Slice.utf8("k"));
    var old = DedupWindow.indexed();
    old.add(key, 3, 1_000_000);
    old.addAbsent(TransactionKey.of(Slice.utf8("never")), 500_000);
    var window = DedupWindow.wholeSince(400_000);
    window.add(key, 10, 5_000_000);
    window.takeOver(old, 0);
    assertEquals(10, window.find(key, 2_000_000));
    assertEquals(DedupWindow.ABSENT, window.find(TransactionKey.of(Slice.utf8("x")), 500_000));
    assertEquals(DedupWindow.UNREAD, window.find(TransactionKey.of(Slice.utf8("x")), 300_000));
    assertEquals(DedupWindow.UNREAD, DedupWindow.indexed().find(key, 0));
  }

  @Test
  void timersFireInOrderAndCancelledOnesNever() {
    var timers = new Timers();
    var fired = new ArrayList<String>();
    timers.at(30, () -> fired.add("late"));
    var cancelled = timers.at(20, () -> fired.add("cancelled"));
    timers.at(10, () -> fired.add("early"));
    cancelled.cancel();
    assertEquals(10, timers.untilNextNanos(0, 100));
    timers.fire(25);
    assertEquals(List.of("early"), fired);
    assertEquals(5, timers.untilNextNanos(25, 100));
    timers.fire(30);
    assertEquals(List.of("early", "late"), fired);
    assertEquals(100, timers.untilNextNanos(30, 100));
  }

  private static final class Item extends Work {
    final String name;

    Item(UUID tenant, String name) {
      super(tenant);
      this.name = name;
    }

    @Override
    void process(Lane lane) {}

    @Override
    void answer(Lane lane) {}

    @Override
    void refuse(EngineUnavailableException why) {}
  }

  @Test
  void aLaneIsToldOfABurstAtItsEndAndTakesAllOfIt() throws InterruptedException {
    var inbox = new Inbox(new WorkMeters());
    var taken = new ArrayList<Work>();
    var lane =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    inbox.gather(taken, Long.MAX_VALUE, 100, 1 << 20);
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    Await.until("the lane waits", () -> lane.getState() == Thread.State.TIMED_WAITING);
    inbox.holdOn();
    inbox.put(new Item(UUID.randomUUID(), "first"));
    // Told too early it would be gone by now.
    assertFalse(lane.join(Duration.ofMillis(100)));
    inbox.put(new Item(UUID.randomUUID(), "second"));
    inbox.goOn();
    lane.join();
    assertEquals(2, taken.size());
  }

  @Test
  void aFloodOfOneTenantDoesNotKeepAnotherWaiting() throws InterruptedException {
    var inbox = new Inbox(new WorkMeters());
    var flooding = UUID.randomUUID();
    for (int i = 0; i < 1_000; i++) {
      inbox.put(new Item(flooding, "flood" + i));
    }
    inbox.put(new Item(UUID.randomUUID(), "modest"));
    var first = new ArrayList<Work>();
    inbox.gather(first, 0, 100, Long.MAX_VALUE);
    assertTrue(first.stream().anyMatch(work -> ((Item) work).name.equals("modest")));
    assertEquals("flood0", ((Item) first.getFirst()).name);
    assertEquals(901, inbox.close().size());
    assertFalse(inbox.put(new Item(flooding, "too late")));
  }
}
