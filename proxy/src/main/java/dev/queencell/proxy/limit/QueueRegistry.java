package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queues and partitions that one cluster has used through this process, for the caps on their
 * number. Holds no more than the caps allow: what is refused, or only would be, is not recorded.
 *
 * <p>Thread-safe. Knows nothing from before the process started, so that right after a start the
 * caps are generous.
 */
public final class QueueRegistry {
  /** Which cap a new pair is over. */
  public enum Verdict {
    ADMITTED,
    TOO_MANY_QUEUES,
    TOO_MANY_PARTITIONS
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Set<String>> partitionsByQueue = new HashMap<>();

  /** Records a pair if the caps allow it. */
  public Verdict admit(String queue, String partition, ClusterLimits limits) {
    lock.lock();
    try {
      var partitions = partitionsByQueue.get(queue);
      if (partitions != null && partitions.contains(partition)) {
        return Verdict.ADMITTED;
      }
      if (partitions == null && isOver(partitionsByQueue.size() + 1, limits.queues())) {
        return Verdict.TOO_MANY_QUEUES;
      }
      int partitionsThen = partitions == null ? 1 : partitions.size() + 1;
      if (isOver(partitionsThen, limits.partitionsPerQueue())) {
        return Verdict.TOO_MANY_PARTITIONS;
      }
      partitionsByQueue.computeIfAbsent(queue, ignored -> new HashSet<>()).add(partition);
      return Verdict.ADMITTED;
    } finally {
      lock.unlock();
    }
  }

  /** The queue is gone from the broker. */
  public void remove(String queue) {
    lock.lock();
    try {
      partitionsByQueue.remove(queue);
    } finally {
      lock.unlock();
    }
  }

  /** Starts over. */
  void clear() {
    lock.lock();
    try {
      partitionsByQueue.clear();
    } finally {
      lock.unlock();
    }
  }

  private static boolean isOver(long count, long cap) {
    return cap != ClusterLimits.UNLIMITED && count > cap;
  }
}
