package dev.queencell.broker.store;

import dev.queencell.broker.store.SegmentReader.Hashes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * Asks a partition's stored transaction keys whether they hold some keys, without bringing all of
 * them into memory: for windows that are larger than the memory for them. Not thread-safe: one per
 * session.
 */
public final class KeyReader {
  private final Connection connection;

  public KeyReader(Connection connection) {
    this.connection = connection;
  }

  /** How many keys were stored for a partition since an instant. */
  public long count(long partitionId, long sinceMicros) throws SQLException {
    try (var query = prepare("key_count")) {
      query.setLong(1, partitionId);
      query.setLong(2, sinceMicros);
      try (var row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /**
   * All commits since an instant among whose keys some of these are, oldest first; perhaps some
   * more.
   *
   * @param keys of 16 bytes each
   */
  public List<Hashes> probe(long partitionId, long sinceMicros, List<byte[]> keys)
      throws SQLException {
    try (var query = prepare("probe_keys")) {
      query.setLong(1, partitionId);
      query.setLong(2, sinceMicros);
      var array = keys.toArray(byte[][]::new);
      query.setArray(3, connection.unwrap(PGConnection.class).createArrayOf("bytea", array));
      var found = new ArrayList<Hashes>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(new Hashes(row.getLong(1), row.getLong(2), row.getBytes(3)));
        }
      }
      return found;
    }
  }

  /** The segments of a partition that were created in {@code [fromMicros, toMicros)}, in order. */
  public List<Segment> segmentsOf(long partitionId, long fromMicros, long toMicros)
      throws SQLException {
    try (var query = prepare("segments_of_instant")) {
      query.setLong(1, partitionId);
      query.setLong(2, fromMicros);
      query.setLong(3, toMicros);
      return SegmentReader.segments(query);
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(KeyReader.class, name));
  }
}
