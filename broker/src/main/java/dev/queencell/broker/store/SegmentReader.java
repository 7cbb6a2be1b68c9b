package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads stored segments and what belongs to them, always by primary key range and never more than
 * was asked for. Not thread-safe: one per session.
 */
public final class SegmentReader {
  private final Connection connection;

  public SegmentReader(Connection connection) {
    this.connection = connection;
  }

  /**
   * Where rows of a partition may be.
   *
   * @param bucketMax the highest bucket that its queue has ever written
   */
  public record Place(long partitionId, short bucketMax) {
    /** Anywhere: for reads that are rare. */
    public static Place of(long partitionId) {
      return new Place(partitionId, Short.MAX_VALUE);
    }

    /** Binds the first two parameters. */
    void bind(PreparedStatement query) throws SQLException {
      query.setLong(1, partitionId);
      query.setShort(2, bucketMax);
    }
  }

  /**
   * The segments that hold offsets of {@code [from, to)}, in order, but no more than given; at
   * least one where there is one.
   */
  public List<Segment> forward(
      Place place, long from, long to, int segmentsMax, long packedBytesMax) throws SQLException {
    try (var query = prepare("read_segments")) {
      place.bind(query);
      query.setLong(3, place.partitionId());
      query.setShort(4, place.bucketMax());
      query.setLong(5, from);
      query.setLong(6, to);
      query.setInt(7, segmentsMax);
      query.setLong(8, packedBytesMax);
      return segments(query);
    }
  }

  /**
   * Up to {@code segmentsMax} segments in {@code [first, before)}, newest first, none older than
   * given.
   */
  public List<Segment> backward(
      Place place, long first, long before, long notBeforeMicros, int segmentsMax)
      throws SQLException {
    try (var query = prepare("read_segments_back")) {
      place.bind(query);
      query.setLong(3, first);
      query.setLong(4, before);
      query.setLong(5, notBeforeMicros);
      query.setInt(6, segmentsMax);
      return segments(query);
    }
  }

  /** The newest segment that begins below {@code before} and is not younger than given. */
  public Optional<Segment> newest(long partitionId, long before, long notAfterMicros)
      throws SQLException {
    try (var query = prepare("read_newest")) {
      query.setLong(1, partitionId);
      query.setLong(2, before);
      query.setLong(3, notAfterMicros);
      return segments(query).stream().findFirst();
    }
  }

  /** For each partition of a queue that got messages since an instant: the first such offset. */
  public Map<Long, Long> firstOffsetsSince(long queueId, long sinceMicros) throws SQLException {
    try (var query = prepare("seed_offsets")) {
      query.setLong(1, queueId);
      query.setLong(2, sinceMicros);
      var found = new HashMap<Long, Long>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.put(row.getLong(1), row.getLong(2));
        }
      }
      return found;
    }
  }

  /**
   * The first offset of {@code [from, to)} whose segment was written at {@code sinceMicros} or
   * later; {@code to} when there is none. Times never go back in a partition, so that a few probes
   * by primary key find it.
   */
  public long firstSince(Place place, long from, long to, long sinceMicros) throws SQLException {
    long low = from;
    long high = to;
    try (var query = prepare("segment_at")) {
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

  /**
   * For each partition when the message at an offset, or the next one that is left, was written.
   *
   * @param offsets by partition
   */
  public Map<Long, Long> times(Map<Long, Long> offsets) throws SQLException {
    try (var query = prepare("segment_times")) {
      query.setArray(1, connection.createArrayOf("int8", offsets.keySet().toArray()));
      query.setArray(2, connection.createArrayOf("int8", offsets.values().toArray()));
      var found = HashMap.<Long, Long>newHashMap(offsets.size());
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.put(row.getLong(1), row.getLong(2));
        }
      }
      return found;
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return connection.prepareStatement(Sql.read(SegmentReader.class, name));
  }

  static List<Segment> segments(PreparedStatement query) throws SQLException {
    var found = new ArrayList<Segment>();
    try (var row = query.executeQuery()) {
      while (row.next()) {
        found.add(segment(row));
      }
    }
    return found;
  }

  private static Segment segment(ResultSet row) throws SQLException {
    return new Segment(
        row.getLong("base_offset"),
        row.getInt("message_count"),
        row.getLong("created_at_micros"),
        SegmentCodec.unpack(row.getShort("codec"), row.getBytes("frames")));
  }
}
