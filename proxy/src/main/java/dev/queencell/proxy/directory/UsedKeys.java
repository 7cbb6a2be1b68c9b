package dev.queencell.proxy.directory;

import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which keys were in use, told to the tenant-state service twice a minute. The end of the process
 * takes at most one interval's news with it, which nobody bills by.
 *
 * <p>Thread-safe.
 */
public final class UsedKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsedKeys.class);
  private static final long INTERVAL_MS = 30_000;
  private static final int BATCH_MAX = 1000;
  private static final int NOTED_MAX = 100_000;

  private final StateService service;
  private final Set<String> noted = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  public UsedKeys(StateService service) {
    this.service = service;
    this.thread = Thread.ofVirtual().name("used-keys").start(this::run);
  }

  /** Costs one lookup for a key that was noted already. */
  public void note(String keyId) {
    if (!noted.contains(keyId) && noted.size() < NOTED_MAX) {
      noted.add(keyId);
    }
  }

  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
  }

  private void run() {
    try {
      while (!closing.await(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void flush() {
    var batch = new ArrayList<String>();
    var keyIds = noted.iterator();
    try {
      while (keyIds.hasNext()) {
        batch.add(keyIds.next());
        keyIds.remove();
        if (batch.size() == BATCH_MAX || !keyIds.hasNext()) {
          service.markUsed(batch);
          batch.clear();
        }
      }
    } catch (StateAwayException e) {
      batch.forEach(this::note);
      LOG.debug("which keys were used is told later: {}", e.getMessage());
    }
  }
}
