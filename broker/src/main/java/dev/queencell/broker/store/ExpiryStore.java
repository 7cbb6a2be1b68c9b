package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What retention reads and deletes: the oldest segments of partitions, dead rows, what partitions
 * that are gone have left behind. All by primary key and in bounded numbers. Not thread-safe: one
 * per session.
 */
public final class ExpiryStore {
  private final Connection connection;

  /** A segment without its messages. */
  public record Head(long end, long createdAtMicros, int bytes) {}

  /**
   * What is kept of a partition begins here.
   *
   * @param bucketMax the highest bucket that its queue has ever written
   */
  public record Start(long partitionId, long firstOffset, short bucketMax) {}

  public ExpiryStore(Connection connection) {
    this.connection = connection;
  }

  /** For each partition the oldest segments that it keeps, in order, up to a number for each. */
  public Map<Long, List<Head>> heads(List<Start> starts, int headsMax) throws SQLException {
    try (var query = prepare("expiry_heads")) {
      bind(query, starts);
      query.setArray(
          3, connection.createArrayOf("int2", starts.stream().map(Start::bucketMax).toArray()));
      query.setInt(4, headsMax);
      Map<Long, List<Head>> found = new HashMap<>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found
              .computeIfAbsent(row.getLong(1), key -> new ArrayList<>())
              .add(new Head(row.getLong(2), row.getLong(3), row.getInt(4)));
        }
      }
      return found;
    }
  }

  /** Deletes dead rows of bucket 0; returns how many, {@code rowsMax} when there may be more. */
  public int sweep(List<Start> starts, int rowsMax) throws SQLException {
    try (var statement = prepare("expiry_sweep")) {
      bind(statement, starts);
      statement.setInt(3, rowsMax);
      statement.setInt(4, rowsMax);
      return statement.executeUpdate();
    }
  }

  /** Which of the partitions have dead letters. */
  public Set<Long> withDeadLetters(List<Long> partitionIds) throws SQLException {
    try (var query = prepare("expiry_dead_letters")) {
      query.setArray(1, connection.createArrayOf("int8", partitionIds.toArray()));
      var found = new HashSet<Long>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(row.getLong(1));
        }
      }
      return found;
    }
  }

  /** Partitions that are gone and whose rows may not be; in order from behind one on. */
  public List<Long> reclaims(long after, int partitionsMax) throws SQLException {
    try (var query = prepare("reclaim_next")) {
      query.setLong(1, after);
      query.setInt(2, partitionsMax);
      var found = new ArrayList<Long>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(row.getLong(1));
        }
      }
      return found;
    }
  }

  /** Deletes transaction keys of partitions that are gone; returns how many rows. */
  public int reclaimHashes(List<Long> partitionIds, int rowsMax) throws SQLException {
    return reclaim("reclaim_hashes", partitionIds, rowsMax);
  }

  /** The same for those that stand one by one. */
  public int reclaimKeys(List<Long> partitionIds, int rowsMax) throws SQLException {
    return reclaim("reclaim_keys", partitionIds, rowsMax);
  }

  private int reclaim(String name, List<Long> partitionIds, int rowsMax) throws SQLException {
    try (var statement = prepare(name)) {
      statement.setArray(1, connection.createArrayOf("int8", partitionIds.toArray()));
      statement.setInt(2, rowsMax);
      statement.setInt(3, rowsMax);
      return statement.executeUpdate();
    }
  }

  /** Nothing of these partitions is left. */
  public void reclaimed(List<Long> partitionIds) throws SQLException {
    for (var name : List.of("reclaim_marks", "reclaim_done")) {
      try (var statement = prepare(name)) {
        statement.setArray(1, connection.createArrayOf("int8", partitionIds.toArray()));
        statement.execute();
      }
    }
  }

  private void bind(PreparedStatement statement, List<Start> starts) throws SQLException {
    statement.setArray(
        1, connection.createArrayOf("int8", starts.stream().map(Start::partitionId).toArray()));
    statement.setArray(
        2, connection.createArrayOf("int8", starts.stream().map(Start::firstOffset).toArray()));
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(ExpiryStore.class, name));
  }
}
