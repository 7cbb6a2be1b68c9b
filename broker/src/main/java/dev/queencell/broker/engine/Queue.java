package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueCounts;
import dev.queencell.broker.store.QueueOptions;
import dev.queencell.broker.store.Ring;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A queue in memory: its options, partitions and groups. Belongs to one lane, and only that lane's
 * thread touches it; identity and tenant are fixed and may be read anywhere.
 */
final class Queue {
  /** Identity: never the name alone. */
  record Key(UUID tenant, String name) {}

  final long id;
  final Key key;
  final Lane lane;
  final long createdAtMicros;
  final Map<String, Partition> partitions = new HashMap<>();
  final Map<Long, Partition> partitionsById = new HashMap<>();
  final Map<String, Group> groups = new HashMap<>();
  String namespace;
  String task;
  QueueOptions options;

  final QueueSize size = new QueueSize(this);

  /** When it last had something for a discovery pop, by its lane's count of servings. */
  long served;

  /** What the options say about how long messages stay. */
  RetentionPolicy retention;

  /** Where new segments and transaction keys go; null: to the bucket that keeps. */
  Ring segmentRing;

  Ring hashRing;

  /** The highest buckets that rows of this queue may be in. */
  short bucketMax;

  short hashBucketMax;

  /** Dead letters of all its partitions; counted with every change, read by the metrics. */
  final AtomicLong deadLetters = new AtomicLong();

  /** What happened since the last minute was written, see {@link History}; null: nothing. */
  QueueCounts minuteCounts;

  /** What its tenant did, over all its queues. */
  final TenantMeters.Counters meters;

  Queue(
      long id,
      Key key,
      String namespace,
      String task,
      QueueOptions options,
      long createdAtMicros,
      Lane lane) {
    this.id = id;
    this.key = key;
    this.namespace = namespace;
    this.task = task;
    change(options);
    this.createdAtMicros = createdAtMicros;
    this.lane = lane;
    this.meters = lane.counters.tenants.of(key.tenant());
  }

  /** Gives it other options; rows go to other buckets from here on. */
  void change(QueueOptions changed) {
    options = changed;
    retention = RetentionPolicy.of(changed);
    segmentRing = retention.segmentRing();
    hashRing = retention.hashRing();
    mayBeIn(
        segmentRing == null ? Ring.KEPT : segmentRing.lastBucket(),
        hashRing == null ? Ring.KEPT : hashRing.lastBucket());
  }

  /** Rows of this queue may be in buckets up to these. */
  void mayBeIn(short segments, short hashes) {
    bucketMax = (short) Math.max(bucketMax, segments);
    hashBucketMax = (short) Math.max(hashBucketMax, hashes);
  }

  void remove(Partition partition) {
    for (var cursor : partition.cursors()) {
      cursor.gone = true;
    }
    partitions.remove(partition.name);
    partitionsById.remove(partition.id);
  }

  void add(Partition partition) {
    partitions.put(partition.name, partition);
    partitionsById.put(partition.id, partition);
  }

  boolean matches(PopRequest discovery) {
    return matches(discovery.namespace(), namespace) && matches(discovery.task(), task);
  }

  private static boolean matches(String wanted, String actual) {
    return wanted == null || wanted.isEmpty() || wanted.equals(actual);
  }
}
