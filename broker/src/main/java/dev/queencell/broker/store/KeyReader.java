package dev.queencell.broker.store;

import dev.queencell.broker.store.SegmentReader.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * Reads a partition's stored transaction keys: those of whole commits, to be kept in memory, and
 * for windows that are too large for that, single keys by an index that is made from the commits'
 * in steps. What each statement touches follows what was asked for. Not thread-safe: one per
 * session.
 */
public final class KeyReader {
  /** A step of the index: so many rows at most, and no more behind so many bytes. */
  private static final int INDEX_ROWS_MAX = 5_000;

  private static final long INDEX_BYTES_MAX = 16L * 5_000;

  private final Connection connection;

  /**
   * Transaction keys of one commit.
   *
   * @param hashes 16 bytes per message, in offset order
   */
  public record Hashes(long base, long createdAtMicros, byte[] hashes) {}

  /** Where a key is. */
  public record Found(byte[] key, long offset, long createdAtMicros) {}

  /** Below {@code nextOffset} keys are in the index, the newest of them of an instant. */
  public record Mark(long nextOffset, long newestAtMicros) {}

  public KeyReader(Connection connection) {
    this.connection = connection;
  }

  /** Up to where a partition's keys are in the index. */
  public Mark mark(Place place) throws SQLException {
    try (var query = prepare("key_mark")) {
      query.setLong(1, place.partitionId());
      try (var row = query.executeQuery()) {
        return row.next() ? new Mark(row.getLong(1), row.getLong(2)) : new Mark(0, Long.MIN_VALUE);
      }
    }
  }

  /** How many keys a partition has from an offset on, as counted over so many rows at most. */
  public long count(Place place, long from, int rowsMax) throws SQLException {
    try (var query = prepare("key_count")) {
      place.bind(query);
      query.setLong(3, from);
      query.setInt(4, rowsMax);
      try (var row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /** The keys that a partition has from an offset on, in order. */
  public List<Hashes> hashes(Place place, long from) throws SQLException {
    try (var query = prepare("read_hashes")) {
      place.bind(query);
      query.setLong(3, from);
      var found = new ArrayList<Hashes>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(new Hashes(row.getLong(1), row.getLong(2), row.getBytes(3)));
        }
      }
      return found;
    }
  }

  /**
   * The first offset of {@code [from, to)} whose keys came at {@code sinceMicros} or later; {@code
   * to} when there is none. Times never go back in a partition, so that a few probes find it.
   */
  public long firstSince(Place place, long from, long to, long sinceMicros) throws SQLException {
    long low = from;
    long high = to;
    try (var query = prepare("hashes_at")) {
      while (low < high) {
        long middle = (low + high) >>> 1;
        place.bind(query);
        query.setLong(3, low);
        query.setLong(4, middle);
        try (var row = query.executeQuery()) {
          if (!row.next()) {
            low = middle + 1;
          } else if (row.getLong(3) >= sinceMicros) {
            high = row.getLong(1);
          } else {
            low = Math.max(middle + 1, row.getLong(1) + row.getInt(2));
          }
        }
      }
    }
    return high;
  }

  /** Takes the next keys from an offset on into the index: a step, in a transaction of its own. */
  public void index(Place place, long from) throws SQLException {
    try (var statement = prepare("index_keys")) {
      place.bind(statement);
      statement.setLong(3, from);
      statement.setInt(4, INDEX_ROWS_MAX);
      statement.setLong(5, INDEX_BYTES_MAX);
      statement.setLong(6, place.partitionId());
      statement.setLong(7, place.partitionId());
      statement.execute();
    }
  }

  /**
   * Those of some keys that are in the index and came since an instant.
   *
   * @param keys of 16 bytes each
   */
  public List<Found> probe(Place place, long sinceMicros, List<byte[]> keys) throws SQLException {
    try (var query = prepare("probe_keys")) {
      var array = keys.toArray(byte[][]::new);
      query.setArray(1, connection.unwrap(PGConnection.class).createArrayOf("bytea", array));
      query.setLong(2, place.partitionId());
      query.setShort(3, place.bucketMax());
      query.setLong(4, sinceMicros);
      var found = new ArrayList<Found>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(new Found(row.getBytes(1), row.getLong(2), row.getLong(3)));
        }
      }
      return found;
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(KeyReader.class, name));
  }
}
