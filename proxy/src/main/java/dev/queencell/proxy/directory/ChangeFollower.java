package dev.queencell.proxy.directory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Follows the change feed on a thread of its own, so that what was revoked or suspended stops
 * working at once. While the service is away it tries again and again; the feed remembers what it
 * said meanwhile, and says {@code reset} when it doesn't.
 */
public final class ChangeFollower implements AutoCloseable {
  /** Is told what changed, after the directory forgot it. */
  @FunctionalInterface
  public interface Listener {
    /** The kind of a change of everything: the feed lost its thread. */
    String ALL = "all";

    /**
     * Something changed.
     *
     * @param kind the feed's word for it
     * @param clusterId whose, or empty
     */
    void changed(String kind, String clusterId);
  }

  private static final Logger LOG = LoggerFactory.getLogger(ChangeFollower.class);
  private static final long RETRY_PAUSE_MS = 250;

  private final StateService service;
  private final Directory directory;
  private final Listener listener;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean connected;
  private String epoch;
  private long next;

  private ChangeFollower(StateService service, Directory directory, Listener listener) {
    this.service = service;
    this.directory = directory;
    this.listener = listener;
    this.thread = Thread.ofVirtual().name("change-feed").unstarted(this::follow);
  }

  /**
   * Takes a position in the feed and follows it from there.
   *
   * @throws StateAwayException when the service is not there yet
   */
  public static ChangeFollower start(StateService service, Directory directory, Listener listener) {
    var follower = new ChangeFollower(service, directory, listener);
    follower.take(service.feedStart());
    follower.connected = true;
    follower.thread.start();
    return follower;
  }

  /** Follows from whenever the service is there: until then, what is remembered has to do. */
  public static ChangeFollower startAway(
      StateService service, Directory directory, Listener listener) {
    var follower = new ChangeFollower(service, directory, listener);
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
        take(epoch == null ? service.feedStart() : service.feedAfter(epoch, next));
        noteConnected();
      } catch (StateAwayException e) {
        noteAway(e);
        pause();
      } catch (RuntimeException e) {
        LOG.error("a page of the change feed is unusable; forgetting everything", e);
        directory.doubtAll();
        listener.changed(Listener.ALL, "");
        pause();
      }
    }
  }

  private void take(StateService.Feed page) {
    if (page.reset()) {
      directory.doubtAll();
      listener.changed(Listener.ALL, "");
    }
    for (var change : page.changes()) {
      apply(change);
    }
    epoch = page.epoch();
    next = page.next();
  }

  private void apply(JsonNode change) {
    directory.forget(change);
    listener.changed(
        change.path("kind").asString(Listener.ALL), change.path("cluster_id").asString(""));
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
