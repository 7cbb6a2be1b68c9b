package dev.queencell.broker.store;

import dev.queencell.broker.store.SegmentReader.Hashes;
import dev.queencell.broker.store.SegmentReader.Place;
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
  public long count(Place place, long sinceMicros) throws SQLException {
    try (var query = prepare("key_count")) {
      place.bind(query);
      query.setLong(3, sinceMicros);
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
  public List<Hashes> probe(Place place, long sinceMicros, List<byte[]> keys) throws SQLException {
    try (var query = prepare("probe_keys")) {
      place.bind(query);
      query.setLong(3, sinceMicros);
      var array = keys.toArray(byte[][]::new);
      query.setArray(4, connection.unwrap(PGConnection.class).createArrayOf("bytea", array));
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
  public List<Segment> segmentsOf(Place place, long fromMicros, long toMicros) throws SQLException {
    try (var query = prepare("segments_of_instant")) {
      place.bind(query);
      query.setLong(3, fromMicros);
      query.setLong(4, toMicros);
      return SegmentReader.segments(query);
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(KeyReader.class, name));
  }
}
