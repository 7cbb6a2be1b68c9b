package dev.queencell.proxy.edge;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.metrics.EdgeMetrics;
import java.time.Duration;
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
  private static final long SUBJECTS_MAX = 10_000;

  private final EdgeMetrics metrics;
  private final Cache<Subject, Boolean> recent =
      Caffeine.newBuilder().maximumSize(SUBJECTS_MAX).expireAfterWrite(SILENCE).build();

  LimitNotes(EdgeMetrics metrics) {
    this.metrics = metrics;
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
