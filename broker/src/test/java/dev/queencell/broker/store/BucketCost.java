package dev.queencell.broker.store;

import dev.queencell.cell.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Measures what buckets cost where nothing is ever taken away: rows of values into one plain table,
 * and the same rows into the bucket that keeps, through the partitioned table; by turns, in one
 * run. Prints microseconds per statement, its commit included, and of a read of ten segments; the
 * server's disk syncs are off, so that they do not hide the difference.
 */
public final class BucketCost {
  private static final int ROUNDS = 9;
  private static final int STATEMENTS = 1_500;
  private static final int ROWS = 16;
  private static final int FRAME_BYTES = 600;

  private BucketCost() {}

  /** Measures and prints. */
  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) throws SQLException {
    try (var postgres = PostgresServer.disposable();
        var connection = postgres.dataSource("postgres").getConnection()) {
      new Database(postgres.jdbcUrl("postgres"), PostgresServer.USER, postgres.password())
          .migrate();
      try (var statement = connection.createStatement()) {
        statement.execute(
            "CREATE TABLE queen.plain (LIKE queen.segments_0 INCLUDING ALL) WITH (toast_tuple_target = 8160)");
        statement.execute("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off");
      }
      String[] tables = {"queen.plain", "queen.segments"};
      var inserts = new double[2][ROUNDS];
      var reads = new double[2][ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
          int at = (round + i) % 2;
          inserts[at][round] = insert(connection, tables[at], round);
          reads[at][round] = read(connection, tables[at]);
          System.out.printf(
              "round %d %-15s insert of %d rows %.1f us  read of 10 %.1f us%n",
              round, tables[at], ROWS, inserts[at][round], reads[at][round]);
        }
      }
      for (int i = 0; i < 2; i++) {
        Arrays.sort(inserts[i]);
        Arrays.sort(reads[i]);
        System.out.printf(
            "median  %-15s insert of %d rows %.1f us  read of 10 %.1f us%n",
            tables[i], ROWS, inserts[i][ROUNDS / 2], reads[i][ROUNDS / 2]);
      }
    }
  }

  private static double insert(Connection connection, String table, int round) throws SQLException {
    var sql =
        "INSERT INTO %s (partition_id, base_offset, message_count, codec, bucket, created_at_micros, frames) VALUES "
                .formatted(table)
            + "(?, ?, 1, 0, 0, ?, ?), ".repeat(ROWS - 1)
            + "(?, ?, 1, 0, 0, ?, ?)";
    var frames = new byte[FRAME_BYTES];
    try (var insert = connection.prepareStatement(sql)) {
      long start = System.nanoTime();
      for (int n = 0; n < STATEMENTS; n++) {
        for (int row = 0; row < ROWS; row++) {
          insert.setLong(4 * row + 1, row);
          insert.setLong(4 * row + 2, (long) round * STATEMENTS + n);
          insert.setLong(4 * row + 3, System.nanoTime());
          insert.setBytes(4 * row + 4, frames);
        }
        insert.execute();
      }
      return (System.nanoTime() - start) / 1e3 / STATEMENTS;
    }
  }

  private static double read(Connection connection, String table) throws SQLException {
    var sql =
        ("SELECT base_offset, frames FROM %s WHERE partition_id = ? AND bucket BETWEEN 0 AND ?"
                + " AND base_offset >= ? ORDER BY base_offset LIMIT 10")
            .formatted(table);
    try (var read = connection.prepareStatement(sql)) {
      long start = System.nanoTime();
      for (int n = 0; n < STATEMENTS; n++) {
        read.setLong(1, n % ROWS);
        read.setShort(2, Ring.KEPT);
        read.setLong(3, n / 2);
        try (var row = read.executeQuery()) {
          while (row.next()) {
            row.getBytes(2);
          }
        }
      }
      return (System.nanoTime() - start) / 1e3 / STATEMENTS;
    }
  }
}
