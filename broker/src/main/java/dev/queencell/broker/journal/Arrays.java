package dev.queencell.broker.journal;

import dev.queencell.broker.store.Rows.CursorRow;
import dev.queencell.broker.store.Rows.HashRow;
import dev.queencell.broker.store.Rows.PartitionRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.postgresql.PGConnection;

/**
 * Binds many rows as one array per column: one statement text for any number of rows. Primitive
 * arrays travel in binary. Not thread-safe.
 */
final class Arrays {
  private final PGConnection connection;

  Arrays(Connection connection) throws SQLException {
    this.connection = connection.unwrap(PGConnection.class);
  }

  /** Binds eleven parameters and returns the next index. */
  int bindCursors(PreparedStatement statement, List<CursorRow> rows, int at) throws SQLException {
    longs(statement, at, rows, CursorRow::partitionId);
    longs(statement, at + 1, rows, CursorRow::groupId);
    ints(statement, at + 2, rows, CursorRow::revision);
    longs(statement, at + 3, rows, CursorRow::committed);
    longs(statement, at + 4, rows, CursorRow::leaseHigh);
    longs(statement, at + 5, rows, CursorRow::leaseLow);
    longs(statement, at + 6, rows, CursorRow::leaseEnd);
    longs(statement, at + 7, rows, CursorRow::leaseMs);
    ints(statement, at + 8, rows, CursorRow::attempts);
    longs(statement, at + 9, rows, CursorRow::attemptBase);
    ints(statement, at + 10, rows, CursorRow::retries);
    return at + 11;
  }

  /** Binds five parameters and returns the next index. */
  int bindHashes(PreparedStatement statement, List<HashRow> rows, int at) throws SQLException {
    longs(statement, at, rows, HashRow::partitionId);
    longs(statement, at + 1, rows, HashRow::base);
    var buckets = rows.stream().map(HashRow::bucket).toArray(Short[]::new);
    statement.setArray(at + 2, connection.createArrayOf("int2", buckets));
    longs(statement, at + 3, rows, HashRow::createdAtMicros);
    var hashes = rows.stream().map(HashRow::hashes).toArray(byte[][]::new);
    statement.setArray(at + 4, connection.createArrayOf("bytea", hashes));
    return at + 5;
  }

  void bindPartitions(PreparedStatement statement, List<PartitionRow> rows) throws SQLException {
    longs(statement, 1, rows, PartitionRow::id);
    longs(statement, 2, rows, PartitionRow::queueId);
    var names = rows.stream().map(PartitionRow::name).toArray(String[]::new);
    statement.setArray(3, connection.createArrayOf("text", names));
    longs(statement, 4, rows, PartitionRow::createdAtMicros);
  }

  void bindContents(PreparedStatement statement, List<Commit.PartitionContents> rows)
      throws SQLException {
    longs(statement, 1, rows, Commit.PartitionContents::partitionId);
    longs(statement, 2, rows, row -> row.contents().firstOffset());
    longs(statement, 3, rows, row -> row.contents().nextOffset());
    ints(statement, 4, rows, row -> row.contents().segments());
    longs(statement, 5, rows, row -> row.contents().bytes());
    longs(statement, 6, rows, row -> row.contents().oldestAtMicros());
    longs(statement, 7, rows, row -> row.contents().newestAtMicros());
    var sweeps = rows.stream().map(row -> row.contents().sweepDue()).toArray(Boolean[]::new);
    statement.setArray(8, connection.createArrayOf("bool", sweeps));
  }

  void bindIds(PreparedStatement statement, List<Long> ids) throws SQLException {
    longs(statement, 1, ids, Long::longValue);
  }

  private <T> void longs(
      PreparedStatement statement, int at, List<T> rows, ToLongFunction<T> column)
      throws SQLException {
    var values = new long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsLong(rows.get(i));
    }
    statement.setArray(at, connection.createArrayOf("int8", values));
  }

  private <T> void ints(PreparedStatement statement, int at, List<T> rows, ToIntFunction<T> column)
      throws SQLException {
    var values = new int[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsInt(rows.get(i));
    }
    statement.setArray(at, connection.createArrayOf("int4", values));
  }
}
