package dev.queencell.state;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be done again and again, one thing at a time, on a thread of its own. A round that
 * fails is logged and comes again: each of these looks at the database for what is left to do.
 */
final class Housekeeping implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private static final long STOP_TIMEOUT_MS = 3_000;

  private final ScheduledExecutorService executor;

  /**
   * @param name of the thread
   */
  Housekeeping(String name) {
    executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
  }

  /** Does it now, and so long after each time that it was done. */
  void every(String what, long intervalMs, Runnable work) {
    // A round never throws, so that the future has nothing to tell.
    var _ =
        executor.scheduleWithFixedDelay(
            () -> round(what, work), 0, intervalMs, TimeUnit.MILLISECONDS);
  }

  /** Lets a running round end, for a while; what is left of it comes again after the next start. */
  @Override
  public void close() {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
        executor.shutdownNow();
      }
    } catch (InterruptedException e) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void round(String what, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      if (!executor.isShutdown()) {
        LOG.warn("can't {} now: {}", what, e.getMessage());
      }
    }
  }
}
