package dev.queencell.state.edge;

import dev.queencell.service.HttpProblem;
import dev.queencell.state.store.Database;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the edge must forget, in commit order, handed to followers that wait for it. A commit of
 * this process wakes them at once ({@link #wake()}); a change made by another process or by hand is
 * found by looking again every second.
 *
 * <p>Thread-safe.
 */
public final class ChangeFeed implements AutoCloseable {
  /** One thing to forget. */
  public record Change(
      long seq, String kind, String clusterId, String clusterSlug, String keyHash, String jti) {}

  /**
   * An answer to a follower.
   *
   * @param epoch which life of the database the numbers belong to
   * @param next the position to ask from next time
   * @param reset the follower's position is not of this feed, or too old: it must forget everything
   */
  public record Page(UUID epoch, long next, boolean reset, List<Change> changes) {}

  private record Position(UUID epoch, long first, long last) {}

  public static final int PAGE_ROWS_MAX = 1000;
  public static final long WAIT_MAX_MS = 30_000;

  private static final long LOOK_AGAIN_MS = 1_000;
  private static final Duration KEPT = Duration.ofDays(1);

  private static final Statements SQL = Statements.of("edge");
  private static final String POSITION = SQL.named("feed_position");
  private static final String AFTER = SQL.named("changes_after");
  private static final String PRUNE = SQL.named("prune_changes");

  private final Database database;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long wakes;
  private volatile boolean closed;

  public ChangeFeed(Database database) {
    this.database = database;
  }

  /** Tells waiting followers to look. */
  public void wake() {
    lock.lock();
    try {
      wakes++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Where the feed stands: what a follower that remembers nothing starts from. */
  public Page start() {
    var position = database.transaction(tx -> tx.one(POSITION, ChangeFeed::readPosition));
    return position.map(now -> new Page(now.epoch(), now.last(), true, List.of())).orElseThrow();
  }

  /**
   * What came after a position, waiting for something if there is nothing yet.
   *
   * @param waitMs at most this long, and at most {@link #WAIT_MAX_MS}
   */
  public Page after(UUID epoch, long seq, long waitMs) throws InterruptedException {
    long deadline =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(waitMs, WAIT_MAX_MS));
    while (true) {
      long seen = wakes();
      var page = look(epoch, seq);
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (page.reset() || !page.changes().isEmpty() || leftMs <= 0) {
        return page;
      }
      if (closed) {
        throw new HttpProblem(503, "the service is stopping", "unavailable");
      }
      await(seen, Math.min(leftMs, LOOK_AGAIN_MS));
    }
  }

  /** Answers all that wait, so that a stop need not wait for them. */
  @Override
  public void close() {
    closed = true;
    wake();
  }

  /** Drops rows that every living follower has long seen; answers how many. */
  public int prune() {
    return database.transaction(tx -> tx.change(PRUNE, (double) KEPT.toSeconds()));
  }

  private Page look(UUID epoch, long seq) {
    return database.transaction(
        tx -> {
          var now = tx.one(POSITION, ChangeFeed::readPosition).orElseThrow();
          boolean known = now.epoch().equals(epoch) && seq <= now.last() && seq >= now.first() - 1;
          if (!known) {
            return new Page(now.epoch(), now.last(), true, List.of());
          }
          var changes = tx.list(AFTER, ChangeFeed::readChange, seq, PAGE_ROWS_MAX);
          long next = changes.isEmpty() ? seq : changes.getLast().seq();
          return new Page(now.epoch(), next, false, changes);
        });
  }

  private long wakes() {
    lock.lock();
    try {
      return wakes;
    } finally {
      lock.unlock();
    }
  }

  private void await(long seen, long waitMs) throws InterruptedException {
    long leftNs = TimeUnit.MILLISECONDS.toNanos(waitMs);
    lock.lock();
    try {
      while (wakes == seen && leftNs > 0) {
        leftNs = changed.awaitNanos(leftNs);
      }
    } finally {
      lock.unlock();
    }
  }

  private static Position readPosition(Row row) throws SQLException {
    return new Position(row.uuid("epoch"), row.number("first_seq"), row.number("last_seq"));
  }

  private static Change readChange(Row row) throws SQLException {
    return new Change(
        row.number("seq"),
        row.text("kind"),
        row.text("cluster_id"),
        row.text("cluster_slug"),
        row.text("key_hash"),
        row.text("jti"));
  }
}
