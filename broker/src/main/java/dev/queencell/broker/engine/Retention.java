package dev.queencell.broker.engine;

import dev.queencell.broker.engine.Expiry.Dead;
import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.ExpiryStore;
import dev.queencell.broker.store.FencedSession;
import dev.queencell.broker.store.OwnershipLostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes away what nobody is to keep, beside the lanes: reads for them what has become too old,
 * deletes what they have given up, empties slots of the rings, and cleans up after partitions that
 * are gone. One thread and one session of its own, inside the fence like a journal's, so that a
 * deposed owner deletes nothing; every statement is bounded, so that it never holds anybody up.
 *
 * <p>It deletes only what is dead by what is durable: rows below the first offset that a lane has
 * committed, rows of partitions that are gone. So a crash at any moment leaves at worst dead rows,
 * and those are found again.
 */
final class Retention implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  /** Partitions that are looked at together. */
  private static final int PARTITIONS_MAX = 100;

  private static final long CLEANUP_INTERVAL_NANOS = 60_000_000_000L;
  private static final long JOIN_MS = 3_000;

  /** Losing the last deletions in a crash costs nothing; waiting for the disk would. */
  private static final String SESSION_SETTINGS =
      "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off;"
          + " SET jit = off; SET statement_timeout = '30s'; SET lock_timeout = '50ms';"
          + " SET synchronous_commit = off";

  private final CellTerm term;
  private final Database database;
  private final RetentionConfig config;
  private final Slots slots;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().name("retention").unstarted(this);

  /** Written by this thread once it runs; closed by others, which ends what it is at. */
  private volatile Connection connection;

  private volatile boolean reclaimDue = true;
  private long nextCleanupNanos = System.nanoTime();

  private Retention(CellTerm term, Database database, RetentionConfig config, LaneClock clock) {
    this.term = term;
    this.database = database;
    this.config = config;
    this.slots = new Slots(term, clock, config.batchSize());
  }

  /** Opens the session of a term that is being loaded, and tells its lanes where to write. */
  static Retention open(CellTerm term, Database database, RetentionConfig config, LaneClock clock)
      throws SQLException {
    var retention = new Retention(term, database, config, clock);
    retention.connection = retention.enter();
    try {
      retention.slots.load(retention.connection);
      return retention;
    } catch (SQLException | RuntimeException e) {
      retention.close();
      throw e;
    }
  }

  private Connection enter() throws SQLException {
    var entered = FencedSession.enter(database, "retention", term.epoch);
    try (var statement = entered.createStatement()) {
      statement.execute(SESSION_SETTINGS);
      return entered;
    } catch (SQLException e) {
      entered.close();
      throw e;
    }
  }

  void start() {
    thread.start();
  }

  /** There are partitions whose rows are to be cleaned up. */
  void reclaim() {
    reclaimDue = true;
  }

  @Override
  public void run() {
    try {
      while (!isClosing(config.intervalMs())) {
        try {
          if (connection.isClosed()) {
            connection = enter();
          }
          cycle(connection);
        } catch (OwnershipLostException e) {
          return;
        } catch (SQLException | EngineUnavailableException e) {
          if (!isClosing(0)) {
            LOG.warn("retention is held up: {}", e.getMessage());
            LOG.debug("cause", e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosing(long waitMs) throws InterruptedException {
    return closing.await(waitMs, TimeUnit.MILLISECONDS);
  }

  private void cycle(Connection session) throws SQLException, InterruptedException {
    var store = new ExpiryStore(session);
    for (var lane : term.lanes()) {
      while (!isClosing(0) && lane.expiry.nextMicros() <= slots.nowMicros()) {
        if (!expire(store, lane)) {
          break;
        }
      }
    }
    if (System.nanoTime() - nextCleanupNanos >= 0) {
      nextCleanupNanos = System.nanoTime() + CLEANUP_INTERVAL_NANOS;
      cleanUp(store);
    }
    if (reclaimDue) {
      reclaimDue = false;
      reclaim(store);
    }
    slots.tend(session);
  }

  /** Takes away what is due of some partitions of a lane; false when there were none. */
  private boolean expire(ExpiryStore store, Lane lane) throws SQLException, InterruptedException {
    var due = on(lane, l -> l.expiry.take(PARTITIONS_MAX));
    if (due.isEmpty()) {
      return false;
    }
    try {
      int headsMax = Math.max(2, config.batchSize() / due.size());
      var heads = store.heads(due.stream().map(Expiry::start).toList(), headsMax);
      var dead = on(lane, l -> l.expiry.expire(due, heads));
      sweep(store, dead.stream().map(Dead::start).toList());
      on(lane, l -> l.expiry.swept(dead));
      return true;
    } catch (SQLException e) {
      on(lane, l -> l.expiry.putBack(due));
      throw e;
    }
  }

  private void sweep(ExpiryStore store, List<ExpiryStore.Start> starts)
      throws SQLException, InterruptedException {
    while (!starts.isEmpty()
        && !isClosing(0)
        && store.sweep(starts, config.batchSize()) == config.batchSize()) {
      // There may be more.
    }
  }

  private void cleanUp(ExpiryStore store) throws SQLException {
    for (var lane : term.lanes()) {
      if (lane.expiry.unusedWaits()) {
        var unused = on(lane, l -> l.expiry.takeUnused(config.batchSize()));
        var ids = unused.stream().map(partition -> partition.id).toList();
        try {
          var kept = store.withDeadLetters(ids);
          int removed = on(lane, l -> l.expiry.removeUnused(unused, kept));
          LOG.info("removed {} partitions that were empty and unused", removed);
        } catch (SQLException e) {
          on(lane, l -> l.expiry.putBack(unused));
          throw e;
        }
      }
    }
  }

  /** Deletes what partitions that are gone have left in the buckets that are never emptied. */
  private void reclaim(ExpiryStore store) throws SQLException, InterruptedException {
    long after = 0;
    for (var ids = store.reclaims(after, PARTITIONS_MAX);
        !ids.isEmpty();
        ids = store.reclaims(after, PARTITIONS_MAX)) {
      sweep(
          store,
          ids.stream().map(id -> new ExpiryStore.Start(id, Long.MAX_VALUE, (short) 0)).toList());
      while (!isClosing(0) && store.reclaimHashes(ids, config.batchSize()) == config.batchSize()) {
        // There may be more.
      }
      while (!isClosing(0) && store.reclaimKeys(ids, config.batchSize()) == config.batchSize()) {
        // There may be more.
      }
      if (isClosing(0)) {
        return;
      }
      store.reclaimed(ids);
      after = ids.getLast();
    }
  }

  private <T> T on(Lane lane, LaneTask.Body<T> body) {
    return on(term, lane, body);
  }

  /** Runs on a lane; returns after what it changed is durable. */
  static <T> T on(CellTerm term, Lane lane, LaneTask.Body<T> body) {
    var task = new LaneTask<>(null, body);
    term.post(lane, task);
    return LaneCalls.required(task.future);
  }

  /** Ends what is under way. */
  void close() {
    closing.countDown();
    try {
      connection.abort(Runnable::run);
      thread.join(JOIN_MS);
    } catch (SQLException e) {
      // The session is gone, which is what was wanted.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
