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
import org.postgresql.PGConnection;

/**
 * Reads where messages are, without reading them: every statement goes by primary key, and for each
 * partition or span that it names. Not thread-safe: one per session.
 */
public final class BrowseReader {
  private final Connection session;

  public BrowseReader(Connection session) {
    this.session = session;
  }

  /** A segment without its frames. */
  public record Head(long partitionId, long base, int count, long createdAtMicros) {
    public long end() {
      return base + count;
    }
  }

  /** A dead letter's story. */
  public record DeadLetter(String error, int retryCount) {}

  /** The newest segment at or below an offset, for each partition that has one. */
  public Map<Long, Head> headsAt(long[] partitionIds, long[] offsets) throws SQLException {
    try (var query = prepare("find_segments_at")) {
      longs(query, 1, partitionIds);
      longs(query, 2, offsets);
      var found = new HashMap<Long, Head>();
      heads(query).forEach(head -> found.put(head.partitionId(), head));
      return found;
    }
  }

  /** Up to {@code limit} segments of a partition that begin below an offset, newest first. */
  public List<Head> headsBelow(long partitionId, long below, int limit) throws SQLException {
    try (var query = prepare("read_heads_back")) {
      query.setLong(1, partitionId);
      query.setLong(2, below);
      query.setInt(3, limit);
      return heads(query);
    }
  }

  /** A message's place. */
  public record Address(long partitionId, long offset) {}

  /** The dead letters within some segments. */
  public Set<Address> deadOffsets(List<Head> heads) throws SQLException {
    try (var query = prepare("dead_offsets")) {
      longs(query, 1, heads.stream().mapToLong(Head::partitionId).toArray());
      longs(query, 2, heads.stream().mapToLong(Head::base).toArray());
      longs(query, 3, heads.stream().mapToLong(Head::end).toArray());
      var found = new HashSet<Address>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(new Address(row.getLong(1), row.getLong(2)));
        }
      }
      return found;
    }
  }

  /** The newest dead letter of a message; null when there is none. */
  public DeadLetter deadLetter(long partitionId, long offset) throws SQLException {
    try (var query = prepare("dead_letter_of")) {
      query.setLong(1, partitionId);
      query.setLong(2, offset);
      try (var row = query.executeQuery()) {
        return row.next() ? new DeadLetter(row.getString(1), row.getInt(2)) : null;
      }
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return session.prepareStatement(Sql.read(BrowseReader.class, name));
  }

  private void longs(PreparedStatement query, int at, long[] values) throws SQLException {
    query.setArray(at, session.unwrap(PGConnection.class).createArrayOf("int8", values));
  }

  private static List<Head> heads(PreparedStatement query) throws SQLException {
    var found = new ArrayList<Head>();
    try (var row = query.executeQuery()) {
      while (row.next()) {
        found.add(new Head(row.getLong(1), row.getLong(2), row.getInt(3), row.getLong(4)));
      }
    }
    return found;
  }
}
