package dev.queencell.state.usage;

import dev.queencell.state.control.Ledger;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Whether clusters are used: what a list of customers shows beside each. Times are those of the
 * metering, to the minute, or to the day where the minutes are gone. Thread-safe.
 */
public final class Activity {
  public static final int CLUSTERS_MAX = 256;

  /**
   * One cluster's signs of life; times are null where there was none.
   *
   * @param clusterId null when there is no such cluster
   * @param retainedBytes as last measured, or null before the first time
   */
  public record Signs(
      String slug,
      UUID clusterId,
      String lastActivityAt,
      String firstPushAt,
      String lastKeyUsedAt,
      Long retainedBytes) {}

  private static final String ACTIVITY = Statements.of("usage").named("activity");

  private final Ledger ledger;

  public Activity(Ledger ledger) {
    this.ledger = ledger;
  }

  /** In the order asked. */
  public List<Signs> of(List<String> slugs) {
    return ledger.read(
        tx -> tx.list(ACTIVITY, Activity::read, (Object) slugs.toArray(String[]::new)));
  }

  private static Signs read(Row row) throws SQLException {
    return new Signs(
        row.text("slug"),
        row.uuid("id"),
        row.text("last_activity_at"),
        row.text("first_push_at"),
        row.text("last_key_used_at"),
        row.numberOrNull("retained_bytes"));
  }
}
