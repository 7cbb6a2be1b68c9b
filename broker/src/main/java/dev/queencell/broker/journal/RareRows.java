package dev.queencell.broker.journal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;

/**
 * Writes the rows that are few and far between: queues, groups, dead letters, the checkpoint mark.
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
        statement.execute();
      }
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
        statement.execute();
      }
    }
  }
}
