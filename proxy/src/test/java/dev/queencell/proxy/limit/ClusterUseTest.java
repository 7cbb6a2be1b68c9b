package dev.queencell.proxy.limit;

import static dev.queencell.proxy.directory.ClusterLimits.UNLIMITED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClusterUseTest {
  private final ManualClock clock = new ManualClock();
  private final CellUse cell = new CellUse(clock, null);

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
  void beingForgottenBringsNobodyTokens() {
    var limits = limits(UNLIMITED, 1, UNLIMITED, UNLIMITED);
    var owing = cell.of(cluster("owing", limits));
    owing.debitDelivered(3600);
    clock.pass(Duration.ofMinutes(11));
    assertSame(owing, cell.of(cluster("owing", limits)));
    assertEquals(60, owing.takeMessages(1), "most of an hour is still owed");
    clock.pass(Duration.ofHours(1));
    cell.of(cluster("other", limits));
    assertNotSame(owing, cell.of(cluster("owing", limits)));
  }

  @Test
  void theHeadersTellThePolicyAndWhatIsLeft() {
    var use = cell.of(cluster("a", limits(5, 20, UNLIMITED, UNLIMITED)));
    assertEquals("\"requests\";q=10;w=2, \"messages\";q=40;w=2", use.ratePolicy());
    assertEquals("\"requests\";r=10;t=0, \"messages\";r=40;t=0", use.rateLeft());
    use.takeRequest();
    use.debitDelivered(139);
    assertEquals("\"requests\";r=9;t=0, \"messages\";r=0;t=5", use.rateLeft());
    assertNull(
        cell.of(cluster("b", limits(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED))).rateLeft());
  }

  @Test
  void parkedPlacesAreBoundedPerClusterAndPerCell() {
    var limits = limits(UNLIMITED, UNLIMITED, 2, UNLIMITED);
    var a = cell.of(cluster("a", limits));
    var b = cell.of(cluster("b", limits));
    assertTrue(a.park(3));
    assertTrue(a.park(3));
    assertFalse(a.park(3), "the cluster's third");
    assertTrue(b.park(3));
    assertFalse(b.park(3), "the cell's fourth");
    assertEquals(3, cell.parked());
    b.parkOver();
    assertEquals(4, cell.parked(), "what shadow mode lets in is seen");
    b.unpark(false);
    a.unpark(true);
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
        UNLIMITED,
        UNLIMITED);
  }

  private static ClusterView cluster(String slug, ClusterLimits limits) {
    return TestClusters.of(slug, limits);
  }
}
