package dev.queencell.broker.engine;

import dev.queencell.broker.engine.History.Unwritten;
import dev.queencell.broker.store.HistoryReader;
import dev.queencell.broker.store.HistoryReader.Bucket;
import dev.queencell.broker.store.HistoryReader.CellBucket;
import dev.queencell.broker.store.HistoryReader.DeadLetters;
import dev.queencell.broker.store.HistoryReader.GroupBy;
import dev.queencell.broker.store.HistoryReader.Scope;
import dev.queencell.broker.store.HistoryReader.Span;
import dev.queencell.broker.store.PostgresReader;
import dev.queencell.broker.store.QueueCounts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Reads history beside the lanes and adds what they have not written yet. A lane that writes
 * between the two readings would make a minute count twice or not at all: then both are done again.
 */
final class CellAnalytics implements Analytics {
  /** Lanes write once a minute: two in a row are chance enough. */
  private static final int ATTEMPTS_MAX = 4;

  private final LaneCalls calls;
  private final CellReads reads;

  CellAnalytics(LaneCalls calls, CellReads reads) {
    this.calls = calls;
    this.reads = reads;
  }

  private record BucketKey(int minute, String key) implements Comparable<BucketKey> {
    @Override
    public int compareTo(BucketKey other) {
      int byTime = Integer.compare(minute, other.minute);
      return byTime != 0 ? byTime : key.compareTo(other.key);
    }
  }

  @Override
  public List<Bucket> buckets(Scope scope, Span span, GroupBy key) {
    var unwritten = unwritten(scope);
    List<Bucket> written = List.of();
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      written = reads.read(session -> new HistoryReader(session).buckets(scope, span, key));
      var after = unwritten(scope);
      boolean same = flushes(after).equals(flushes(unwritten));
      unwritten = after;
      if (same) {
        break;
      }
    }
    var all = new TreeMap<BucketKey, QueueCounts>();
    for (var bucket : written) {
      all.put(new BucketKey(bucket.minute(), bucket.key()), bucket.counts());
    }
    for (var lane : unwritten) {
      if (span.holds(lane.minute())) {
        for (var entry : lane.queues()) {
          var place = new BucketKey(span.bucketOf(lane.minute()), keyOf(entry.queue(), key));
          all.computeIfAbsent(place, ignored -> new QueueCounts()).fold(entry.counts());
        }
      }
    }
    var buckets = new ArrayList<Bucket>(all.size());
    all.forEach((place, counts) -> buckets.add(new Bucket(place.key(), place.minute(), counts)));
    return buckets;
  }

  private List<Unwritten> unwritten(Scope scope) {
    return calls.onEvery(
        scope.tenant(),
        lane -> lane.history.snapshot(queue -> AnalyticsTasks.matches(queue, scope)));
  }

  private static List<Long> flushes(List<Unwritten> lanes) {
    return lanes.stream().map(Unwritten::flushes).toList();
  }

  private static String keyOf(History.Named queue, GroupBy key) {
    return switch (key) {
      case ALL -> "";
      case QUEUE -> queue.name();
      case NAMESPACE -> queue.namespace();
      case TASK -> queue.task();
    };
  }

  @Override
  public List<QueueNow> now(Scope scope) {
    var all = new ArrayList<QueueNow>();
    calls.onEvery(scope.tenant(), lane -> AnalyticsTasks.now(lane, scope)).forEach(all::addAll);
    all.sort(Comparator.comparing(QueueNow::queue).thenComparing(QueueNow::tenant));
    return all;
  }

  @Override
  public Optional<DeadLetters> deadLetters(UUID tenant, String queue, int sampleMax) {
    return calls
        .onQueue(
            tenant,
            queue,
            lane -> Optional.ofNullable(lane.directory.find(tenant, queue)).map(found -> found.id))
        .map(id -> reads.read(session -> new HistoryReader(session).deadLetters(id, sampleMax)));
  }

  @Override
  public List<Liveness> liveness(Scope scope) {
    var all = new ArrayList<Liveness>();
    calls
        .onEvery(scope.tenant(), lane -> AnalyticsTasks.liveness(lane, scope))
        .forEach(all::addAll);
    return all;
  }

  @Override
  public List<CellBucket> cell(Span span) {
    calls.term();
    return reads.read(session -> new HistoryReader(session).cell(span));
  }

  @Override
  public Postgres postgres() {
    return reads.read(
        session -> {
          var reader = new PostgresReader(session);
          return new Postgres(
              reader.database(), reader.tables(), reader.activity(), reader.settings());
        });
  }

  @Override
  public Refreshed refresh() {
    int queues = 0;
    for (int written : calls.onEvery(null, lane -> lane.history.flush())) {
      queues += written;
    }
    return new Refreshed(queues, calls.term().partitionCount());
  }
}
