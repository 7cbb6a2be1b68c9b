package dev.queencell.broker.maintenance;

import dev.queencell.broker.maintenance.Switches.Kind;
import dev.queencell.broker.maintenance.Switches.State;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is paused, as this broker knows it: its own changes at once, those of another broker within
 * {@link #REREAD_MS}. While the database is away what was known last holds. Until it is known for
 * the first time pushes count as paused: they are kept on disk then, where nothing is lost whatever
 * the switch says. Thread-safe.
 */
public final class Maintenance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  /** How late another broker's change may be noticed, while the database answers. */
  public static final long REREAD_MS = 2_000;

  private static final long FIRST_READ_MS = 50;
  private static final long CLOSE_MS = 6_000;

  private final Switches switches;
  private final ReentrantLock session = new ReentrantLock();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Set<Runnable> popPauseListeners = ConcurrentHashMap.newKeySet();
  private final Thread reader;
  private volatile State state;

  /** Starts to follow the switches. */
  public Maintenance(Switches switches) {
    this.switches = switches;
    reader = Thread.ofPlatform().name("maintenance").daemon().start(this::follow);
  }

  private void follow() {
    try {
      do {
        try {
          refresh();
        } catch (SQLException e) {
          LOG.debug("the switches can't be read now: {}", e.getMessage());
        }
      } while (!closing.await(state == null ? FIRST_READ_MS : REREAD_MS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads the switches now. */
  public void refresh() throws SQLException {
    session.lock();
    try {
      become(switches.read());
    } finally {
      session.unlock();
    }
  }

  private void become(State now) {
    var before = state;
    state = now;
    if (before != null && !before.equals(now)) {
      LOG.info(
          "pushes {}, pops {}",
          now.push() ? "go to the spool" : "are served",
          now.pop() ? "get nothing" : "are served");
    }
    if (now.pop() && (before == null || !before.pop())) {
      popPauseListeners.forEach(Runnable::run);
    }
  }

  /** Whether the switches have been read at all. */
  public boolean known() {
    return state != null;
  }

  /** Whether pushes go to the spool, and what is spooled stays there. */
  public boolean pushPaused() {
    var now = state;
    return now == null || now.push();
  }

  /** Whether pops are answered with nothing. */
  public boolean popPaused() {
    var now = state;
    return now != null && now.pop();
  }

  /** Whether an operator has paused pushes, as far as is known. */
  public boolean pushSwitch() {
    var now = state;
    return now != null && now.push();
  }

  /**
   * Changes a switch for all brokers.
   *
   * @throws SQLException when the database does not take it; nothing has changed then
   */
  public void set(Kind kind, boolean enabled) throws SQLException {
    session.lock();
    try {
      switches.write(kind, enabled);
      become(switches.read());
    } finally {
      session.unlock();
    }
  }

  /** Has something run when pops become paused, at once if they are; see {@link #forget}. */
  public void onPopPause(Runnable listener) {
    popPauseListeners.add(listener);
    if (popPaused()) {
      listener.run();
    }
  }

  /** Ends what {@link #onPopPause} began. */
  public void forget(Runnable listener) {
    popPauseListeners.remove(listener);
  }

  @Override
  public void close() {
    closing.countDown();
    try {
      reader.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    switches.close();
  }
}
