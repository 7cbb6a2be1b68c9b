package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterView;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a broker has of a cluster. Asking costs a call to the broker. Thread-safe. */
public interface Inventory {
  /**
   * All queues of a cluster.
   *
   * @param partitionsByQueue how many each has
   * @param retainedBytes of all together, or {@link StorageUse#UNKNOWN} when the broker doesn't say
   */
  record Queues(Map<String, Long> partitionsByQueue, long retainedBytes) {}

  /** The queues, or nothing when the broker gives no usable answer. */
  Optional<Queues> queues(ClusterView cluster);

  /** The names of a queue's partitions, or nothing when the broker gives no usable answer. */
  Optional<Set<String>> partitions(ClusterView cluster, String queue);
}
