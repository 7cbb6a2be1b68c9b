package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads dead letters, of one tenant always. Not thread-safe: one per session. */
public final class DeadLetterReader {
  private final Connection connection;

  public DeadLetterReader(Connection connection) {
    this.connection = connection;
  }

  /**
   * A dead letter as it is stored.
   *
   * @param partition null when the partition is gone
   * @param payload perhaps sealed
   * @param traceId null for none
   * @param producer UTF-8; null for nobody
   */
  public record Stored(
      UUID id,
      long queueId,
      long partitionId,
      String queue,
      String partition,
      String group,
      long offset,
      byte[] transactionId,
      byte[] payload,
      String error,
      int retryCount,
      long failedAtMicros,
      UUID traceId,
      byte[] producer) {}

  /** Where a row is. */
  public record Place(UUID id, long partitionId) {}

  /**
   * A page, newest first.
   *
   * @param queue null for all
   * @param group null for all
   * @param bytesMax the page ends behind the payload that passes this
   */
  public List<Stored> page(
      UUID tenant, String queue, String group, int limit, int offset, long bytesMax)
      throws SQLException {
    try (var query = prepare("dead_letters_page")) {
      query.setObject(1, tenant);
      query.setString(2, queue);
      query.setString(3, queue);
      query.setString(4, group);
      query.setString(5, group);
      query.setInt(6, limit);
      query.setInt(7, offset);
      query.setLong(8, bytesMax);
      var found = new ArrayList<Stored>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(stored(row));
        }
      }
      return found;
    }
  }

  public Optional<Stored> byId(UUID tenant, UUID id) throws SQLException {
    try (var query = prepare("dead_letter_by_id")) {
      query.setObject(1, id);
      query.setObject(2, tenant);
      try (var row = query.executeQuery()) {
        return row.next() ? Optional.of(stored(row)) : Optional.empty();
      }
    }
  }

  /** The rows of one message, of every group, newest first. */
  public List<Place> ofAddress(UUID tenant, long queueId, long partitionId, byte[] transactionId)
      throws SQLException {
    try (var query = prepare("dead_letters_of_address")) {
      query.setLong(1, partitionId);
      query.setBytes(2, transactionId);
      query.setLong(3, queueId);
      query.setObject(4, tenant);
      return places(query);
    }
  }

  /**
   * Some of a queue's rows.
   *
   * @param group null for all
   */
  public List<Place> toPurge(
      UUID tenant, String queue, String group, OffsetDateTime filedUpTo, int rowsMax)
      throws SQLException {
    try (var query = prepare("dead_letters_to_purge")) {
      query.setObject(1, tenant);
      query.setString(2, queue);
      query.setString(3, group);
      query.setString(4, group);
      query.setObject(5, filedUpTo);
      query.setInt(6, rowsMax);
      return places(query);
    }
  }

  /** PostgreSQL's time, by which dead letters are filed. */
  public OffsetDateTime now() throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery("SELECT now()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class);
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(DeadLetterReader.class, name));
  }

  private static List<Place> places(PreparedStatement query) throws SQLException {
    var found = new ArrayList<Place>();
    try (var row = query.executeQuery()) {
      while (row.next()) {
        found.add(new Place(row.getObject(1, UUID.class), row.getLong(2)));
      }
    }
    return found;
  }

  private static Stored stored(ResultSet row) throws SQLException {
    return new Stored(
        row.getObject("id", UUID.class),
        row.getLong("queue_id"),
        row.getLong("partition_id"),
        row.getString("queue_name"),
        row.getString("partition_name"),
        row.getString("group_name"),
        row.getLong("message_offset"),
        row.getBytes("transaction_id"),
        row.getBytes("payload"),
        row.getString("error"),
        row.getInt("retry_count"),
        row.getLong("failed_at_micros"),
        row.getObject("trace_id", UUID.class),
        row.getBytes("producer"));
  }
}
