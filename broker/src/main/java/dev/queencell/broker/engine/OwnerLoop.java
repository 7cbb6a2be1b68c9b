package dev.queencell.broker.engine;

import dev.queencell.broker.engine.CellTerm.Doubt;
import dev.queencell.broker.engine.Engine.Role;
import dev.queencell.broker.journal.CommitProbe;
import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.FencedSession;
import dev.queencell.broker.store.OwnerRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Becomes the owner of the database when nobody is, stays it, and begins anew after every failure:
 * take the owner row (a new epoch), end the sessions of the epoch before, load, settle the commits
 * in doubt, serve until something breaks. While another broker owns the database this one waits as
 * a standby. One thread; a second one renews the owner row while a term lives.
 */
final class OwnerLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerLoop.class);

  /** How long the ownership outlives its owner; safety never depends on it. */
  private static final long OWNER_TERM_MS = 3_000;

  private static final long RENEW_INTERVAL_MS = 1_000;
  private static final long STANDBY_POLL_MS = 500;

  /** The sessions of a predecessor that was killed end within moments. */
  private static final long PREDECESSOR_POLL_MS = 25;

  private static final int PREDECESSOR_POLLS_MAX = 200;

  /** After a crash of PostgreSQL a session may hang for ever in a server process left behind. */
  private static final int CONTROL_TIMEOUT_SECONDS = 10;

  private static final long RETRY_MS = 250;

  /** Who waits for a commit in doubt is told so after this. */
  private static final long DOUBT_MAX_NANOS = 12_000_000_000L;

  private final CellEngine engine;
  private final Database database;
  private final EngineConfig config;
  private final UUID holder = UUID.randomUUID();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final List<Doubt> doubts = new ArrayList<>();
  private final Carried carried = new Carried();
  private boolean migrated;
  private int predecessorPolls;
  private volatile CellTerm serving;

  OwnerLoop(CellEngine engine, Database database, EngineConfig config) {
    this.engine = engine;
    this.database = database;
    this.config = config;
  }

  @Override
  public void run() {
    try {
      while (!isClosing(0)) {
        try {
          contend();
        } catch (SQLException | RuntimeException e) {
          engine.become(Role.LOADING, null, null);
          LOG.warn("can't own the database now: {}", e.getMessage());
          LOG.debug("cause", e);
          refuseOldDoubts(DOUBT_MAX_NANOS);
          carried.refuse();
          isClosing(RETRY_MS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      refuseOldDoubts(0);
      carried.refuse();
    }
  }

  /** Ends the term in order and gives the ownership up; the thread ends soon after. */
  void close() {
    closing.countDown();
    var term = serving;
    if (term != null) {
      term.lost();
    }
  }

  private void contend() throws SQLException, InterruptedException {
    if (!migrated) {
      database.migrate();
      migrated = true;
    }
    try (var control = database.open("owner", CONTROL_TIMEOUT_SECONDS)) {
      while (!isClosing(0)) {
        var epoch = OwnerRow.take(control, holder, config.ownUrl(), OWNER_TERM_MS);
        if (epoch.isPresent()) {
          own(control, epoch.getAsLong());
          return;
        } else {
          // Another one owns it: what it did since, only it can tell.
          refuseOldDoubts(0);
          carried.refuse();
          var owner = OwnerRow.read(control).url();
          engine.become(Role.STANDBY, null, owner);
          boolean predecessor =
              config.ownUrl().equals(owner) && predecessorPolls++ < PREDECESSOR_POLLS_MAX;
          isClosing(predecessor ? PREDECESSOR_POLL_MS : STANDBY_POLL_MS);
        }
      }
    }
  }

  private void own(Connection control, long epoch) throws SQLException, InterruptedException {
    engine.become(Role.LOADING, null, config.ownUrl());
    var over = new CountDownLatch(1);
    var termHolder = new CellTerm[1];
    // A thread of its own: busy request threads must not keep the owner from its sign of life.
    var renewer =
        Thread.ofPlatform()
            .name("owner-renewal")
            .start(() -> renew(control, epoch, over, () -> lose(termHolder)));
    try {
      CellTerm term;
      try (var fence = database.open("fence")) {
        FencedSession.clear(fence);
        term = new TermLoader(database, config, carried).load(epoch, engine.counters());
        synchronized (termHolder) {
          termHolder[0] = term;
        }
        settleDoubts(fence, term);
      }
      carried.handOver(term);
      term.start();
      serving = term;
      engine.counters().takeovers.increment();
      engine.become(Role.OWNER, term, config.ownUrl());
      LOG.info("owner in epoch {}: {} queues", epoch, term.queueCount());
      if (!isClosing(0)) {
        term.awaitEnd();
      }
      engine.become(Role.LOADING, null, null);
      doubts.addAll(term.end());
    } finally {
      // All that it had in memory goes before the next one is loaded.
      serving = null;
      over.countDown();
      if (!isClosing(0)) {
        // The renewal may hang on a server that is gone; what comes next opens a session of its
        // own.
        control.abort(Runnable::run);
      }
      renewer.join();
    }
    if (isClosing(0)) {
      OwnerRow.release(control);
    }
  }

  private static void lose(CellTerm[] termHolder) {
    synchronized (termHolder) {
      if (termHolder[0] != null) {
        termHolder[0].lost();
      }
    }
  }

  private void renew(Connection control, long epoch, CountDownLatch over, Runnable onLoss) {
    try {
      while (!over.await(RENEW_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        if (!OwnerRow.renew(control, holder, epoch, OWNER_TERM_MS)) {
          LOG.warn("epoch {} has ended: another broker has taken over", epoch);
          onLoss.run();
          return;
        }
      }
    } catch (SQLException e) {
      LOG.warn("can't renew the ownership: {}", e.getMessage());
      onLoss.run();
    } catch (InterruptedException e) {
      onLoss.run();
    }
  }

  /** Answers those whose commit was in doubt, by what the database says now. */
  private void settleDoubts(Connection connection, CellTerm term) throws SQLException {
    for (var doubt : List.copyOf(doubts)) {
      boolean happened = CommitProbe.happened(connection, doubt.commit());
      LOG.info(
          "a commit in doubt {} ({} requests)",
          happened ? "had happened" : "had not happened",
          doubt.answers().size());
      doubts.remove(doubt);
      for (var work : doubt.answers()) {
        if (happened) {
          work.answer(term.lanes().getFirst());
        } else {
          work.refuse(CellTerm.over());
        }
      }
    }
  }

  private void refuseOldDoubts(long olderThanNanos) {
    doubts.removeIf(
        doubt -> {
          boolean old = System.nanoTime() - doubt.sinceNanos() >= olderThanNanos;
          if (old) {
            doubt.answers().forEach(work -> work.refuse(CellTerm.inDoubt()));
          }
          return old;
        });
  }

  private boolean isClosing(long waitMs) throws InterruptedException {
    return closing.await(waitMs, TimeUnit.MILLISECONDS);
  }
}
