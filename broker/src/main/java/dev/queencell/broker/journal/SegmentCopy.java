package dev.queencell.broker.journal;

import dev.queencell.broker.store.Rows.SegmentRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * Writes many segments by binary COPY: the cheapest way into PostgreSQL from a few dozen rows on.
 * The format is that of the PostgreSQL manual, "COPY, Binary Format".
 */
final class SegmentCopy {
  private static final byte[] SIGNATURE =
      "PGCOPY\n\377\r\n\0".getBytes(StandardCharsets.ISO_8859_1);
  private static final int HEADER_BYTES = SIGNATURE.length + 8;
  private static final int TRAILER_BYTES = 2;

  /** Field count, seven field lengths, and the six fixed fields. */
  private static final int ROW_BYTES = 2 + 7 * 4 + 8 + 8 + 4 + 2 + 2 + 8;

  private SegmentCopy() {}

  static void write(Connection connection, String sql, List<SegmentRow> rows) throws SQLException {
    var copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
    try {
      var bytes = encode(rows);
      copy.writeToCopy(bytes, 0, bytes.length);
      copy.endCopy();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  static byte[] encode(List<SegmentRow> rows) {
    int size = HEADER_BYTES + TRAILER_BYTES;
    for (var row : rows) {
      size += ROW_BYTES + row.frames().length;
    }
    var out = ByteBuffer.allocate(size);
    out.put(SIGNATURE).putInt(0).putInt(0);
    for (var row : rows) {
      out.putShort((short) 7);
      out.putInt(8).putLong(row.partitionId());
      out.putInt(8).putLong(row.base());
      out.putInt(4).putInt(row.count());
      out.putInt(2).putShort(row.codec());
      out.putInt(2).putShort(row.bucket());
      out.putInt(8).putLong(row.createdAtMicros());
      out.putInt(row.frames().length).put(row.frames());
    }
    out.putShort((short) -1);
    return out.array();
  }
}
