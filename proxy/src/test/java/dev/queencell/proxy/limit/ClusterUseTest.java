package dev.queencell.proxy.limit;

import static dev.queencell.proxy.directory.ClusterLimits.UNLIMITED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterStatus;
import dev.queencell.proxy.directory.ClusterView;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterUseTest {
  private final ManualClock clock = new ManualClock();
  private final CellUse cell = new CellUse(clock);

  @Test
  void anUnlimitedClusterIsNeverRefused() {
    var use = cell.of(cluster("a", limits(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED)));
    for (int i = 0; i < 10_000; i++) {
      assertEquals(ClusterUse.GRANTED, use.takeRequest());
    }
    assertEquals(ClusterUse.GRANTED, use.takeMessages(1_000_000));
    assertFalse(use.countsMessages());
    assertTrue(use.park(10));
  }

  @Test
  void clustersDontShareTokens() {
    var limits = limits(1, UNLIMITED, UNLIMITED, UNLIMITED);
    assertEquals(ClusterUse.GRANTED, cell.of(cluster("a", limits)).takeRequest());
    assertEquals(ClusterUse.GRANTED, cell.of(cluster("a", limits)).takeRequest());
    assertEquals(1, cell.of(cluster("a", limits)).takeRequest());
    assertEquals(ClusterUse.GRANTED, cell.of(cluster("b", limits)).takeRequest());
  }

  @Test
  void newLimitsApplyToTheNextRequest() {
    cell.of(cluster("a", limits(1, UNLIMITED, UNLIMITED, UNLIMITED))).takeRequest();
    cell.of(cluster("a", limits(1, UNLIMITED, UNLIMITED, UNLIMITED))).takeRequest();
    var lifted = cluster("a", limits(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED));
    assertEquals(ClusterUse.GRANTED, cell.of(lifted).takeRequest());
    var lowered = cluster("a", limits(0, UNLIMITED, UNLIMITED, UNLIMITED));
    assertEquals(60, cell.of(lowered).takeRequest());
  }

  @Test
  void parkedPlacesAreBoundedPerClusterAndPerCell() {
    var limits = limits(UNLIMITED, UNLIMITED, 2, UNLIMITED);
    var a = cell.of(cluster("a", limits));
    var b = cell.of(cluster("b", limits));
    assertTrue(a.park(3));
    assertTrue(a.park(3));
    assertFalse(a.park(3), "the cluster's third");
    a.unpark();
    assertTrue(b.park(3));
    assertFalse(b.park(3), "the cell's fourth");
    b.unpark();
    assertEquals(3, cell.parked());
    a.unpark();
    assertTrue(b.park(3), "a place was given back");
  }

  @Test
  void aSilentClusterIsForgottenUnlessSomethingIsParked() {
    var limits = limits(1, UNLIMITED, UNLIMITED, UNLIMITED);
    var silent = cell.of(cluster("silent", limits));
    var waiting = cell.of(cluster("waiting", limits));
    assertTrue(waiting.park(10));
    clock.pass(Duration.ofMinutes(11));
    cell.of(cluster("other", limits));
    assertSame(waiting, cell.of(cluster("waiting", limits)));
    assertNotSame(silent, cell.of(cluster("silent", limits)));
  }

  @Test
  void queuesAndPartitionsAreCountedOnce() {
    var limits = limits(UNLIMITED, UNLIMITED, UNLIMITED, 2);
    var queues = cell.of(cluster("a", limits)).queues();
    assertEquals(QueueRegistry.Verdict.ADMITTED, queues.admit("q1", "p1", limits));
    assertEquals(QueueRegistry.Verdict.ADMITTED, queues.admit("q1", "p1", limits));
    assertEquals(QueueRegistry.Verdict.ADMITTED, queues.admit("q1", "p2", limits));
    assertEquals(QueueRegistry.Verdict.TOO_MANY_PARTITIONS, queues.admit("q1", "p3", limits));
    assertEquals(QueueRegistry.Verdict.ADMITTED, queues.admit("q2", "p1", limits));
    assertEquals(QueueRegistry.Verdict.TOO_MANY_QUEUES, queues.admit("q3", "p1", limits));
    queues.remove("q2");
    assertEquals(QueueRegistry.Verdict.ADMITTED, queues.admit("q3", "p1", limits));
    cell.clusterChanged("a");
    assertEquals(QueueRegistry.Verdict.ADMITTED, queues.admit("q4", "p1", limits));
  }

  private static ClusterLimits limits(
      long requestsPerSecond, long messagesPerSecond, long parkedPops, long queues) {
    return new ClusterLimits(
        requestsPerSecond,
        UNLIMITED,
        messagesPerSecond,
        UNLIMITED,
        queues,
        queues,
        parkedPops,
        UNLIMITED,
        UNLIMITED,
        UNLIMITED);
  }

  private static ClusterView cluster(String id, ClusterLimits limits) {
    return new ClusterView(
        id, id, "uuid", ClusterStatus.ACTIVE, limits, Set.of(), "cell", "127.0.0.1", 1, null);
  }
}
