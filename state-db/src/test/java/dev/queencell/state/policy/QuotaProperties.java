package dev.queencell.state.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class QuotaProperties {
  private static final long MAX = Long.MAX_VALUE;

  @Property
  void theLevelIsWhatExactArithmeticSays(
      @ForAll @LongRange(min = 0, max = MAX) long msgs,
      @ForAll @LongRange(min = 0, max = MAX) long quota,
      @ForAll @IntRange(min = 1, max = 100) int percent) {
    boolean warned =
        BigInteger.valueOf(msgs)
                .multiply(BigInteger.valueOf(100))
                .compareTo(BigInteger.valueOf(quota).multiply(BigInteger.valueOf(percent)))
            >= 0;
    var expected =
        msgs >= quota ? MonthlyQuota.BLOCKED : warned ? MonthlyQuota.WARNED : MonthlyQuota.NONE;
    assertEquals(expected, MonthlyQuota.of(msgs, quota, percent));
  }

  @Property
  void moreMessagesNeverLowerTheLevel(
      @ForAll @LongRange(min = 0, max = 1000) long msgs,
      @ForAll @LongRange(min = 0, max = 1000) long more,
      @ForAll @LongRange(min = 0, max = 1000) long quota,
      @ForAll @IntRange(min = 1, max = 100) int percent) {
    var before = MonthlyQuota.of(msgs, quota, percent);
    assertTrue(MonthlyQuota.of(msgs + more, quota, percent).compareTo(before) >= 0);
  }

  @Example
  void noQuotaIsNeverReached() {
    assertEquals(MonthlyQuota.NONE, MonthlyQuota.of(MAX, null, 1));
    assertEquals(MonthlyQuota.BLOCKED, MonthlyQuota.of(0, 0L, 100));
    for (var level : MonthlyQuota.values()) {
      assertEquals(level, MonthlyQuota.named(level.wireName()));
    }
  }

  @Property
  void storageBlocksAboveTheCapAndHoldsDownToNinetyPercent(
      @ForAll boolean over,
      @ForAll @LongRange(min = 0, max = MAX) long cap,
      @ForAll @LongRange(min = 0, max = MAX) long measured) {
    boolean release =
        BigInteger.valueOf(measured)
                .multiply(BigInteger.TEN)
                .compareTo(BigInteger.valueOf(cap).multiply(BigInteger.valueOf(9)))
            <= 0;
    boolean expected = measured > cap || (over && !release);
    assertEquals(expected, StorageQuota.over(over, cap, measured));
  }

  @Example
  void withoutACapNothingBlocks() {
    assertFalse(StorageQuota.over(true, null, MAX));
    assertFalse(StorageQuota.over(true, 0L, 0), "an empty cluster is never blocked");
  }
}
