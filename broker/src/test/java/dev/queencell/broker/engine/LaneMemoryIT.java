package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.TestDatabase;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a lane costs that is caught up and to which nothing happens. */
@Timeout(300)
class LaneMemoryIT {
  private static final int LANES = 50_000;
  private static final int BYTES_MAX = 512;

  /** Less than any lane takes, and far more than nothing. */
  private static final int BYTES_MIN = 128;

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  @Test
  void anIdleResidentLaneKeepsItsBudget() throws Exception {
    // A cache of one byte: what recent messages cost is the cache's, not the lane's.
    try (var cell = new EngineFixture(DATABASE, 1)) {
      cell.neighbour.push("idle", "partition-1");
      cell.neighbour.pop("idle", "g");
      pushToEveryLane(cell);
      long before = usedAfterCollection();
      cell.engine.close();
      long without = usedAfterCollection();
      long perLane = (before - without) / LANES;
      System.out.printf("%d idle lanes without a group: %d bytes each%n", LANES, perLane);
      cell.start();
      popFromEveryLane(cell);
      long busy = usedAfterCollection();
      cell.engine.close();
      long perConsumedLane = (busy - usedAfterCollection()) / LANES;
      System.out.printf("%d idle lanes with one group: %d bytes each%n", LANES, perConsumedLane);
      cell.start();
      assertTrue(perConsumedLane <= BYTES_MAX, perConsumedLane + " bytes");
      assertTrue(perLane >= BYTES_MIN, "an ended term gives back " + perLane + " bytes a lane");
    }
  }

  @Test
  void aDeletedLaneGivesItsMemoryBack() throws Exception {
    try (var cell = new EngineFixture(DATABASE, 1)) {
      cell.neighbour.push("idle", "partition-1");
      cell.neighbour.pop("idle", "g");
      pushToEveryLane(cell);
      popFromEveryLane(cell);
      long made = usedAfterCollection();
      cell.engine.deleteQueue(TENANT, "idle");
      long perLane = (made - usedAfterCollection()) / LANES;
      System.out.printf("%d deleted lanes gave back %d bytes each%n", LANES, perLane);
      assertTrue(perLane >= BYTES_MIN, perLane + " bytes");
    }
  }

  private static void pushToEveryLane(EngineFixture cell) {
    for (int from = 0; from < LANES; from += 1_000) {
      var items = new ArrayList<PushItem>();
      for (int i = from; i < from + 1_000; i++) {
        items.add(new PushItem("idle", "partition-" + i, null, null, Slice.utf8("1")));
      }
      cell.engine.push(TENANT, items);
    }
  }

  private static void popFromEveryLane(EngineFixture cell) throws Exception {
    int left = LANES;
    while (left > 0) {
      var pop =
          new PopRequest(
              TENANT, "idle", null, null, null, "g", 1_000, 1_000, true, 0, 0, false, null);
      var result = cell.engine.pop(pop).result().get(20, TimeUnit.SECONDS);
      left -= result.claims().size();
    }
  }

  private static long usedAfterCollection() {
    var memory = ManagementFactory.getMemoryMXBean();
    // The serial collector leaves some of what is dead where it lies, except every fourth time.
    for (int i = 0; i < 4; i++) {
      memory.gc();
    }
    return memory.getHeapMemoryUsage().getUsed();
  }
}
