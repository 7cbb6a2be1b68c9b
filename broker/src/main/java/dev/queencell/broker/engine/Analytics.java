package dev.queencell.broker.engine;

import dev.queencell.broker.store.HistoryReader.Bucket;
import dev.queencell.broker.store.HistoryReader.CellBucket;
import dev.queencell.broker.store.HistoryReader.DeadLetters;
import dev.queencell.broker.store.HistoryReader.GroupBy;
import dev.queencell.broker.store.HistoryReader.Scope;
import dev.queencell.broker.store.HistoryReader.Span;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What happened to queues, and what is in them now. History comes from counts per minute, never
 * from counting rows; answers include what the lanes have counted but not written yet. Thread-safe.
 */
public interface Analytics {
  /** How long the counts of a minute are kept. */
  int HISTORY_DAYS = 90;

  /**
   * A queue at this moment, by watermark arithmetic.
   *
   * @param leases partitions that are under a live lease of any group
   * @param parked consumers that wait on it
   */
  record QueueNow(
      UUID tenant,
      String queue,
      String namespace,
      String task,
      int partitions,
      long retained,
      long pending,
      long processing,
      long deadLetters,
      int leases,
      int parked) {}

  /**
   * How alive the partitions of a queue are.
   *
   * @param liveHour those written to within the last hour
   * @param oldestWriteAt when the one that was left alone for longest was written last; null
   *     without any
   */
  record Liveness(
      String queue,
      String namespace,
      String task,
      int partitions,
      int liveHour,
      int liveDay,
      int liveWeek,
      int createdDay,
      Instant oldestWriteAt,
      Instant newestWriteAt,
      long pending) {}

  /** What a refresh wrote. */
  record Refreshed(int queues, long partitions) {}

  /** PostgreSQL in its own words. */
  record Postgres(
      Map<String, Object> database,
      List<Map<String, Object>> tables,
      List<Map<String, Object>> activity,
      Map<String, String> settings) {}

  /** The counts of a scope, oldest first, by key. */
  List<Bucket> buckets(Scope scope, Span span, GroupBy key);

  /** The queues of a scope. */
  List<QueueNow> now(Scope scope);

  /** The dead letters of a queue; empty when there is no such queue. */
  Optional<DeadLetters> deadLetters(UUID tenant, String queue, int sampleMax);

  /** How alive partitions are, per queue of a scope. */
  List<Liveness> liveness(Scope scope);

  /** What the broker used, oldest first. */
  List<CellBucket> cell(Span span);

  Postgres postgres();

  /** Writes what is counted so far, though the minute is not over. */
  Refreshed refresh();
}
