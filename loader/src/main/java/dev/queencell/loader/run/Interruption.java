package dev.queencell.loader.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Somebody's wish that a run ends now, and the word that it has. Thread-safe. */
public final class Interruption {
  private final CountDownLatch wished = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Asks the run to end; it still writes its record. */
  public void raise() {
    wished.countDown();
  }

  public boolean isRaised() {
    return wished.getCount() == 0;
  }

  /** Waits until that instant on the monotonic clock; true as soon as an end is asked for. */
  public boolean awaitUntil(long nanoTime) {
    try {
      return wished.await(nanoTime - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      raise();
      return true;
    }
  }

  /** The run has ended and left its record. */
  public void ended() {
    ended.countDown();
  }

  /** Waits for {@link #ended}; false when it took longer. */
  public boolean awaitEnd(long timeoutMs) throws InterruptedException {
    return ended.await(timeoutMs, TimeUnit.MILLISECONDS);
  }
}
