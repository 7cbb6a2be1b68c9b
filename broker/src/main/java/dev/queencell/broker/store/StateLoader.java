package dev.queencell.broker.store;

import dev.queencell.broker.store.Rows.Contents;
import dev.queencell.broker.store.Rows.CursorRow;
import dev.queencell.broker.store.Rows.GroupRow;
import dev.queencell.broker.store.Rows.PartitionRow;
import dev.queencell.broker.store.Rows.QueueRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Reads all that an owner must know before it serves, in one pass and one snapshot. Rows stream to
 * their consumers; nothing is collected here.
 */
public final class StateLoader {
  private static final int FETCH_ROWS = 5_000;

  private final Connection connection;

  /**
   * Where the owner counts on from.
   *
   * @param createdAtMicros the newest message time ever given out
   */
  public record HighestIds(long queueId, long partitionId, long groupId, long createdAtMicros) {}

  /** Begins the snapshot; the session is the loader's until {@link #end()}. */
  public StateLoader(Connection connection) throws SQLException {
    this.connection = connection;
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
  }

  public void end() throws SQLException {
    connection.rollback();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(true);
  }

  public HighestIds highestIds() throws SQLException {
    try (var query = connection.prepareStatement(Sql.read(StateLoader.class, "load_ids"));
        var row = query.executeQuery()) {
      row.next();
      return new HighestIds(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
    }
  }

  public void queues(Consumer<QueueRow> each) throws SQLException {
    rows(
        "load_queues",
        row ->
            each.accept(
                new QueueRow(
                    row.getLong(1),
                    row.getObject(2, UUID.class),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6),
                    row.getBigDecimal(7).longValue(),
                    row.getShort(8),
                    row.getShort(9))));
  }

  public void groups(Consumer<GroupRow> each) throws SQLException {
    rows(
        "load_groups",
        row ->
            each.accept(
                new GroupRow(
                    row.getLong(1),
                    row.getLong(2),
                    row.getString(3),
                    row.getBoolean(4),
                    row.getString(5),
                    row.getLong(6),
                    row.getBoolean(7),
                    row.getBoolean(8),
                    row.getLong(9))));
  }

  /**
   * The partitions, each with its next offset as its segments say.
   *
   * @param lanes how many commit lanes write checkpoints
   */
  public void partitions(int lanes, Consumer<PartitionRow> each) throws SQLException {
    rows(
        "load_partitions",
        query -> {
          query.setInt(1, lanes);
          query.setInt(2, lanes);
        },
        row ->
            each.accept(
                new PartitionRow(
                    row.getLong(1),
                    row.getLong(2),
                    row.getString(3),
                    row.getLong(4),
                    new Contents(
                        row.getLong(5),
                        row.getLong(6),
                        row.getInt(7),
                        row.getLong(8),
                        row.getLong(9),
                        row.getLong(10),
                        row.getBoolean(11)),
                    row.getBoolean(12))));
  }

  /**
   * The cursors with what is left of their leases.
   *
   * @param leaseMsMax the longest lease that can have been given
   */
  public void cursors(long leaseMsMax, Consumer<CursorRow> each) throws SQLException {
    rows(
        "load_cursors",
        query -> query.setLong(1, leaseMsMax),
        row ->
            each.accept(
                new CursorRow(
                    row.getLong(1),
                    row.getLong(2),
                    row.getInt(3),
                    row.getLong(4),
                    row.getLong(5),
                    row.getLong(6),
                    row.getLong(7),
                    row.getLong(8),
                    row.getInt(9),
                    row.getLong(10),
                    row.getInt(11))));
  }

  /** What one partition has of dead letters. */
  public record DeadLetterCount(long partitionId, long count) {}

  public void deadLetters(Consumer<DeadLetterCount> each) throws SQLException {
    rows(
        "load_dead_letters",
        row -> each.accept(new DeadLetterCount(row.getLong(1), row.getLong(2))));
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private interface Binder {
    void bind(PreparedStatement query) throws SQLException;
  }

  private void rows(String statement, RowReader reader) throws SQLException {
    rows(statement, query -> {}, reader);
  }

  private void rows(String statement, Binder binder, RowReader reader) throws SQLException {
    try (var query = connection.prepareStatement(Sql.read(StateLoader.class, statement))) {
      binder.bind(query);
      query.setFetchSize(FETCH_ROWS);
      try (var row = query.executeQuery()) {
        while (row.next()) {
          reader.read(row);
        }
      }
    }
  }
}
