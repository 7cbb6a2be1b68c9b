package dev.queencell.broker.store;

import dev.queencell.broker.store.Ring.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The slots of the rings as the database has them: which are in use, what in them is still wanted,
 * and the emptying of those in which nothing is. Not thread-safe: one per session.
 */
public final class BucketStore {
  private final Connection connection;

  /**
   * A slot in use.
   *
   * @param closedAtMicros nothing newer is in it; null while it is being written
   */
  public record Slot(short bucket, long openedAtMicros, Long closedAtMicros) {}

  /** A partition that has rows in a slot, the last of them from {@code lastBase}. */
  public record Holding(long partitionId, long lastBase, boolean gone, long firstOffset) {
    /** Whether any of these rows is still to be kept. */
    public boolean isWanted() {
      return !gone && lastBase >= firstOffset;
    }
  }

  public BucketStore(Connection connection) {
    this.connection = connection;
  }

  /** The slots in use of a table's rings. */
  public List<Slot> load(Kind kind) throws SQLException {
    try (var query = prepare("bucket_load")) {
      query.setString(1, kind.table);
      var found = new ArrayList<Slot>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(new Slot(row.getShort(1), row.getLong(2), row.getObject(3, Long.class)));
        }
      }
      return found;
    }
  }

  /** Whether there is anything in a slot. */
  public boolean isUsed(Kind kind, short bucket) throws SQLException {
    var used = Sql.read(BucketStore.class, "bucket_used").formatted(kind.table, bucket);
    try (var query = connection.prepareStatement(used);
        var row = query.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /** Names a slot's own tables; nothing in the names comes from outside. */
  private static String truncation(Kind kind, short bucket) {
    var slot =
        kind.tables().stream()
            .map(table -> "queen." + table + "_" + bucket)
            .collect(Collectors.joining(", "));
    return Sql.read(BucketStore.class, "bucket_truncate").formatted(slot);
  }

  /** Takes a free slot into use; before the first row goes into it. */
  public void open(Kind kind, short bucket, long atMicros) throws SQLException {
    try (var statement = prepare("bucket_open")) {
      statement.setString(1, kind.table);
      statement.setShort(2, bucket);
      statement.setLong(3, atMicros);
      statement.execute();
    }
  }

  /** Says that nobody writes to a slot any more, and how new what is in it may be. */
  public void close(Kind kind, short bucket, long newestMicros) throws SQLException {
    try (var statement = prepare("bucket_close")) {
      statement.setLong(1, newestMicros);
      statement.setString(2, kind.table);
      statement.setShort(3, bucket);
      statement.execute();
    }
  }

  /** Partitions that have rows in a slot of segments, in order from one on, up to a number. */
  public List<Holding> scan(short bucket, long fromPartition, int partitionsMax)
      throws SQLException {
    try (var query = prepare("bucket_scan")) {
      query.setShort(1, bucket);
      query.setLong(2, fromPartition);
      query.setShort(3, bucket);
      query.setInt(4, partitionsMax);
      query.setShort(5, bucket);
      var found = new ArrayList<Holding>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          var first = row.getObject(3, Long.class);
          found.add(
              new Holding(
                  row.getLong(1), row.getLong(2), first == null, first == null ? 0 : first));
        }
      }
      return found;
    }
  }

  /** Moves what is to be kept to bucket 0; up to a number of rows; returns how many. */
  public int move(short bucket, Holding holding, int rowsMax) throws SQLException {
    try (var statement = prepare("bucket_move")) {
      statement.setShort(1, bucket);
      statement.setLong(2, holding.partitionId());
      statement.setLong(3, holding.firstOffset());
      statement.setInt(4, rowsMax);
      statement.setShort(5, bucket);
      return statement.executeUpdate();
    }
  }

  /**
   * Empties a closed slot and frees it, at once and whole.
   *
   * @throws SQLException with state 55P03 when readers hold it for too long; nothing has changed
   */
  public void truncate(Kind kind, short bucket) throws SQLException {
    connection.setAutoCommit(false);
    try (var empty = connection.prepareStatement(truncation(kind, bucket));
        var free = prepare("bucket_free")) {
      empty.execute();
      free.setString(1, kind.table);
      free.setShort(2, bucket);
      free.execute();
      connection.commit();
    } catch (SQLException e) {
      if (!Database.sessionLost(e)) {
        connection.rollback();
      }
      throw e;
    } finally {
      if (!connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(BucketStore.class, name));
  }
}
