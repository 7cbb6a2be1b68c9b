package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Pops over lanes whose messages all have to be read back are as full as if they were in memory. A
 * second tenant has the same lanes, of which nothing may come.
 */
@Timeout(120)
class ColdPopIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int LANES = 30;
  private static final int EACH = 3;

  private static EngineFixture cell;
  private String queue;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, 100);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  @BeforeEach
  void fill(TestInfo test) {
    queue = "cold." + test.getTestMethod().orElseThrow().getName();
    fill(queue);
  }

  /** Every lane's messages in segments of their own; then all of it out of memory. */
  private static void fill(String queue) {
    for (int message = 0; message < EACH; message++) {
      var items = new ArrayList<PushItem>();
      for (int lane = 0; lane < LANES; lane++) {
        var text = "\"" + lane + "/" + message + "\"";
        items.add(new PushItem(queue, "lane" + lane, null, null, Slice.utf8(text)));
      }
      cell.engine.push(TENANT, items);
      cell.neighbour.push(queue, "lane" + message);
    }
    cell.restart();
  }

  private PopRequest request(int batch, int partitions, long waitMs) {
    return new PopRequest(
        TENANT, queue, null, null, null, "g", batch, partitions, false, waitMs, 0, false, null);
  }

  private static void assertWhole(List<Got> got, int messages) {
    var texts = new HashSet<>(EngineFixture.texts(got));
    assertEquals(messages, got.size());
    assertEquals(messages, texts.size());
  }

  @Test
  void aPopTakesAllThatIsInColdLanes() throws Exception {
    assertWhole(cell.pop(request(LANES * EACH + 10, 0, 0)), LANES * EACH);
  }

  @Test
  void aPopOfColdLanesFillsItsBatchAndLeavesTheRest() throws Exception {
    assertWhole(cell.pop(request(50, 0, 0)), 50);
    assertWhole(cell.pop(request(LANES * EACH, 0, 0)), LANES * EACH - 17 * EACH);
  }

  @Test
  void noMorePartitionsAreTakenThanAskedFor() throws Exception {
    assertWhole(cell.pop(request(LANES * EACH, 10, 0)), 10 * EACH);
  }

  @Test
  void aWaitingPopIsAsFullAsOneThatDoesNotWait() throws Exception {
    assertWhole(cell.pop(request(LANES * EACH, 0, 20_000)), LANES * EACH);
  }

  @Test
  void whatIsInMemoryDoesNotKeepAPopFromReadingTheRest() throws Exception {
    cell.push(queue, "warm", "a", "b");
    assertWhole(cell.pop(request(LANES * EACH + 2, 0, 0)), LANES * EACH + 2);
  }

  @Test
  void aDiscoveringPopTakesAllThatIsInTheColdLanesOfItsQueues() throws Exception {
    var second = "second." + queue;
    fill(second);
    for (var name : List.of(queue, second)) {
      cell.engine.configure(TENANT, name, "found", "", Json.object(), false);
    }
    var discovery =
        new PopRequest(TENANT, null, null, "found", null, "d", 500, 0, false, 0, 0, false, null);
    assertEquals(2 * LANES * EACH, cell.pop(discovery).size());
    assertEquals(0, cell.pop(discovery).size());
  }

  @Test
  void oneLaneIsReadUntilTheBatchIsFull() throws Exception {
    int segments = 700;
    for (int i = 0; i < segments; i++) {
      cell.push(queue, "long", "m" + i);
    }
    cell.restart();
    var got = cell.pop(EngineFixture.request(queue, "long", PopRequest.QUEUE_MODE, segments + 1));
    assertEquals(segments, got.size());
    for (int i = 0; i < segments; i++) {
      assertEquals("m" + i, got.get(i).text());
    }
  }

  @Test
  void consumersThatCompeteForColdLanesGetEveryMessageOnce() throws Exception {
    var tickets = new ArrayList<PopTicket>();
    for (int i = 0; i < 5; i++) {
      tickets.add(cell.engine.pop(request(LANES * EACH / 5, 0, 20_000)));
    }
    var all = new ArrayList<Got>();
    for (var ticket : tickets) {
      var got = EngineFixture.got(ticket.result().get(20, TimeUnit.SECONDS));
      assertEquals(LANES * EACH / 5, got.size());
      all.addAll(got);
    }
    assertWhole(all, LANES * EACH);
  }
}
