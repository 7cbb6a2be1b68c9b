package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Consumers that wait for whichever queue of a namespace gets something first. */
@Timeout(120)
class DiscoveryPopsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int WAIT_MS = 60_000;
  private static final int CACHE_BYTES = 1 << 20;

  private static EngineFixture cell;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, CACHE_BYTES);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  private static PopTicket park(String namespace, String group) {
    return cell.engine.pop(request(namespace, group, WAIT_MS));
  }

  private static PopRequest request(String namespace, String group, long waitMs) {
    return new PopRequest(
        TENANT, null, null, namespace, null, group, 10, 1, false, waitMs, 300, false, null);
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
    // By then it waits: it must be woken, not just arrive late.
    cell.push("elsewhere.x", "p", "not this");
    assertFalse(waiting.isDone());
    cell.engine.configure(TENANT, "moves", "moved", "", Json.object(), false);
    assertEquals(List.of("early"), texts(waiting));
  }

  @Test
  void aPopIsAnsweredThoughTheQueueThatIsReadForItIsMovedAway() throws Exception {
    cell.push("leaves.x", "p", "x".repeat(50));
    cell.push("fills", "p", "y".repeat(CACHE_BYTES));
    PopTicket pop;
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("LOCK TABLE queen.segments IN ACCESS EXCLUSIVE MODE");
      long before = cell.engine.counters().coldReads.sum();
      pop = cell.engine.pop(request("leaves", "g", 0));
      Await.until("a read", () -> cell.engine.counters().coldReads.sum() > before);
      cell.engine.configure(TENANT, "leaves.x", "elsewhere", "", Json.object(), false);
      connection.rollback();
    }
    assertEquals(List.of(), texts(pop.result()));
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

  /** Over two lanes, in a database of its own. */
  @Nested
  class OverTwoLanes {
    @RegisterExtension static final TestDatabase OWN = TestDatabase.empty();

    private CellEngine engine;

    @BeforeEach
    void open() {
      engine =
          CellEngine.open(
              new EngineConfig(
                  OWN.jdbcUrl(),
                  OWN.user(),
                  OWN.password(),
                  "http://127.0.0.1:1",
                  2,
                  CACHE_BYTES,
                  CACHE_BYTES));
      Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
    }

    @AfterEach
    void close() {
      engine.close();
    }

    private void push(String queue, String partition) {
      engine.push(TENANT, List.of(new PushItem(queue, partition, null, null, Slice.utf8("1"))));
    }

    @Test
    void popsThatCompeteForTheHighestPriorityAreAllAnswered() throws Exception {
      for (int i = 0; i < 4; i++) {
        var options = Json.object().put("priority", 1 + 4 * (i % 2));
        engine.configure(TENANT, "ranked.q" + i, "ranked", "", options, false);
      }
      for (int round = 0; round < 30; round++) {
        for (int i = 0; i < 4; i++) {
          push("ranked.q" + i, "p" + round);
        }
        var burst = engine.burst();
        var pops = new ArrayList<PopTicket>();
        for (int i = 0; i < 6; i++) {
          pops.add(engine.pop(request("ranked", "g", 0)));
        }
        burst.run();
        for (var pop : pops) {
          pop.result().get(30, TimeUnit.SECONDS);
        }
      }
    }

    @Test
    void popsThatFindNothingAreAllAnsweredThoughBothLanesLookAtOnce() throws Exception {
      for (int round = 0; round < 50_000; round++) {
        var pops = new ArrayList<PopTicket>();
        for (int i = 0; i < 20; i++) {
          pops.add(engine.pop(request("nothing", "g", 0)));
        }
        for (var pop : pops) {
          pop.result().get(30, TimeUnit.SECONDS);
        }
      }
    }
  }
}
