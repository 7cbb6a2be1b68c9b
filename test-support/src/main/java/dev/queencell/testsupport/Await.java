package dev.queencell.testsupport;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Waits for a condition with a deadline. The one place where a test's thread rests: it looks again
 * after 1 ms, then more and more seldom, up to every 50 ms.
 */
public final class Await {
  /** Long enough for a loaded machine; a test that needs it all has failed anyway. */
  public static final Duration USUAL_DEADLINE = Duration.ofSeconds(30);

  private static final long FIRST_PAUSE_MS = 1;
  private static final long LAST_PAUSE_MS = 50;

  private Await() {}

  /**
   * Returns as soon as the condition holds.
   *
   * @param what is awaited, as a statement: "the queue is drained"
   * @throws AssertionError when it does not hold within {@link #USUAL_DEADLINE}
   */
  public static void until(String what, BooleanSupplier condition) {
    until(what, USUAL_DEADLINE, condition);
  }

  /** The same with a deadline of its own. */
  public static void until(String what, Duration deadline, BooleanSupplier condition) {
    value(what, deadline, condition::getAsBoolean, held -> held);
  }

  /**
   * Asks for a value until it is as wanted and returns it.
   *
   * @throws AssertionError with the last value seen, when it is not within {@link #USUAL_DEADLINE}
   */
  public static <T> T value(String what, Supplier<T> source, Predicate<T> wanted) {
    return value(what, USUAL_DEADLINE, source, wanted);
  }

  /** The same with a deadline of its own. */
  public static <T> T value(
      String what, Duration deadline, Supplier<T> source, Predicate<T> wanted) {
    long start = System.nanoTime();
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      var value = source.get();
      if (wanted.test(value)) {
        return value;
      }
      if (System.nanoTime() - start > deadline.toNanos()) {
        throw new AssertionError(
            "not within %d ms: %s; last seen: %s".formatted(deadline.toMillis(), what, value));
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new AssertionError("interrupted while waiting: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    }
  }
}
