package dev.queencell.broker.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** Reads what was counted per minute, and dead letters. Not thread-safe: one per session. */
public final class HistoryReader {
  /** Buckets of one answer; of more, the newest. */
  private static final int BUCKETS_MAX = 100_000;

  private final Connection session;

  public HistoryReader(Connection session) {
    this.session = session;
  }

  /**
   * Which queues; null means all.
   *
   * @param tenant null: of the whole cell
   */
  public record Scope(UUID tenant, String queue, String namespace, String task) {}

  /**
   * A span of time in buckets.
   *
   * @param toMinute exclusive
   */
  public record Span(int fromMinute, int toMinute, int widthMinutes) {
    /** The bucket that a minute is in, by its first minute. */
    public int bucketOf(int minute) {
      return minute / widthMinutes * widthMinutes;
    }

    public boolean holds(int minute) {
      return minute >= fromMinute && minute < toMinute;
    }
  }

  /** The counts of one key in one bucket. */
  public record Bucket(String key, int minute, QueueCounts counts) {}

  /** A number over a bucket. */
  public record Spread(double avg, double min, double max, double last) {}

  /** What the broker used in a bucket. */
  public record CellBucket(
      int minute,
      Spread cpuPercent,
      Spread residentBytes,
      Spread heapBytes,
      Spread sessions,
      Spread uptime) {}

  /** A dead letter without its message. */
  public record DeadLetter(
      String group, String error, int retryCount, Instant failedAt, long payloadBytes) {}

  /**
   * The dead letters of a queue.
   *
   * @param oldest null when there are none; so is newest
   */
  public record DeadLetters(long count, Instant oldest, Instant newest, List<DeadLetter> sample) {}

  /** What a bucket's key is made of. */
  public enum GroupBy {
    ALL,
    QUEUE,
    NAMESPACE,
    TASK
  }

  /** The counts of a scope, newest first. */
  public List<Bucket> buckets(Scope scope, Span span, GroupBy key) throws SQLException {
    try (var query = prepare("read_history")) {
      query.setString(1, key.name().toLowerCase(Locale.ROOT));
      query.setInt(2, span.widthMinutes());
      query.setInt(3, span.fromMinute());
      query.setInt(4, span.toMinute());
      query.setObject(5, scope.tenant());
      query.setString(6, scope.queue());
      query.setString(7, scope.namespace());
      query.setString(8, scope.task());
      query.setInt(9, BUCKETS_MAX);
      var found = new ArrayList<Bucket>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          var counts = new QueueCounts();
          int column = 3;
          for (var count : QueueCount.values()) {
            counts.set(count, row.getLong(column++));
          }
          found.add(new Bucket(row.getString(1), row.getInt(2), counts));
        }
      }
      return found;
    }
  }

  /** What the broker used, oldest first. */
  public List<CellBucket> cell(Span span) throws SQLException {
    try (var query = prepare("read_cell_minutes")) {
      query.setInt(1, span.widthMinutes());
      query.setInt(2, span.widthMinutes());
      query.setInt(3, span.fromMinute());
      query.setInt(4, span.toMinute());
      var found = new ArrayList<CellBucket>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(
              new CellBucket(
                  row.getInt(1),
                  spread(row, 2),
                  spread(row, 6),
                  spread(row, 10),
                  spread(row, 14),
                  spread(row, 18)));
        }
      }
      return found;
    }
  }

  private static Spread spread(ResultSet row, int at) throws SQLException {
    return new Spread(
        row.getDouble(at), row.getDouble(at + 1), row.getDouble(at + 2), row.getDouble(at + 3));
  }

  /** The dead letters of a queue, the newest of them in a sample. */
  public DeadLetters deadLetters(long queueId, int sampleMax) throws SQLException {
    var sample = new ArrayList<DeadLetter>();
    try (var query = prepare("sample_dead_letters")) {
      query.setLong(1, queueId);
      query.setInt(2, sampleMax);
      try (var row = query.executeQuery()) {
        while (row.next()) {
          sample.add(
              new DeadLetter(
                  row.getString(1),
                  row.getString(2),
                  row.getInt(3),
                  row.getObject(4, OffsetDateTime.class).toInstant(),
                  row.getLong(5)));
        }
      }
    }
    try (var query = prepare("count_dead_letters_of")) {
      query.setLong(1, queueId);
      try (var row = query.executeQuery()) {
        row.next();
        return new DeadLetters(row.getLong(1), instant(row, 2), instant(row, 3), sample);
      }
    }
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    var time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  /**
   * Deletes a batch of what is older than a minute; the session must be one that may write.
   *
   * @return how many rows are gone; less than the batch when none is left
   */
  public int prune(int beforeMinute, int batchRows) throws SQLException {
    try (var cell = prepare("prune_cell_minutes");
        var queues = prepare("prune_queue_minutes")) {
      cell.setInt(1, beforeMinute);
      cell.executeUpdate();
      queues.setInt(1, beforeMinute);
      queues.setInt(2, batchRows);
      return queues.executeUpdate();
    }
  }

  private PreparedStatement prepare(String name) throws SQLException {
    return session.prepareStatement(Sql.read(HistoryReader.class, name));
  }
}
