package dev.queencell.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
  @Test
  void theFirstWantedValueIsReturned() {
    var counter = new AtomicInteger();
    assertEquals(3, Await.value("three", counter::incrementAndGet, n -> n == 3));
  }

  @Test
  void aDeadlineTellsWhatWasAwaitedAndSeenLast() {
    var failure =
        assertThrows(
            AssertionError.class,
            () -> Await.value("it is full", Duration.ofMillis(5), () -> 41, n -> n == 42));
    assertEquals("not within 5 ms: it is full; last seen: 41", failure.getMessage());
  }

  @Test
  void anInterruptEndsTheWait() {
    Thread.currentThread().interrupt();
    var failure = assertThrows(AssertionError.class, () -> Await.until("never", () -> false));
    assertTrue(Thread.interrupted(), "the interrupt is kept for the caller");
    assertEquals("interrupted while waiting: never", failure.getMessage());
  }
}
