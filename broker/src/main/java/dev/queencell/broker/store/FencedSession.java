package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The fence: what makes it safe that only the owner's memory knows the next offset.
 *
 * <p>A session that may write <em>enters</em> once, when it is opened: it takes a session-level
 * shared advisory lock, then checks that its epoch is the owner row's. A take-over first commits
 * the new epoch, so that no old session can enter any more, then ends every session that still
 * holds the lock and waits until PostgreSQL shows none. So a commit of an old owner has either
 * happened before the new owner loads, or never will. Costs nothing per commit and trusts no clock.
 */
public final class FencedSession {
  /** "queen", in ASCII: the advisory lock that every writing session shares. */
  static final long FENCE_KEY = 0x717565656eL;

  private static final int TERMINATE_ATTEMPTS_MAX = 400;
  private static final long TERMINATE_PAUSE_MS = 25;

  private FencedSession() {}

  /**
   * Opens a session that may write in this epoch.
   *
   * @throws OwnershipLostException when another epoch has begun
   */
  public static Connection enter(Database database, String duty, long epoch) throws SQLException {
    var connection = database.open(duty);
    try {
      try (var lock = connection.prepareStatement(Sql.read(FencedSession.class, "fence_enter"))) {
        lock.setLong(1, FENCE_KEY);
        lock.execute();
      }
      try (var statement = connection.createStatement();
          var row = statement.executeQuery(Sql.read(FencedSession.class, "owner_read"))) {
        row.next();
        if (row.getLong("epoch") != epoch) {
          throw new OwnershipLostException(epoch, row.getLong("epoch"));
        }
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Ends all sessions inside the fence and returns once PostgreSQL shows none. The caller has
   * committed a new epoch before.
   *
   * @throws SQLException also when a session survives its termination for ten seconds
   */
  public static void clear(Connection control) throws SQLException, InterruptedException {
    try (var terminate =
        control.prepareStatement(Sql.read(FencedSession.class, "fence_terminate"))) {
      terminate.setLong(1, FENCE_KEY);
      for (int attempt = 0; attempt < TERMINATE_ATTEMPTS_MAX; attempt++) {
        try (var row = terminate.executeQuery()) {
          row.next();
          if (row.getInt(1) == 0) {
            return;
          }
        }
        // PostgreSQL has no event for the end of another session.
        Thread.sleep(TERMINATE_PAUSE_MS);
      }
    }
    throw new SQLException("a session of the former owner does not end", "55006");
  }
}
