package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What each statement cost during a run: two snapshots of {@code pg_stat_statements}, where it is
 * loaded, and the difference between them. Not thread-safe.
 */
final class StatementTotals {
  private static final List<String> NUMBERS =
      List.of("calls", "rows", "execMicros", "walBytes", "blocksHit", "blocksRead");

  /** No such view; or the view is there but the server was started without the library. */
  private static final Set<String> NOT_INSTALLED = Set.of("42P01", "55000");

  private final Map<String, Statement> before;

  private record Statement(String id, String query, Map<String, Long> totals) {}

  private StatementTotals(Map<String, Statement> before) {
    this.before = before;
  }

  /** Takes the first snapshot; nothing where the extension is not installed. */
  static Optional<StatementTotals> begin(Postgres postgres) throws SQLException {
    try {
      return Optional.of(new StatementTotals(snapshot(postgres)));
    } catch (SQLException e) {
      if (NOT_INSTALLED.contains(String.valueOf(e.getSQLState()))) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Takes the second snapshot and writes the differences, the dearest statement first. */
  void end(Postgres postgres, Path file) throws SQLException, IOException {
    var rows = new ArrayList<Statement>();
    snapshot(postgres)
        .forEach(
            (id, after) -> {
              var increase = increase(before.get(id), after);
              if (increase.totals().get("calls") > 0) {
                rows.add(increase);
              }
            });
    rows.sort(
        Comparator.comparingLong((Statement row) -> row.totals().get("execMicros")).reversed());
    var header = new ArrayList<>(List.of("queryId"));
    header.addAll(NUMBERS);
    header.add("query");
    try (var out = new CsvFile.Writer(file, header)) {
      for (var row : rows) {
        var cells = new ArrayList<>(List.of(row.id()));
        NUMBERS.forEach(number -> cells.add(Long.toString(row.totals().get(number))));
        cells.add(row.query());
        out.row(cells);
      }
    }
  }

  private static Statement increase(Statement before, Statement after) {
    if (before == null || after.totals().get("calls") < before.totals().get("calls")) {
      return after;
    }
    var totals = new LinkedHashMap<String, Long>();
    NUMBERS.forEach(
        number -> totals.put(number, after.totals().get(number) - before.totals().get(number)));
    return new Statement(after.id(), after.query(), totals);
  }

  private static Map<String, Statement> snapshot(Postgres postgres) throws SQLException {
    return postgres.inside(
        Queries.STATEMENTS,
        rows -> {
          var statements = new LinkedHashMap<String, Statement>();
          while (rows.next()) {
            var totals = new LinkedHashMap<String, Long>();
            for (var number : NUMBERS) {
              totals.put(number, rows.getLong(number));
            }
            var id = String.valueOf(rows.getString("queryId"));
            var query = String.valueOf(rows.getString("query"));
            statements.merge(id, new Statement(id, query, totals), StatementTotals::sum);
          }
          return statements;
        },
        postgres.database());
  }

  /** One statement has an entry per user that ran it. */
  private static Statement sum(Statement one, Statement other) {
    var totals = new LinkedHashMap<String, Long>();
    NUMBERS.forEach(
        number -> totals.put(number, one.totals().get(number) + other.totals().get(number)));
    return new Statement(one.id(), one.query(), totals);
  }
}
