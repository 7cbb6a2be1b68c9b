package dev.queencell.proxy.edge;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.metrics.EdgeMetrics;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes of exceeded limits: each is counted, and logged at most once in ten seconds per cluster and
 * limit, so that a flood of refusals is not a flood of lines.
 *
 * <p>Thread-safe.
 */
final class LimitNotes {
  private record Subject(String clusterId, String limit) {}

  /** The name that operators filter by. */
  private static final Logger LOG = LoggerFactory.getLogger("limits");

  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final long SPOOLING_SILENCE_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long SUBJECTS_MAX = 10_000;

  private final EdgeMetrics metrics;
  private final AtomicLong lastSpoolingNs = new AtomicLong(System.nanoTime() - SPOOLING_SILENCE_NS);
  private final Cache<Subject, Boolean> recent =
      Caffeine.newBuilder().maximumSize(SUBJECTS_MAX).expireAfterWrite(SILENCE).build();

  LimitNotes(EdgeMetrics metrics) {
    this.metrics = metrics;
  }

  /** A body that nobody could count went to the broker, which will say what is wrong with it. */
  void unreadable(ClusterView cluster) {
    note(cluster, "messages", "unreadable=true");
  }

  /** Most of a push went to the broker's disk instead of its database. */
  void spooling(ClusterView cluster) {
    long now = System.nanoTime();
    long last = lastSpoolingNs.get();
    if (now - last >= SPOOLING_SILENCE_NS && lastSpoolingNs.compareAndSet(last, now)) {
      LOG.warn("cell {} is spooling", cluster.cellSlug());
    }
  }

  /** A limit refused a request. */
  void blocked(ClusterView cluster, String limit) {
    note(cluster, limit, "blocked=true");
  }

  /** A limit would have refused a request if limits were enforced. */
  void wouldBlock(ClusterView cluster, String limit) {
    metrics.wouldBlock(limit);
    note(cluster, limit, "would_block=true");
  }

  private void note(ClusterView cluster, String limit, String outcome) {
    var subject = new Subject(cluster.id(), limit);
    if (recent.asMap().putIfAbsent(subject, Boolean.TRUE) == null) {
      LOG.info("{} cluster={} limit={}", outcome, cluster.slug(), limit);
    }
  }
}
