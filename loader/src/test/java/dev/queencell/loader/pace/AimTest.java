package dev.queencell.loader.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AimTest {
  private static final long SECOND = 1_000_000_000;

  @Property(tries = 200)
  void producersShareTheLanesAndEveryLaneIsServedEqually(
      @ForAll @IntRange(min = 1, max = 5) int tenants,
      @ForAll @IntRange(min = 1, max = 7) int producers,
      @ForAll @IntRange(min = 1, max = 30) int partitions) {
    var aim = new RoundOfProducers(tenants, producers, partitions);
    var counts = new int[tenants][partitions];
    long rounds = 210L * partitions;
    for (long event = 0; event < rounds * tenants * producers; event++) {
      counts[aim.tenant(event)][aim.partition(event, 0)]++;
    }
    for (var tenant : counts) {
      int all = 0;
      for (int count : tenant) {
        all += count;
        assertTrue(count > 0, "a lane that nobody serves");
      }
      assertEquals(rounds * producers, all);
    }
  }

  @Property(tries = 200)
  void aMovingWindowTouchesItsLanesOnlyAndCoversTheSpace(
      @ForAll @IntRange(min = 1, max = 200) int partitions,
      @ForAll @IntRange(min = 1, max = 200) int asked) {
    int active = Math.min(asked, partitions);
    var aim = new MovingWindow(partitions, active);
    var all = new HashSet<Integer>();
    long event = 0;
    for (int second = 0; second < (partitions + active - 1) / active; second++) {
      var now = new HashSet<Integer>();
      for (int i = 0; i < active; i++) {
        now.add(aim.partition(event++, second * SECOND + i));
      }
      assertEquals(active, now.size());
      all.addAll(now);
    }
    assertEquals(partitions, all.size());
  }

  @Test
  void aWindowIsNeitherEmptyNorLargerThanTheSpace() {
    assertThrows(IllegalArgumentException.class, () -> new MovingWindow(10, 0));
    assertThrows(IllegalArgumentException.class, () -> new MovingWindow(10, 11));
  }

  @Test
  void aSkewIsTheSameForTheSameEventAndAsUnevenAsItsExponent() {
    for (double exponent : new double[] {1, 2, 3}) {
      var aim = new Skew(100, exponent);
      int inFirstTenth = 0;
      for (long event = 0; event < 100_000; event++) {
        int partition = aim.partition(event, 0);
        assertTrue(partition >= 0 && partition < 100);
        assertEquals(partition, aim.partition(event, 5 * SECOND));
        inFirstTenth += partition < 10 ? 1 : 0;
      }
      assertEquals(Math.pow(0.1, 1 / exponent), inFirstTenth / 100_000.0, 0.01);
    }
  }
}
