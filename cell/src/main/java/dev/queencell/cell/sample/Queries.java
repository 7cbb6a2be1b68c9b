package dev.queencell.cell.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The SQL resources of this package, by name. */
enum Queries {
  COUNTERS_14("counters-14.sql"),
  COUNTERS_17("counters-17.sql"),
  COUNTERS_18("counters-18.sql"),
  TABLES("tables.sql"),
  WAITS("waits.sql"),
  STATEMENTS("statements.sql"),
  SETTINGS("settings.sql");

  private static final int OLDEST_RELEASE = 14;

  private final String sql;

  Queries(String resource) {
    try (var in = Queries.class.getResourceAsStream(resource)) {
      this.sql = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String sql() {
    return sql;
  }

  /**
   * The counters' query for a release of PostgreSQL; 17 moved the checkpoint counters to a view of
   * their own, 18 the WAL's writes and syncs into pg_stat_io.
   *
   * @throws IllegalArgumentException for a release that has no WAL counters
   */
  static Queries counters(int release) {
    if (release < OLDEST_RELEASE) {
      throw new IllegalArgumentException(
          "PostgreSQL %d can't be sampled; it takes %d or newer"
              .formatted(release, OLDEST_RELEASE));
    }
    if (release >= 18) {
      return COUNTERS_18;
    }
    return release == 17 ? COUNTERS_17 : COUNTERS_14;
  }
}
