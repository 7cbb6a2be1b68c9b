package dev.queencell.state.control;

import dev.queencell.state.store.Database;
import java.sql.SQLException;

/**
 * The only door through which tenant state changes: one transaction per call, with the audit rows
 * and the change-feed rows inside it, and a signal to waiting followers after the commit.
 *
 * <p>Thread-safe.
 */
public final class Ledger {
  /** What a call does inside its transaction. */
  @FunctionalInterface
  public interface Work<T> {
    T run(Mutation mutation) throws SQLException;
  }

  private record Outcome<T>(T value, boolean edgeMustKnow) {}

  private final Database database;
  private final Runnable afterChange;

  /**
   * @param afterChange called after each commit that added to the change feed
   */
  public Ledger(Database database, Runnable afterChange) {
    this.database = database;
    this.afterChange = afterChange;
  }

  /** Runs one change, see the class comment. */
  public <T> T write(Work<T> work) {
    var outcome =
        database.transaction(
            tx -> {
              var mutation = new Mutation(tx);
              var value = work.run(mutation);
              return new Outcome<>(value, mutation.conclude());
            });
    if (outcome.edgeMustKnow()) {
      afterChange.run();
    }
    return outcome.value();
  }

  /** Reads in a transaction that changes nothing. */
  public <T> T read(Database.Work<T> work) {
    return database.transaction(work);
  }
}
