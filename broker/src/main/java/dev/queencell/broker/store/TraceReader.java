package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads traces, always of one tenant and in pages. Not thread-safe: one per session. */
public final class TraceReader {
  private final Connection session;

  public TraceReader(Connection session) {
    this.session = session;
  }

  /**
   * A stored trace.
   *
   * @param transactionId UTF-8
   * @param data JSON text
   */
  public record StoredTrace(
      UUID id,
      UUID partitionId,
      byte[] transactionId,
      String group,
      String eventType,
      String data,
      List<String> names,
      long createdAtMicros) {}

  /** A name and what was traced under it. */
  public record NameCount(String name, long traces, long messages, long lastMicros) {}

  /** Where a partition is. */
  public record Place(long queueId, String queue, String partition) {}

  public List<StoredTrace> ofMessage(
      UUID tenant, UUID partitionId, UUID transactionKey, byte[] transactionId, int limit)
      throws SQLException {
    try (var query = prepare("read_traces")) {
      query.setObject(1, tenant);
      query.setObject(2, partitionId);
      query.setObject(3, transactionKey);
      query.setBytes(4, transactionId);
      query.setInt(5, limit);
      return traces(query);
    }
  }

  public List<StoredTrace> byName(UUID tenant, String name, int limit, int offset)
      throws SQLException {
    try (var query = prepare("read_traces_by_name")) {
      query.setObject(1, tenant);
      query.setString(2, name);
      query.setInt(3, limit);
      query.setInt(4, offset);
      return traces(query);
    }
  }

  public long countByName(UUID tenant, String name) throws SQLException {
    try (var query = prepare("count_traces_by_name")) {
      query.setObject(1, tenant);
      query.setString(2, name);
      return number(query);
    }
  }

  public List<NameCount> names(UUID tenant, int limit, int offset) throws SQLException {
    try (var query = prepare("read_trace_names")) {
      query.setObject(1, tenant);
      query.setInt(2, limit);
      query.setInt(3, offset);
      var found = new ArrayList<NameCount>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(
              new NameCount(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4)));
        }
      }
      return found;
    }
  }

  public long countNames(UUID tenant) throws SQLException {
    try (var query = prepare("count_trace_names")) {
      query.setObject(1, tenant);
      return number(query);
    }
  }

  /** The places of partitions that exist, by number. */
  public Map<Long, Place> places(UUID tenant, List<Long> partitionIds) throws SQLException {
    try (var query = prepare("read_places")) {
      query.setArray(1, session.createArrayOf("int8", partitionIds.toArray()));
      query.setObject(2, tenant);
      var found = new HashMap<Long, Place>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.put(row.getLong(1), new Place(row.getLong(2), row.getString(3), row.getString(4)));
        }
      }
      return found;
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return session.prepareStatement(Sql.read(TraceReader.class, name));
  }

  private static long number(PreparedStatement query) throws SQLException {
    try (var row = query.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  private static List<StoredTrace> traces(PreparedStatement query) throws SQLException {
    var found = new ArrayList<StoredTrace>();
    try (var row = query.executeQuery()) {
      while (row.next()) {
        found.add(trace(row));
      }
    }
    return found;
  }

  private static StoredTrace trace(ResultSet row) throws SQLException {
    return new StoredTrace(
        row.getObject("id", UUID.class),
        row.getObject("partition_id", UUID.class),
        row.getBytes("transaction_id"),
        row.getString("consumer_group"),
        row.getString("event_type"),
        row.getString("data"),
        List.of((String[]) row.getArray("names").getArray()),
        row.getLong("created_at_micros"));
  }
}
