package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A few sessions for reads that people ask for: they run on the request's own thread, beside the
 * lanes, and at most {@link #SESSIONS_MAX} at a time, so that they can neither hold a lane up nor
 * take PostgreSQL away from it. Every read has a time limit. Sessions are opened when they are
 * first needed and kept. Thread-safe.
 */
public final class ReadSessions implements AutoCloseable {
  /** Reads at one time. */
  public static final int SESSIONS_MAX = 4;

  /** How long a read may wait for its turn. */
  private static final long TURN_MS_MAX = 10_000;

  private static final String SESSION_SETTINGS =
      "SET statement_timeout = '10s'; SET jit = off; SET plan_cache_mode = force_custom_plan; SET default_transaction_read_only = on";

  private final Database database;
  private final Semaphore turns = new Semaphore(SESSIONS_MAX, true);
  private final Deque<Connection> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * A read.
   *
   * @param <T> what it finds
   */
  @FunctionalInterface
  public interface Reading<T> {
    T read(Connection session) throws SQLException;
  }

  public ReadSessions(Database database) {
    this.database = database;
  }

  /**
   * Reads on a session of its own; each statement sees its own snapshot.
   *
   * @throws SQLException also when no session becomes free in time
   */
  public <T> T read(Reading<T> reading) throws SQLException {
    boolean turn;
    try {
      turn = turns.tryAcquire(TURN_MS_MAX, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      turn = false;
    }
    if (!turn) {
      throw new SQLException("no session for a read became free in time", "53300");
    }
    try {
      var kept = kept();
      if (kept != null) {
        try {
          return read(kept, reading);
        } catch (SQLException e) {
          if (!Database.sessionLost(e)) {
            throw e;
          }
          // It was lost while it was idle, or PostgreSQL is away: a new one will tell.
        }
      }
      return read(open(), reading);
    } finally {
      turns.release();
    }
  }

  private <T> T read(Connection session, Reading<T> reading) throws SQLException {
    boolean sound = false;
    try {
      var found = reading.read(session);
      sound = true;
      return found;
    } catch (SQLException e) {
      sound = !Database.sessionLost(e);
      throw e;
    } finally {
      giveBack(session, sound);
    }
  }

  private Connection kept() {
    synchronized (idle) {
      return idle.poll();
    }
  }

  private Connection open() throws SQLException {
    var session = database.open("read");
    try (var statement = session.createStatement()) {
      statement.execute(SESSION_SETTINGS);
    } catch (SQLException e) {
      session.close();
      throw e;
    }
    return session;
  }

  private void giveBack(Connection session, boolean sound) throws SQLException {
    synchronized (idle) {
      if (sound && !closed) {
        idle.push(session);
        return;
      }
    }
    session.close();
  }

  /** Sessions that wait for a reader. */
  public int idle() {
    synchronized (idle) {
      return idle.size();
    }
  }

  /** Sessions that are open. */
  public int sessions() {
    return idle() + SESSIONS_MAX - turns.availablePermits();
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
      for (var session : idle) {
        try {
          session.close();
        } catch (SQLException e) {
          // It is gone, which is what was wanted.
        }
      }
      idle.clear();
    }
  }
}
