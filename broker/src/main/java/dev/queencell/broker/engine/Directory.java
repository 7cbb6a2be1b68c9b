package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.QueueOptions;
import dev.queencell.broker.store.Rows.Contents;
import dev.queencell.broker.store.Rows.GroupRow;
import dev.queencell.broker.store.Rows.PartitionRow;
import dev.queencell.broker.store.Rows.QueueRow;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The queues of one lane, with their partitions and groups, by name and number. What does not exist
 * is created here, in memory and in the open commit at once. Used by the lane's thread.
 */
final class Directory {
  private final Lane lane;
  private final CellTerm term;
  private final Map<Queue.Key, Queue> queues = new HashMap<>();
  private final Map<UUID, Set<Queue>> byTenant = new HashMap<>();

  private long partitionCount;

  Directory(Lane lane, CellTerm term) {
    this.lane = lane;
    this.term = term;
  }

  Collection<Queue> queues() {
    return queues.values();
  }

  /** The queues of one tenant. */
  Collection<Queue> queuesOf(UUID tenant) {
    return byTenant.getOrDefault(tenant, Set.of());
  }

  long partitionCount() {
    return partitionCount;
  }

  /** A queue, or null. */
  Queue find(UUID tenant, String name) {
    return queues.get(new Queue.Key(tenant, name));
  }

  /** A queue; one that a push or a pop names comes into being with the implicit lease time. */
  Queue queue(UUID tenant, String name) {
    var queue = find(tenant, name);
    return queue != null
        ? queue
        : create(
            tenant,
            name,
            part(name, 0),
            part(name, 1),
            QueueOptions.defaults(QueueOptions.LEASE_TIME_IMPLICIT_SECONDS));
  }

  Queue create(UUID tenant, String name, String namespace, String task, QueueOptions options) {
    var queue =
        new Queue(
            term.nextQueueId(),
            new Queue.Key(tenant, name),
            namespace,
            task,
            options,
            lane.createdAtMicros(),
            lane);
    add(queue);
    write(queue);
    lane.delivery.queueAppeared(queue);
    return queue;
  }

  /** Puts a queue's row, as it is now, into the open commit. */
  void write(Queue queue) {
    term.rank(queue);
    lane.commit()
        .queue(
            new QueueRow(
                queue.id,
                queue.key.tenant(),
                queue.key.name(),
                queue.namespace,
                queue.task,
                OptionsJson.write(queue.options),
                queue.createdAtMicros,
                queue.bucketMax,
                queue.hashBucketMax));
  }

  void add(Queue queue) {
    queues.put(queue.key, queue);
    byTenant.computeIfAbsent(queue.key.tenant(), key -> new LinkedHashSet<>()).add(queue);
    term.register(queue);
    term.rank(queue);
  }

  void remove(Queue queue) {
    queues.remove(queue.key);
    byTenant.computeIfPresent(
        queue.key.tenant(),
        (tenant, own) -> {
          own.remove(queue);
          return own.isEmpty() ? null : own;
        });
    partitionCount -= queue.partitions.size();
    term.unregister(queue);
  }

  /**
   * A partition, created with its queue when it is new.
   *
   * @param previous the partition of the item before, which most often is the same; or null
   */
  Partition partition(UUID tenant, String queueName, String name, Partition previous) {
    if (previous != null
        && previous.name.equals(name)
        && previous.queue.key.name().equals(queueName)) {
      return previous;
    }
    var queue = queue(tenant, queueName);
    var partition = queue.partitions.get(name);
    return partition != null ? partition : create(queue, name);
  }

  private Partition create(Queue queue, String name) {
    long createdAt = lane.createdAtMicros();
    var partition = new Partition(queue, term.nextPartitionId(), name, createdAt, Contents.NONE);
    if (queue.options.dedupWindowSeconds() > 0) {
      partition.window = DedupWindow.ofNew();
    }
    add(queue, partition);
    lane.history.add(queue, QueueCount.PARTITIONS_CREATED, 1);
    lane.commit()
        .partition(new PartitionRow(partition.id, queue.id, name, createdAt, Contents.NONE, false));
    return partition;
  }

  void add(Queue queue, Partition partition) {
    queue.add(partition);
    partitionCount++;
  }

  void remove(Partition partition) {
    partition.queue.remove(partition);
    partitionCount--;
  }

  /** A group, created without a subscription when it is new. */
  Group group(Queue queue, String name) {
    var group = queue.groups.get(name);
    if (group == null) {
      var row =
          new GroupRow(
              term.nextGroupId(),
              queue.id,
              name,
              false,
              "all",
              0,
              false,
              true,
              lane.createdAtMicros());
      group = new Group(queue, row);
      queue.groups.put(name, group);
      lane.commit().group(row);
    }
    return group;
  }

  private static String part(String name, int index) {
    var parts = name.split("\\.", 3);
    // Without a dot there is neither namespace nor task in a name.
    return parts.length == 1 ? "" : index < Math.min(parts.length, 2) ? parts[index] : "";
  }
}
