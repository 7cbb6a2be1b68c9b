package dev.queencell.broker.engine;

import dev.queencell.broker.engine.AckGroup.Step;
import dev.queencell.broker.engine.Transactions.Outcome;
import dev.queencell.broker.engine.Transactions.Reason;
import dev.queencell.broker.engine.Transactions.Result;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * One lane's presence at a transaction over several lanes. The first lane's thread decides on the
 * memory of all; the rows of all go into its commit, so that the transaction is one transaction of
 * PostgreSQL too.
 */
final class MeetingWork extends Work {
  private final Meeting shared;
  private final Lane own;

  /** What the lanes' works have in common. */
  static final class Meeting {
    final LaneMeeting place;
    final SortedMap<Integer, TransactionPart> parts;
    final int operations;

    /** The outcome; null when something must be read first. */
    final CompletableFuture<Outcome> future = new CompletableFuture<>();

    private Outcome outcome;

    Meeting(SortedMap<Integer, TransactionPart> parts, int operations) {
      this.parts = parts;
      this.operations = operations;
      this.place = new LaneMeeting(parts.size());
    }
  }

  MeetingWork(UUID tenant, Meeting shared, Lane own) {
    super(tenant);
    this.shared = shared;
    this.own = own;
  }

  @Override
  WorkKind kind() {
    return WorkKind.PUSH;
  }

  @Override
  int messages() {
    return shared.operations;
  }

  @Override
  void process(Lane lane) throws SQLException {
    // What was decided before is durable before anything new rides with another lane's commit.
    lane.flush(System.nanoTime());
    if (!isFirst()) {
      shared.place.attend();
    } else if (!shared.place.open()) {
      shared.future.completeExceptionally(CellTerm.over());
    } else {
      try {
        decide(lane);
        shared.place.close();
      } catch (SQLException | RuntimeException e) {
        shared.place.fail();
        throw e;
      }
    }
  }

  private void decide(Lane first) throws SQLException {
    var lanes = new ArrayList<Lane>();
    shared.parts.keySet().forEach(number -> lanes.add(first.term().lanes().get(number)));
    for (var lane : lanes) {
      var readAhead = new ReadAhead(tenant);
      var step = shared.parts.get(lane.number).prepare(lane, readAhead);
      if (step != Step.READING) {
        // Nobody forgets anything until all is done.
        lane.dedup.release(readAhead);
      }
      if (step == Step.READING) {
        shared.future.complete(null);
        return;
      }
      if (step == Step.REFUSED) {
        shared.future.complete(shared.parts.get(lane.number).refusal());
        return;
      }
    }
    var results = new Result[shared.operations];
    for (var lane : lanes) {
      shared.parts.get(lane.number).apply(lane, results);
    }
    shared.outcome = new Outcome(null, null, List.of(results));
    first.answerAfterCommit(this);
    first.flushFor(lanes);
  }

  @Override
  void answer(Lane lane) {
    shared.future.complete(shared.outcome);
  }

  @Override
  void refuse(EngineUnavailableException why) {
    // Once it was opened only the first lane's commit can tell.
    if (shared.place.callOff() || isFirst()) {
      shared.future.completeExceptionally(why);
    }
  }

  @Override
  void fail() {
    // Its commit holds nothing but the transaction: that is at fault.
    shared.future.complete(Outcome.refused(Reason.DB_ERROR, Transactions.REFUSED));
  }

  private boolean isFirst() {
    return own.number == shared.parts.firstKey();
  }

  /** Waits for a read whose result the next attempt will find. */
  private static final class ReadAhead extends Work {
    ReadAhead(UUID tenant) {
      super(tenant);
    }

    @Override
    void process(Lane lane) {
      lane.dedup.release(this);
    }

    @Override
    void answer(Lane lane) {}

    @Override
    void refuse(EngineUnavailableException why) {}
  }
}
