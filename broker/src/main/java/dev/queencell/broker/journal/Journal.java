package dev.queencell.broker.journal;

import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.FencedSession;
import dev.queencell.broker.store.Rows.CursorRow;
import dev.queencell.broker.store.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes commits through one fenced session, one at a time.
 *
 * <p>The hot path is a single round trip: segments, transaction keys and cursors go as one compound
 * statement, which PostgreSQL runs as one implicit transaction and commits at its end. Every part
 * is prepared once per number of rows. Large gatherings go by binary COPY in an explicit
 * transaction, as does everything rare.
 *
 * <p>{@link #write} returns after the commit. When it throws, {@link Database#sessionLost} tells
 * the two cases apart: the session is gone and the commit is in doubt, or PostgreSQL refused it and
 * nothing was written. Not thread-safe.
 */
public final class Journal implements AutoCloseable {
  /** Up to here rows go as VALUES, above by COPY. */
  private static final int VALUES_ROWS_MAX = 64;

  private static final long VALUES_BYTES_MAX = 1024 * 1024;

  /**
   * Cursors are locked in the order of the sorted arrays, which only a nested loop over the primary
   * key does; a plan made once for any number of rows is the plan wanted.
   */
  private static final String SESSION_SETTINGS =
      "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off;"
          + " SET plan_cache_mode = force_generic_plan; SET jit = off;"
          + " SET statement_timeout = '30s'; SET synchronous_commit = on";

  private static final String SEGMENT_ROW = "(?, ?, ?, ?, ?, ?, ?)";

  private static final Comparator<CursorRow> KEY_ORDER =
      Comparator.comparingLong(CursorRow::partitionId).thenComparingLong(CursorRow::groupId);

  private final Connection connection;
  private final Arrays arrays;
  private final int lane;
  private final CommitWatch watch;
  private final Map<Integer, String> compounds = new HashMap<>();
  private final Map<String, String> statements = new HashMap<>();

  private Journal(Connection connection, int lane, CommitWatch watch) throws SQLException {
    this.connection = connection;
    this.arrays = new Arrays(connection);
    this.lane = lane;
    this.watch = watch;
  }

  /** Opens the session of a commit lane in the given epoch. */
  public static Journal open(Database database, int lane, long epoch, CommitWatch watch)
      throws SQLException {
    var connection = FencedSession.enter(database, "journal-" + lane, epoch);
    try (var statement = connection.createStatement()) {
      statement.execute(SESSION_SETTINGS);
      return new Journal(connection, lane, watch);
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Makes a commit durable. */
  public void write(Commit commit) throws SQLException {
    commit.newCursors.sort(KEY_ORDER);
    commit.changedCursors.sort(KEY_ORDER);
    watch.beforeSend(commit);
    if (commit.isPlain()
        && commit.segments.size() <= VALUES_ROWS_MAX
        && commit.segmentBytes() <= VALUES_BYTES_MAX) {
      writeCompound(commit);
    } else {
      writeTransaction(commit);
    }
    watch.afterCommit(commit);
  }

  private void writeCompound(Commit commit) throws SQLException {
    int shape =
        (commit.segments.size() << 3)
            | (commit.hashes.isEmpty() ? 0 : 4)
            | (commit.newCursors.isEmpty() ? 0 : 2)
            | (commit.changedCursors.isEmpty() ? 0 : 1);
    try (var statement =
        connection.prepareStatement(compounds.computeIfAbsent(shape, this::compound))) {
      int at = 1;
      at = bindSegments(statement, commit, at);
      if (!commit.hashes.isEmpty()) {
        at = arrays.bindHashes(statement, commit.hashes, at);
      }
      if (!commit.newCursors.isEmpty()) {
        at = arrays.bindCursors(statement, commit.newCursors, at);
      }
      if (!commit.changedCursors.isEmpty()) {
        at = arrays.bindCursors(statement, commit.changedCursors, at);
        statement.setInt(at, commit.changedCursors.size());
      }
      statement.execute();
    }
  }

  private String compound(int shape) {
    var sql = new StringBuilder();
    int segments = shape >> 3;
    if (segments > 0) {
      sql.append(statement("insert_segments")).append('\n').append(SEGMENT_ROW);
      sql.repeat(", " + SEGMENT_ROW, segments - 1).append(";\n");
    }
    if ((shape & 4) != 0) {
      sql.append(statement("insert_hashes")).append(";\n");
    }
    if ((shape & 2) != 0) {
      sql.append(statement("insert_cursors")).append(";\n");
    }
    if ((shape & 1) != 0) {
      sql.append(statement("update_cursors")).append(";\n");
    }
    return sql.toString();
  }

  private static int bindSegments(PreparedStatement statement, Commit commit, int from)
      throws SQLException {
    int at = from;
    for (var row : commit.segments) {
      statement.setLong(at, row.partitionId());
      statement.setLong(at + 1, row.base());
      statement.setInt(at + 2, row.count());
      statement.setShort(at + 3, row.codec());
      statement.setShort(at + 4, row.bucket());
      statement.setLong(at + 5, row.createdAtMicros());
      statement.setBytes(at + 6, row.frames());
      at += 7;
    }
    return at;
  }

  private void writeTransaction(Commit commit) throws SQLException {
    connection.setAutoCommit(false);
    try {
      writeParts(commit);
      connection.commit();
    } catch (SQLException e) {
      if (!Database.sessionLost(e)) {
        connection.rollback();
      }
      throw e;
    } finally {
      if (!connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    }
  }

  private void writeParts(Commit commit) throws SQLException {
    if (commit.deletedQueueId != 0) {
      deleteQueue(commit.deletedQueueId);
    }
    if (commit.deletedGroup != null) {
      deleteGroup(commit.deletedGroup);
    }
    RareRows.write(connection, this::statement, commit, lane);
    if (!commit.partitions.isEmpty()) {
      run("insert_partitions", s -> arrays.bindPartitions(s, commit.partitions));
    }
    if (!commit.segments.isEmpty()) {
      SegmentCopy.write(connection, statement("copy_segments"), commit.segments);
    }
    if (!commit.hashes.isEmpty()) {
      run("insert_hashes", s -> arrays.bindHashes(s, commit.hashes, 1));
    }
    if (!commit.newCursors.isEmpty()) {
      run("insert_cursors", s -> arrays.bindCursors(s, commit.newCursors, 1));
    }
    if (!commit.changedCursors.isEmpty()) {
      run(
          "update_cursors",
          s ->
              s.setInt(
                  arrays.bindCursors(s, commit.changedCursors, 1), commit.changedCursors.size()));
    }
    if (!commit.contents.isEmpty()) {
      run("checkpoint_partitions", s -> arrays.bindContents(s, commit.contents));
    }
    if (!commit.deletedPartitions.isEmpty()) {
      run("delete_partitions", s -> arrays.bindIds(s, commit.deletedPartitions));
    }
  }

  private void deleteQueue(long queueId) throws SQLException {
    // The rows of a queue are found by plans of their own, not by those of the hot path.
    try (var settings = connection.createStatement()) {
      settings.execute("SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on");
    }
    run(
        "delete_queue",
        s -> {
          for (int at = 1; at <= 6; at++) {
            s.setLong(at, queueId);
          }
        });
  }

  private void deleteGroup(Commit.DeletedGroup gone) throws SQLException {
    run(
        "delete_group",
        s -> {
          s.setLong(1, gone.queueId());
          s.setLong(2, gone.groupId());
          s.setLong(3, gone.groupId());
          s.setBoolean(4, gone.keepSubscription());
        });
  }

  /** Sets the parameters of a statement. */
  interface Binder {
    void bind(PreparedStatement statement) throws SQLException;
  }

  private void run(String name, Binder binder) throws SQLException {
    try (var statement = connection.prepareStatement(statement(name))) {
      binder.bind(statement);
      statement.execute();
    }
  }

  private String statement(String name) {
    return statements.computeIfAbsent(name, key -> Sql.read(Journal.class, key));
  }

  /** Cuts the session; a commit under way on another thread fails as lost, at once. */
  @Override
  public void close() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // The session is gone, which is what was wanted.
    }
  }

  /** The session, for reads that must see what this lane has written. */
  public Connection connection() {
    return connection;
  }
}
