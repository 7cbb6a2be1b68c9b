package dev.queencell.state.usage;

import dev.queencell.state.control.Ledger;
import dev.queencell.state.store.Row;
import dev.queencell.state.store.Statements;
import java.sql.SQLException;
import java.time.YearMonth;
import java.util.List;
import java.util.UUID;

/**
 * What a cluster used: minute by minute for a graph, by class and by day for an invoice. A month's
 * numbers are those of the days that are added up and the minutes of those that are not, read in
 * one statement, so that a roll-up in between neither hides nor doubles anything. Thread-safe.
 */
public final class UsageReport {
  /** Counts under a name: an operation class or a day. */
  public record Counts(String name, long reqs, long msgs, long bytesIn, long bytesOut) {}

  /** Counts of one minute and class. */
  public record Minute(String minute, Counts counts) {}

  /** A calendar month (UTC) of a cluster. */
  public record Month(YearMonth month, long msgs, List<Counts> byClass, List<Counts> byDay) {}

  public static final int HOURS_MAX = 168;

  private static final int MINUTES_MAX = HOURS_MAX * 60 * Metering.OP_CLASSES.size();

  private static final Statements SQL = Statements.of("usage");
  private static final String MINUTES = SQL.named("minutes_of_cluster");
  private static final String BY_CLASS = SQL.named("month_by_class");
  private static final String BY_DAY = SQL.named("days_of_month");
  private static final String MONTH_MSGS = SQL.named("month_msgs");

  private final Ledger ledger;

  public UsageReport(Ledger ledger) {
    this.ledger = ledger;
  }

  /** The minutes of the last hours that had any use. */
  public List<Minute> minutes(UUID clusterId, int hours) {
    return ledger.read(
        tx ->
            tx.list(
                MINUTES,
                row -> new Minute(row.text("minute"), counts(row, "op_class")),
                clusterId,
                hours,
                MINUTES_MAX));
  }

  /** A month's numbers. */
  public Month month(UUID clusterId, YearMonth month) {
    var first = month.atDay(1).toString();
    return ledger.read(
        tx -> {
          long msgs = tx.one(MONTH_MSGS, row -> row.number("msgs"), clusterId, first).orElseThrow();
          return new Month(
              month,
              msgs,
              tx.list(
                  BY_CLASS,
                  row -> counts(row, "op_class"),
                  clusterId,
                  first,
                  first,
                  clusterId,
                  first,
                  first),
              tx.list(
                  BY_DAY,
                  row -> counts(row, "day"),
                  clusterId,
                  first,
                  first,
                  clusterId,
                  first,
                  first));
        });
  }

  private static Counts counts(Row row, String name) throws SQLException {
    return new Counts(
        row.text(name),
        row.number("reqs"),
        row.number("msgs"),
        row.number("bytes_in"),
        row.number("bytes_out"));
  }
}
