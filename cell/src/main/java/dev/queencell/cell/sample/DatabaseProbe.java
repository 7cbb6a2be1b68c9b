package dev.queencell.cell.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes what PostgreSQL did since the last sample, and what its backends wait for right now. The
 * views with one entry per table, and the size, cost the cell real work, so they are read only
 * every few samples.
 */
final class DatabaseProbe implements Sampling.Probe {
  private static final int TABLES_EVERY_SAMPLES = 5;
  private static final String GENERATION = "Generation";

  private final Postgres postgres;
  private final CsvFile.Writer counters;
  private final CsvFile.Writer waits;
  private final Increases increases = new Increases();
  private Queries query;
  private long samples;
  private long lastMonotonicMs = Sample.UNKNOWN;
  private long ownSubtracted;

  DatabaseProbe(Postgres postgres, Path folder, String runId) throws IOException {
    this.postgres = postgres;
    this.counters = SampleFile.DATABASE.create(folder, runId);
    this.waits = SampleFile.WAITS.create(folder, runId);
  }

  @Override
  public void sample(Clock.Instant now) throws SQLException, IOException {
    writeCounters(now);
    writeWaits(now);
    samples++;
  }

  @Override
  public void close() throws IOException {
    postgres.close();
    counters.close();
    waits.close();
  }

  private void writeCounters(Clock.Instant now) throws SQLException, IOException {
    if (query == null) {
      query = Queries.counters(postgres.release());
    }
    var values = new HashMap<String, Long>();
    boolean found =
        postgres.outside(query, rows -> increases.read(rows, values), postgres.database());
    if (!found) {
      throw new SQLException("there is no database " + postgres.database());
    }
    values.computeIfPresent("commits", (column, commits) -> commits - ownAmong(commits));
    if (samples % TABLES_EVERY_SAMPLES == 0) {
      postgres.inside(Queries.TABLES, rows -> increases.read(rows, values));
    }
    long spanMs = lastMonotonicMs == Sample.UNKNOWN ? 0 : now.monotonicMs() - lastMonotonicMs;
    lastMonotonicMs = now.monotonicMs();
    counters.row(
        SampleFile.DATABASE.row(
            new Sample(now.monotonicMs(), now.epochMs(), spanMs, Map.of(), values)));
  }

  /**
   * How many of the commits seen are this sampler's. PostgreSQL shows a commit up to some seconds
   * after it happened, so one that can't be among these is left for a later sample.
   */
  private long ownAmong(long commits) {
    long own = Math.min(commits, postgres.commitsInside() - ownSubtracted);
    ownSubtracted += own;
    return own;
  }

  private void writeWaits(Clock.Instant now) throws SQLException, IOException {
    var found =
        postgres.outside(
            Queries.WAITS,
            rows -> {
              var list = new ArrayList<Sample>();
              while (rows.next()) {
                list.add(wait(now, rows));
              }
              return list;
            },
            Postgres.APPLICATION_NAME);
    for (var wait : found) {
      waits.row(SampleFile.WAITS.row(wait));
    }
  }

  private static Sample wait(Clock.Instant now, ResultSet row) throws SQLException {
    var labels = new HashMap<String, String>();
    for (var label : new String[] {"database", "backendType", "waitEventType", "waitEvent"}) {
      labels.put(label, row.getString(label));
    }
    return new Sample(
        now.monotonicMs(), now.epochMs(), 0, labels, Map.of("backends", row.getLong("backends")));
  }

  /** The counters of all columns, by name, across samples. */
  private static final class Increases {
    private final Map<String, Counter> counters = new HashMap<>();

    /**
     * Takes the single row of a query: counters as increases, states as they are.
     *
     * @return false when the query has no row
     */
    private boolean read(ResultSet row, Map<String, Long> values) throws SQLException {
      if (!row.next()) {
        return false;
      }
      var generation = "";
      var columns = row.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        var column = columns.getColumnLabel(i);
        if (column.endsWith(GENERATION)) {
          generation = row.getString(i) == null ? "" : row.getString(i);
          continue;
        }
        long reading = row.getLong(i);
        long value = row.wasNull() ? Sample.UNKNOWN : reading;
        if (!DatabaseColumns.STATES.contains(column)) {
          value =
              counters.computeIfAbsent(column, name -> new Counter()).increase(generation, value);
        }
        if (value != Sample.UNKNOWN) {
          values.put(column, value);
        }
      }
      return true;
    }
  }
}
