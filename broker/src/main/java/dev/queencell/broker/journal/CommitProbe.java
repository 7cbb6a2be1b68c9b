package dev.queencell.broker.journal;

import dev.queencell.broker.store.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Finds out whether a commit happened whose session was lost before it answered. A transaction is
 * all or nothing, so that one row of it tells; the fence sees to it that the row, if it will ever
 * be there, is there by the time the next epoch asks.
 */
public final class CommitProbe {
  private CommitProbe() {}

  /**
   * True when the commit is in the database. One that wrote neither message nor cursor counts as
   * not.
   */
  public static boolean happened(Connection connection, Commit commit) throws SQLException {
    var segment = commit.anySegment();
    if (segment != null) {
      try (var query = connection.prepareStatement(Sql.read(CommitProbe.class, "probe_segment"))) {
        query.setLong(1, segment.partitionId());
        query.setLong(2, segment.base());
        query.setShort(3, segment.bucket());
        try (var row = query.executeQuery()) {
          return row.next()
              && row.getShort(1) == segment.codec()
              && Arrays.equals(row.getBytes(2), segment.frames());
        }
      }
    }
    var cursor = commit.anyCursor();
    if (cursor == null) {
      return false;
    }
    try (var query = connection.prepareStatement(Sql.read(CommitProbe.class, "probe_cursor"))) {
      query.setLong(1, cursor.partitionId());
      query.setLong(2, cursor.groupId());
      try (var row = query.executeQuery()) {
        return row.next()
            && row.getInt(1) == cursor.revision()
            && row.getLong(2) == cursor.committed()
            && row.getLong(3) == cursor.leaseHigh()
            && row.getLong(4) == cursor.leaseLow();
      }
    }
  }
}
