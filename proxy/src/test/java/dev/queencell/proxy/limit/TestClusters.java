package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterStatus;
import dev.queencell.proxy.directory.ClusterView;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;

/** Clusters of which only the name and the limits matter. */
final class TestClusters {
  private TestClusters() {}

  static ClusterView of(String slug, ClusterLimits limits) {
    return new ClusterView(
        UUID.nameUUIDFromBytes(slug.getBytes(StandardCharsets.UTF_8)).toString(),
        slug,
        "uuid",
        ClusterStatus.ACTIVE,
        limits,
        Set.of(),
        new ClusterView.Blocks(false, false),
        "cell",
        "127.0.0.1",
        1,
        null);
  }

  /** No limits but on the number of queues and partitions. */
  static ClusterLimits capped(long queues, long partitionsPerQueue) {
    long no = ClusterLimits.UNLIMITED;
    return new ClusterLimits(no, no, no, no, queues, partitionsPerQueue, no, no, no, no, no);
  }
}
