package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueCounts;
import dev.queencell.broker.store.QueueOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

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
    this.options = options;
    this.createdAtMicros = createdAtMicros;
    this.lane = lane;
    this.meters = lane.counters.tenants.of(key.tenant());
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
