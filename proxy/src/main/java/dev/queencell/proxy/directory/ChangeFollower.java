package dev.queencell.proxy.directory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Follows the change feed on a thread of its own, so that what was revoked or suspended stops
 * working at once. While the service is away it tries again and again; the feed remembers what it
 * said meanwhile, and says {@code reset} when it doesn't.
 */
public final class ChangeFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeFollower.class);
  private static final long RETRY_PAUSE_MS = 250;

  private final StateService service;
  private final Directory directory;
  private final Consumer<String> onClusterChanged;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean connected;
  private String epoch;
  private long next;

  private ChangeFollower(
      StateService service, Directory directory, Consumer<String> onClusterChanged) {
    this.service = service;
    this.directory = directory;
    this.onClusterChanged = onClusterChanged;
    this.thread = Thread.ofVirtual().name("change-feed").unstarted(this::follow);
  }

  /**
   * Takes a position in the feed and follows it from there.
   *
   * @param onClusterChanged told the id of each cluster that changed
   * @throws StateAwayException when the service is not there yet
   */
  public static ChangeFollower start(
      StateService service, Directory directory, Consumer<String> onClusterChanged) {
    var follower = new ChangeFollower(service, directory, onClusterChanged);
    follower.take(service.feedStart());
    follower.connected = true;
    follower.thread.start();
    return follower;
  }

  /** True while the feed answers. */
  public boolean isConnected() {
    return connected;
  }

  /** Stops following; the interrupt cuts the connection of a running poll. */
  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
  }

  private void follow() {
    while (closing.getCount() > 0) {
      try {
        take(service.feedAfter(epoch, next));
        noteConnected();
      } catch (StateAwayException e) {
        noteAway(e);
        pause();
      } catch (RuntimeException e) {
        LOG.error("a page of the change feed is unusable; forgetting everything", e);
        directory.doubtAll();
        pause();
      }
    }
  }

  private void take(StateService.Feed page) {
    if (page.reset()) {
      directory.doubtAll();
    }
    for (var change : page.changes()) {
      apply(change);
    }
    epoch = page.epoch();
    next = page.next();
  }

  private void apply(JsonNode change) {
    directory.forget(change);
    if (change.path("kind").asString("").equals("cluster")) {
      onClusterChanged.accept(change.path("cluster_id").asString(""));
    }
  }

  private void noteConnected() {
    if (!connected) {
      connected = true;
      LOG.info("the tenant state is back; following its changes from {}", next);
    }
  }

  private void noteAway(StateAwayException e) {
    if (connected && closing.getCount() > 0) {
      connected = false;
      LOG.warn("{}; working from memory", e.getMessage());
    }
  }

  private void pause() {
    try {
      if (closing.await(RETRY_PAUSE_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("closing");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
