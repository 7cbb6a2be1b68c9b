package dev.queencell.broker.engine;

import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.HistoryReader;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes history that is older than it is kept, beside the lanes and in small batches: at most
 * once an hour, when a lane has just written some, so that an idle cell does nothing. What it
 * deletes nobody writes any more, so that it needs no fence. Thread-safe.
 */
final class HistoryPruner {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryPruner.class);
  private static final int INTERVAL_MINUTES = 60;
  private static final int KEPT_MINUTES = Analytics.HISTORY_DAYS * 24 * 60;
  private static final int BATCH_ROWS = 5_000;

  private final Database database;
  private final AtomicInteger lastMinute = new AtomicInteger();

  HistoryPruner(Database database) {
    this.database = database;
  }

  /** It is this minute; prunes if it is time to. */
  void tick(int minute) {
    int last = lastMinute.get();
    if (minute - last >= INTERVAL_MINUTES && lastMinute.compareAndSet(last, minute)) {
      Thread.ofVirtual().name("history-pruner").start(() -> prune(minute - KEPT_MINUTES));
    }
  }

  private void prune(int beforeMinute) {
    try (var session = database.open("history")) {
      var reader = new HistoryReader(session);
      while (reader.prune(beforeMinute, BATCH_ROWS) == BATCH_ROWS) {
        LOG.debug("pruned {} rows of history", BATCH_ROWS);
      }
    } catch (SQLException e) {
      LOG.info("history is pruned later: {}", e.getMessage());
    }
  }
}
