package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The one row that says who owns the database, until when, and where it serves.
 *
 * @param live its deadline has not passed, by PostgreSQL's clock
 */
public record OwnerRow(long epoch, UUID holder, String url, boolean live) {

  public static OwnerRow read(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(Sql.read(OwnerRow.class, "owner_read"))) {
      row.next();
      return new OwnerRow(
          row.getLong("epoch"),
          row.getObject("holder", UUID.class),
          row.getString("url"),
          row.getBoolean("live"));
    }
  }

  /**
   * Becomes the owner and returns the new epoch; empty while another one is alive.
   *
   * @param url where the caller serves; a former owner that served there and has no session left is
   *     the caller's own predecessor, whose deadline need not be waited for. A port of 0 tells
   *     nobody apart.
   */
  public static OptionalLong take(Connection connection, UUID holder, String url, long termMs)
      throws SQLException {
    connection.setAutoCommit(false);
    try (var lock = connection.prepareStatement(Sql.read(OwnerRow.class, "owner_lock"));
        var update = connection.prepareStatement(Sql.read(OwnerRow.class, "owner_take"))) {
      lock.execute();
      update.setObject(1, holder);
      update.setString(2, url);
      update.setObject(3, holder);
      update.setString(4, url.endsWith(":0") ? null : url);
      update.setLong(5, FencedSession.FENCE_KEY);
      var epoch = OptionalLong.empty();
      try (var row = update.executeQuery()) {
        if (row.next()) {
          epoch = OptionalLong.of(row.getLong(1));
        }
      }
      if (epoch.isPresent()) {
        renew(connection, holder, epoch.getAsLong(), termMs);
      }
      connection.commit();
      return epoch;
    } finally {
      if (!connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    }
  }

  /** Moves the deadline on; false when the ownership is lost. */
  public static boolean renew(Connection connection, UUID holder, long epoch, long termMs)
      throws SQLException {
    try (var renewal = connection.prepareStatement(Sql.read(OwnerRow.class, "owner_renew"))) {
      renewal.setLong(1, termMs);
      renewal.setLong(2, epoch);
      renewal.setObject(3, holder);
      try (var row = renewal.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Ends the ownership at once, so that a standby need not wait for the deadline. */
  public static void release(Connection connection) throws SQLException {
    try (var release = connection.prepareStatement(Sql.read(OwnerRow.class, "owner_release"))) {
      release.execute();
    }
  }
}
