package dev.queencell.broker.engine;

import dev.queencell.broker.engine.AckGroup.Step;
import dev.queencell.broker.engine.Transactions.Outcome;
import dev.queencell.broker.engine.Transactions.Reason;
import dev.queencell.broker.engine.Transactions.Result;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A transaction's work on one lane: all of it, when it concerns no other; else only the reads that
 * must come before the lanes meet, see {@link LaneMeeting}. Its future has the outcome; null when
 * it was only prepared, and nothing speaks against it.
 */
final class TransactionWork extends Work {
  final CompletableFuture<Outcome> future = new CompletableFuture<>();
  private final TransactionPart part;
  private final int operations;
  private final boolean whole;
  private Outcome outcome;

  /**
   * Makes the work.
   *
   * @param operations of the whole transaction
   * @param whole this lane is the only one
   */
  TransactionWork(UUID tenant, TransactionPart part, int operations, boolean whole) {
    super(tenant);
    this.part = part;
    this.operations = operations;
    this.whole = whole;
  }

  @Override
  WorkKind kind() {
    return WorkKind.PUSH;
  }

  @Override
  int messages() {
    return operations;
  }

  @Override
  void process(Lane lane) {
    var step = part.prepare(lane, this);
    if (step == Step.READING) {
      return;
    }
    if (step == Step.REFUSED) {
      outcome = part.refusal();
    } else if (whole) {
      var results = new Result[operations];
      part.apply(lane, results);
      lane.dedup.release(this);
      outcome = new Outcome(null, null, List.of(results));
    }
    lane.answerAfterCommit(this);
  }

  @Override
  void answer(Lane lane) {
    future.complete(outcome);
  }

  @Override
  boolean again() {
    outcome = null;
    return true;
  }

  @Override
  void fail() {
    future.complete(Outcome.refused(Reason.DB_ERROR, Transactions.REFUSED));
  }

  @Override
  void refuse(EngineUnavailableException why) {
    future.completeExceptionally(why);
  }
}
