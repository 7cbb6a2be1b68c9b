package dev.queencell.proxy.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallGateTest {
  private static final int PLACES = 256;

  private final CallGate gate = new CallGate();
  private final List<String> placed = new ArrayList<>();

  @Test
  void pushesWaitUntilAcknowledgementsAndPopsHaveTheirTurn() {
    fill();
    waits(true, "push 1");
    waits(false, "ack 1");
    waits(true, "push 2");
    waits(false, "ack 2");
    assertEquals(4, gate.waiting());
    for (int i = 0; i < 4; i++) {
      gate.leave();
    }
    assertEquals(List.of("ack 1", "ack 2", "push 1", "push 2"), placed);
    assertEquals(PLACES, gate.running());
    assertEquals(0, gate.waiting());
  }

  @Test
  void whoStopsWaitingTakesNoPlaceWithHim() throws Exception {
    fill();
    var refused = new CountDownLatch(1);
    var waiting =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    gate.await(true);
                  } catch (RuntimeException e) {
                    refused.countDown();
                  }
                });
    while (gate.waiting() == 0) {
      Thread.onSpinWait();
    }
    waiting.interrupt();
    refused.await();
    for (int i = 0; i < PLACES; i++) {
      gate.leave();
    }
    assertEquals(0, gate.running());
  }

  @Test
  void noMoreThanTheirNumberRunAtOnceAndAllCome() throws Exception {
    var running = new AtomicInteger();
    var most = new AtomicInteger();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 20 * PLACES; i++) {
        boolean isPush = i % 3 == 0;
        callers.execute(
            () -> {
              gate.await(isPush);
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              LockSupport.parkNanos(1);
              running.decrementAndGet();
              gate.leave();
            });
      }
    }
    assertTrue(most.get() <= PLACES, most + " at once");
    assertEquals(0, gate.running());
  }

  private void fill() {
    for (int i = 0; i < PLACES; i++) {
      assertTrue(gate.enter(true, () -> fail("has its place already"), () -> fail("is not late")));
    }
  }

  private void waits(boolean isPush, String name) {
    assertFalse(gate.enter(isPush, () -> placed.add(name), () -> fail("is not late")));
  }
}
