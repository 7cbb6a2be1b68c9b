package dev.queencell.proxy.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.proxy.directory.ClusterLimits;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StorageUseTest {
  private final StorageUse storage = new StorageUse();

  @Test
  void theBlockBeginsAboveTheCapAndEndsAtNineTenths() {
    storage.measured(100, 100);
    assertFalse(storage.take(1, 100), "full, though not over");
    storage.measured(101, 100);
    storage.measured(95, 100);
    assertTrue(storage.isBlocked(100), "95 % is not yet enough");
    storage.measured(91, 100);
    assertTrue(storage.isBlocked(100));
    storage.measured(90, 100);
    assertFalse(storage.isBlocked(100));
    assertTrue(storage.take(1, 100));
  }

  @Test
  void atMostThePushThatReachesTheCapPasses() {
    storage.measured(0, 100);
    assertTrue(storage.take(99, 100));
    assertTrue(storage.take(1000, 100));
    assertFalse(storage.take(1, 100));
    assertFalse(storage.take(0, 100));
  }

  @Test
  void whatIsInFlightCountsUntilTheBrokerSaysSomethingNew() {
    storage.measured(10, 100);
    assertTrue(storage.take(95, 100));
    storage.measured(10, 100);
    assertTrue(storage.isBlocked(100), "the same number says nothing of what came since");
    storage.measured(50, 100);
    assertFalse(storage.isBlocked(100));
  }

  @Test
  void whatWasNotStoredIsGivenBack() {
    assertTrue(storage.take(100, 100));
    assertFalse(storage.take(1, 100));
    storage.giveBack(100);
    assertTrue(storage.take(1, 100));
  }

  @Test
  void aHigherCapReleasesAndNoCapNeverBlocks() {
    storage.measured(150, 100);
    assertTrue(storage.isBlocked(100));
    assertFalse(storage.isBlocked(1000));
    storage.measured(150, 100);
    assertFalse(storage.isBlocked(ClusterLimits.UNLIMITED));
    assertTrue(storage.take(Long.MAX_VALUE, ClusterLimits.UNLIMITED));
  }

  @Test
  void sixtyFourThreadsThatPushAtOncePassTheCapByOnePushAtMost() throws Exception {
    storage.measured(1, 1000);
    var passed = new AtomicInteger();
    var start = new CountDownLatch(1);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 64; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      start.await();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                    for (int k = 0; k < 10; k++) {
                      if (storage.take(10, 1000)) {
                        passed.incrementAndGet();
                      }
                    }
                  }));
    }
    start.countDown();
    for (var thread : threads) {
      thread.join();
    }
    assertEquals(100, passed.get());
  }
}
