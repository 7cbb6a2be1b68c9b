package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queues and partitions that one cluster has, for the caps on their number: what the broker
 * lists, and what was admitted here since. The broker is asked when a name comes that is not known
 * yet: once for the queues, and once for the partitions of each queue that had some before this
 * process saw it. So a cap of N means N, also after a restart, and what exists keeps working.
 *
 * <p>Holds what exists and what the caps allow: what is refused, or only would be, is not recorded.
 * Admitting is one step under a lock, so that two that come at once can't both be the last.
 *
 * <p>Thread-safe.
 */
public final class QueueRegistry {
  /** Which cap a new pair is over. */
  public enum Verdict {
    ADMITTED,
    TOO_MANY_QUEUES,
    TOO_MANY_PARTITIONS
  }

  private static final class Queue {
    final Set<String> partitions = new HashSet<>();

    /** How many the broker has: a floor while their names are not known. */
    long stored;

    /** True when all of the broker's are in {@link #partitions}. */
    boolean namesKnown;

    /** A push that was admitted at this time may not have reached the broker's list yet. */
    long admittedAtNs;
  }

  /** By then what was admitted is in the broker's list, or will never be. */
  private static final long ADMISSION_SETTLES_NS = TimeUnit.SECONDS.toNanos(60);

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Queue> queues = new HashMap<>();
  private boolean listed;

  /** Records a pair if the caps allow it. */
  public Verdict admit(
      String queueName, String partition, ClusterView cluster, Inventory inventory) {
    var limits = cluster.limits();
    lock.lock();
    try {
      var queue = queues.get(queueName);
      boolean capsPartitions = limits.partitionsPerQueue() != ClusterLimits.UNLIMITED;
      if (queue != null && (!capsPartitions || queue.partitions.contains(partition))) {
        return Verdict.ADMITTED;
      }
      if (!listed) {
        inventory.queues(cluster).ifPresent(this::take);
        queue = queues.get(queueName);
      }
      if (queue == null) {
        if (isOver(queues.size() + 1L, limits.queues())) {
          return Verdict.TOO_MANY_QUEUES;
        }
        queue = new Queue();
        queue.namesKnown = true;
      } else if (!queue.namesKnown && capsPartitions) {
        learnNames(queueName, queue, cluster, inventory);
      }
      if (queue.partitions.contains(partition)) {
        return Verdict.ADMITTED;
      }
      // Without all names, the broker's count is a floor.
      long partitionsThen = Math.max(queue.partitions.size(), queue.stored) + 1;
      if (isOver(partitionsThen, limits.partitionsPerQueue())) {
        return Verdict.TOO_MANY_PARTITIONS;
      }
      if (capsPartitions) {
        queue.partitions.add(partition);
      }
      queue.admittedAtNs = System.nanoTime();
      queues.put(queueName, queue);
      return Verdict.ADMITTED;
    } finally {
      lock.unlock();
    }
  }

  /**
   * True when a pair is known to be admitted; false also while somebody asks the broker, since this
   * doesn't wait.
   */
  public boolean isKnown(String queueName, String partition, ClusterLimits limits) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      var queue = queues.get(queueName);
      return queue != null
          && (limits.partitionsPerQueue() == ClusterLimits.UNLIMITED
              || queue.partitions.contains(partition));
    } finally {
      lock.unlock();
    }
  }

  /** The queue is gone from the broker. */
  public void remove(String queue) {
    lock.lock();
    try {
      queues.remove(queue);
    } finally {
      lock.unlock();
    }
  }

  /** What the broker lists now, all of it. */
  void take(Inventory.Queues found) {
    lock.lock();
    try {
      long now = System.nanoTime();
      listed = true;
      queues
          .entrySet()
          .removeIf(
              entry ->
                  !found.partitionsByQueue().containsKey(entry.getKey())
                      && isSettled(entry.getValue(), now));
      found.partitionsByQueue().forEach((name, stored) -> take(name, stored, now));
    } finally {
      lock.unlock();
    }
  }

  /** Something changed: the broker is asked again before the next name that is not known. */
  void doubt() {
    lock.lock();
    try {
      listed = false;
    } finally {
      lock.unlock();
    }
  }

  private void take(String name, long stored, long now) {
    var queue = queues.computeIfAbsent(name, ignored -> new Queue());
    queue.stored = stored;
    if (stored == 0) {
      queue.namesKnown = true;
    }
    // Some that are known are gone, or some that nobody here admitted are there.
    if (stored != queue.partitions.size() && isSettled(queue, now)) {
      queue.partitions.clear();
      queue.namesKnown = stored == 0;
    }
  }

  private static void learnNames(
      String name, Queue queue, ClusterView cluster, Inventory inventory) {
    Optional<Set<String>> names = inventory.partitions(cluster, name);
    names.ifPresent(
        found -> {
          queue.partitions.addAll(found);
          queue.namesKnown = true;
        });
  }

  private static boolean isSettled(Queue queue, long now) {
    return queue.admittedAtNs == 0 || now - queue.admittedAtNs >= ADMISSION_SETTLES_NS;
  }

  private static boolean isOver(long count, long cap) {
    return cap != ClusterLimits.UNLIMITED && count > cap;
  }
}
