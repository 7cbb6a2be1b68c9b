package dev.queencell.state.usage;

import dev.queencell.state.store.Database;
import dev.queencell.state.store.Statements;

/**
 * Adds minutes up to days and drops minutes that are old. A day is added up anew whenever a batch
 * touched it since, one transaction per day, so that it can be broken off and repeated at will.
 * Thread-safe.
 */
public final class RollUp {
  /** Minutes are kept at least as long as batches for their day may come. */
  public static final int KEEP_DAYS_MIN = Metering.MINUTE_AGE_DAYS_MAX + 2;

  private static final Statements SQL = Statements.of("usage");
  private static final String PATIENTLY = SQL.named("patiently");
  private static final String CLOSED_OPEN_DAYS = SQL.named("closed_open_days");
  private static final String ROLL_UP_DAY = SQL.named("roll_up_day");
  private static final String CLOSE_DAY = SQL.named("close_day");
  private static final String PRUNE_MINUTES = SQL.named("prune_minutes");
  private static final String PRUNE_BATCHES = SQL.named("prune_batches");

  private final Database database;
  private final int keepDays;

  /**
   * @param keepDays how long minutes are kept, at least {@link #KEEP_DAYS_MIN}
   */
  public RollUp(Database database, int keepDays) {
    this.database = database;
    this.keepDays = keepDays;
  }

  /** Adds up every closed day that changed, then prunes; answers how many days. */
  public int run() {
    int days = 0;
    while (rollUpOne()) {
      days++;
    }
    prune(PRUNE_MINUTES, keepDays);
    prune(PRUNE_BATCHES, Metering.BATCH_KEPT_DAYS);
    return days;
  }

  private void prune(String statement, int days) {
    var _ =
        database.transaction(
            tx -> {
              tx.run(PATIENTLY);
              return tx.change(statement, days);
            });
  }

  private boolean rollUpOne() {
    return database.transaction(
        tx -> {
          tx.run(PATIENTLY);
          var day = tx.one(CLOSED_OPEN_DAYS, row -> row.text("day"));
          if (day.isEmpty()) {
            return false;
          }
          tx.change(ROLL_UP_DAY, day.get(), day.get(), day.get());
          tx.change(CLOSE_DAY, day.get());
          return true;
        });
  }
}
