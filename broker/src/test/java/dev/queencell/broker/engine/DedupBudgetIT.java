package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Deduplication with memory for a handful of keys, and for ids that the broker minted itself. */
@Timeout(120)
class DedupBudgetIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int KEYS_IN_MEMORY = 8;
  private static final int KEYS = 60;
  private static final int PARTITIONS = 3;
  private static final int PUSHES = 120;

  private static EngineFixture cell;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, 1 << 20, KEYS_IN_MEMORY * DedupWindow.ENTRY_BYTES);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  @Test
  void windowsLargerThanTheBudgetGiveTheVerdictsOfAMap() {
    long seed = System.nanoTime();
    System.out.println("DedupBudgetIT seed " + seed);
    var random = new Random(seed);
    Map<String, UUID> stored = new HashMap<>();
    for (int push = 0; push < PUSHES; push++) {
      if (push == PUSHES / 2) {
        cell.restart();
      }
      cell.neighbour.push("budget", "p" + push % PARTITIONS);
      var items = new ArrayList<PushItem>();
      var names = new ArrayList<String>();
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        var partition = "p" + random.nextInt(PARTITIONS);
        var key = "k" + random.nextInt(KEYS);
        names.add(partition + key);
        items.add(
            new PushItem(
                "budget", partition, Slice.utf8(key), null, Slice.utf8("\"" + key + "\"")));
      }
      var outcomes = cell.engine.push(TENANT, items);
      for (int i = 0; i < outcomes.size(); i++) {
        var outcome = outcomes.get(i);
        var original = stored.putIfAbsent(names.get(i), outcome.messageId());
        assertEquals(original == null ? Status.QUEUED : Status.DUPLICATE, outcome.status());
        assertEquals(stored.get(names.get(i)), outcome.messageId(), "the original's id");
      }
    }
    assertTrue(stored.size() > 10 * KEYS_IN_MEMORY, "the window outgrew the memory for it");
  }

  @Test
  void aMintedIdThatIsPushedAgainIsADuplicate() throws Exception {
    var first = cell.push("minted", "p", "a").getFirst();
    var id = first.messageId().toString();
    assertEquals(Status.DUPLICATE, cell.pushWithId("minted", "p", id, "again").status());
    assertEquals(first.messageId(), cell.pushWithId("minted", "p", id, "again").messageId());
    cell.restart();
    assertEquals(first.messageId(), cell.pushWithId("minted", "p", id, "again").messageId());
    // In another partition it is another message.
    assertEquals(Status.QUEUED, cell.pushWithId("minted", "q", id, "other").status());
    assertEquals(
        List.of("a"),
        EngineFixture.texts(
            cell.pop(EngineFixture.request("minted", "p", PopRequest.QUEUE_MODE, 5))));
  }

  @Test
  void theZeroIdIsAnIdLikeAnyOther() {
    var zero = new UUID(0, 0).toString();
    assertEquals(Status.QUEUED, cell.pushWithId("zero", "p", zero, "a").status());
    cell.restart();
    assertEquals(Status.DUPLICATE, cell.pushWithId("zero", "p", zero, "b").status());
  }

  @Test
  void aWindowThatGrowsFindsWhatItHadForgotten() throws Exception {
    var options = Json.object();
    cell.engine.configure(
        TENANT, "grows", null, null, options.put("dedupWindowSeconds", 3600), false);
    var first = cell.pushWithId("grows", "p", "k", "a");
    cell.engine.configure(TENANT, "grows", null, null, options.put("dedupWindowSeconds", 0), false);
    assertEquals(Status.QUEUED, cell.pushWithId("grows", "p", "k", "b").status());
    cell.engine.configure(
        TENANT, "grows", null, null, options.put("dedupWindowSeconds", 3600), false);
    assertEquals(first.messageId(), cell.pushWithId("grows", "p", "k", "c").messageId());
  }
}
