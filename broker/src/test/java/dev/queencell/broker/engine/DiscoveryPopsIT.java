package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Consumers that wait for whichever queue of a namespace gets something first. */
@Timeout(120)
class DiscoveryPopsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int WAIT_MS = 60_000;

  private static EngineFixture cell;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, 1 << 20);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  private static PopTicket park(String namespace, String group) {
    return cell.engine.pop(
        new PopRequest(
            TENANT, null, null, namespace, null, group, 10, 1, false, WAIT_MS, 300, false, null));
  }

  private static List<String> texts(CompletableFuture<PopResult> pop) throws Exception {
    return EngineFixture.texts(EngineFixture.got(pop.get(30, TimeUnit.SECONDS)));
  }

  @Test
  void aWaitingPopFindsAQueueThatComesLater() throws Exception {
    cell.push("later.x", "p", "before");
    assertEquals(List.of("before"), texts(park("later", "g").result()));
    var waiting = park("later", "g").result();
    cell.push("elsewhere.x", "p", "not this");
    assertFalse(waiting.isDone());
    cell.push("later.y", "p", "this");
    assertEquals(List.of("this"), texts(waiting));
  }

  @Test
  void aWaitingPopFindsAQueueThatIsMovedIntoItsNamespace() throws Exception {
    cell.push("moves", "p", "early");
    cell.push("moved.x", "p", "other");
    assertEquals(List.of("other"), texts(park("moved", "g").result()));
    var waiting = park("moved", "g").result();
    cell.engine.configure(TENANT, "moves", "moved", "", Json.object(), false);
    cell.push("moves", "p", "late");
    assertEquals(List.of("early", "late"), texts(waiting));
  }

  @Test
  void everyGroupGetsTheMessageAndOfEachTheOneThatWaitsLongest() throws Exception {
    cell.push("fair.x", "p", "first");
    for (var group : List.of("g", "h")) {
      assertEquals(List.of("first"), texts(park("fair", group).result()));
    }
    // A lease holds what is taken, so that the next message needs a lane of its own.
    var waiting = new ArrayList<CompletableFuture<PopResult>>();
    for (var group : List.of("g", "h", "g", "h")) {
      waiting.add(park("fair", group).result());
    }
    cell.push("fair.x", "q", "second");
    assertEquals(List.of("second"), texts(waiting.get(0)));
    assertEquals(List.of("second"), texts(waiting.get(1)));
    assertFalse(waiting.get(2).isDone() || waiting.get(3).isDone());
    cell.push("fair.y", "p", "third");
    assertEquals(List.of("third"), texts(waiting.get(2)));
    assertEquals(List.of("third"), texts(waiting.get(3)));
  }

  @Test
  void whatAMessageCostsDoesNotGrowWithThoseWhoWaitForOthers() throws Exception {
    int queues = 500;
    int consumers = 500;
    for (int i = 0; i < queues; i++) {
      cell.push("many.q" + i, "p", "before");
    }
    var waiting = new ArrayList<PopTicket>();
    for (int i = 0; i < consumers; i++) {
      waiting.add(park("many", "g" + i % 2));
    }
    // Every queue gives its message to a consumer of each group; what is left waits.
    for (int i = 0; i < 2 * queues; i++) {
      assertEquals(List.of("before"), texts(waiting.get(i).result()));
      waiting.add(park("many", "g" + i % 2));
    }
    // Twice, since a first time loads classes.
    for (int round = 0; round < 2; round++) {
      long before = LaneThreads.allocatedBytes();
      cell.push("many.new" + round, "p", "now");
      cell.push("many.q7", "round" + round, "now");
      long allocated = LaneThreads.allocatedBytes() - before;
      System.out.printf("%,d bytes beside %,d consumers%n", allocated, consumers);
      assertTrue(round == 0 || allocated < 800L * consumers, "bytes: " + allocated);
    }
    waiting.forEach(PopTicket::cancel);
  }
}
