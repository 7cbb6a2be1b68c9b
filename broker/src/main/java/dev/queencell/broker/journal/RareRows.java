package dev.queencell.broker.journal;

import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.Rows.CellMinuteRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.postgresql.PGConnection;

/**
 * Writes the rows that are few and far between: queues, groups, dead letters, traces, counts, the
 * checkpoint mark.
 */
final class RareRows {
  private RareRows() {}

  static void write(Connection connection, UnaryOperator<String> sql, Commit commit, int lane)
      throws SQLException {
    if (!commit.queues.isEmpty()) {
      writeQueues(connection, sql.apply("insert_queue"), commit);
    }
    if (!commit.groups.isEmpty()) {
      writeGroups(connection, sql.apply("insert_group"), commit);
    }
    if (!commit.deadLetters.isEmpty()) {
      writeDeadLetters(connection, sql.apply("insert_dead_letter"), commit);
    }
    if (!commit.traces.isEmpty()) {
      writeTraces(connection, sql.apply("insert_trace"), commit);
    }
    if (!commit.minutes.isEmpty()) {
      writeMinutes(connection, sql.apply("add_queue_minutes"), commit);
    }
    if (!commit.deadLettersGone.isEmpty()) {
      try (var statement = connection.prepareStatement(sql.apply("delete_dead_letters"))) {
        var ids = commit.deadLettersGone.toArray();
        statement.setArray(1, connection.createArrayOf("uuid", ids));
        statement.execute();
      }
    }
    if (commit.cellMinute != null) {
      writeCellMinute(connection, sql.apply("insert_cell_minute"), commit.cellMinute);
    }
    if (commit.checkpointMicros != 0) {
      try (var statement = connection.prepareStatement(sql.apply("checkpoint_lane"))) {
        statement.setInt(1, lane);
        statement.setLong(2, commit.checkpointMicros);
        statement.execute();
      }
    }
  }

  private static void writeQueues(Connection connection, String sql, Commit commit)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (var row : commit.queues) {
        statement.setLong(1, row.id());
        statement.setObject(2, row.tenant());
        statement.setString(3, row.name());
        statement.setString(4, row.namespace());
        statement.setString(5, row.task());
        statement.setString(6, row.optionsJson());
        statement.setShort(7, row.bucketMax());
        statement.setShort(8, row.hashBucketMax());
        statement.setLong(9, row.createdAtMicros());
        statement.execute();
      }
    }
  }

  private static void writeGroups(Connection connection, String sql, Commit commit)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (var row : commit.groups) {
        statement.setLong(1, row.id());
        statement.setLong(2, row.queueId());
        statement.setString(3, row.name());
        statement.setBoolean(4, row.registered());
        statement.setString(5, row.mode());
        if (row.registered()) {
          statement.setLong(6, row.subscribedFromMicros());
        } else {
          statement.setNull(6, java.sql.Types.BIGINT);
        }
        statement.setBoolean(7, row.conflation());
        statement.setBoolean(8, row.seeded());
        statement.setLong(9, row.createdAtMicros());
        statement.execute();
      }
    }
  }

  private static void writeTraces(Connection connection, String sql, Commit commit)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (var row : commit.traces) {
        statement.setObject(1, row.id());
        statement.setObject(2, row.tenant());
        statement.setObject(3, row.partitionId());
        statement.setObject(4, row.transactionKey());
        statement.setBytes(5, row.transactionId());
        statement.setString(6, row.group());
        statement.setString(7, row.eventType());
        statement.setString(8, row.data());
        statement.setArray(9, connection.createArrayOf("text", row.names().toArray()));
        statement.setLong(10, row.createdAtMicros());
        statement.setLong(11, row.queueId());
        statement.execute();
      }
    }
  }

  private static void writeCellMinute(Connection connection, String sql, CellMinuteRow row)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      statement.setInt(1, row.minute());
      statement.setDouble(2, row.cpuPercent());
      statement.setLong(3, row.residentBytes());
      statement.setLong(4, row.heapBytes());
      statement.setInt(5, row.sessions());
      statement.setLong(6, row.uptimeSeconds());
      statement.execute();
    }
  }

  /** All counts in one flat array: one statement text for any number of queues. */
  private static void writeMinutes(Connection connection, String sql, Commit commit)
      throws SQLException {
    int width = QueueCount.SIZE + 2;
    var flat = new long[commit.minutes.size() * width];
    int at = 0;
    for (var row : commit.minutes) {
      flat[at] = row.queueId();
      flat[at + 1] = row.minute();
      row.counts().write(flat, at + 2);
      at += width;
    }
    try (var statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.unwrap(PGConnection.class).createArrayOf("int8", flat));
      statement.execute();
    }
  }

  private static void writeDeadLetters(Connection connection, String sql, Commit commit)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (var row : commit.deadLetters) {
        statement.setObject(1, row.id());
        statement.setLong(2, row.queueId());
        statement.setLong(3, row.partitionId());
        statement.setString(4, row.group());
        statement.setLong(5, row.offset());
        statement.setObject(6, row.messageId());
        statement.setBytes(7, row.transactionId());
        statement.setBytes(8, row.payload());
        statement.setString(9, row.error());
        statement.setInt(10, row.retryCount());
        statement.setLong(11, row.createdAtMicros());
        statement.setObject(12, row.traceId(), java.sql.Types.OTHER);
        statement.setBytes(13, row.producer());
        statement.execute();
      }
    }
  }
}
