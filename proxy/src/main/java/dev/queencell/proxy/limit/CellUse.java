package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import io.github.bucket4j.TimeMeter;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all clusters are using now. A cluster that was silent for ten minutes is forgotten once its
 * buckets are full, so that being forgotten brings nobody tokens; one with parked pops is not.
 *
 * <p>Thread-safe.
 */
public final class CellUse {
  private static final long IDLE_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long SWEEP_INTERVAL_NS = TimeUnit.MINUTES.toNanos(2);

  private final TimeMeter clock;
  private final SharedLimits shared;
  private final AtomicInteger parked = new AtomicInteger();
  private final AtomicInteger over = new AtomicInteger();
  private final ConcurrentMap<String, ClusterUse> clusters = new ConcurrentHashMap<>();
  private final AtomicLong lastSweepNs;

  /**
   * @param shared where several proxies share their limits, or null when this one is alone
   */
  public CellUse(TimeMeter clock, SharedLimits shared) {
    this.clock = clock;
    this.shared = shared;
    this.lastSweepNs = new AtomicLong(clock.currentTimeNanos());
  }

  /** The use of a cluster, brought to the limits in force. */
  public ClusterUse of(ClusterView cluster) {
    sweepNowAndThen();
    var use = clusters.get(cluster.id());
    if (use == null) {
      use =
          clusters.computeIfAbsent(
              cluster.id(), ignored -> new ClusterUse(cluster, clock, parked, over, shared));
    }
    use.use(cluster);
    return use;
  }

  /** True when taking a token may have to wait for the tenant state. */
  public boolean mayAsk(ClusterView cluster) {
    var limits = cluster.limits();
    return shared != null
        && (limits.requestsPerSecond() != ClusterLimits.UNLIMITED
            || limits.messagesPerSecond() != ClusterLimits.UNLIMITED);
  }

  /** The use of a cluster that is remembered, or null. */
  public ClusterUse ofKnown(String clusterId) {
    return clusters.get(clusterId);
  }

  /** A cluster changed: the queues that it was seen to have may be gone. */
  public void clusterChanged(String clusterId) {
    var use = clusters.get(clusterId);
    if (use != null) {
      use.queues().doubt();
    }
  }

  /** The clusters in use, each as it was last seen. */
  public List<ClusterView> inUse() {
    return clusters.values().stream().map(ClusterUse::cluster).toList();
  }

  /** Parked pops of the whole cell, also those that shadow mode let in over a cap. */
  public int parked() {
    return parked.get() + over.get();
  }

  /** Clusters that are remembered. */
  public int clusters() {
    return clusters.size();
  }

  private void sweepNowAndThen() {
    long now = clock.currentTimeNanos();
    long last = lastSweepNs.get();
    if (now - last >= SWEEP_INTERVAL_NS && lastSweepNs.compareAndSet(last, now)) {
      clusters.values().removeIf(use -> now - use.lastUsedNs() >= IDLE_NS && use.isAtRest());
    }
  }
}
