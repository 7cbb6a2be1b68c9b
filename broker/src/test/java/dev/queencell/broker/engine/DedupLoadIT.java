package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What deduplication reads, and how often. A second tenant has partitions of the same names with
 * the same keys, which are other messages.
 */
@Timeout(120)
class DedupLoadIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final UUID OTHER = UUID.fromString("22222222-2222-4222-8222-222222222222");
  private static final int KEYS_IN_MEMORY = 4_000;
  private static final int SMALL = 100;
  private static final int LARGE = 3_000;

  private EngineFixture cell;

  @BeforeEach
  void open() {
    cell = new EngineFixture(DATABASE, 1 << 20, (long) KEYS_IN_MEMORY * DedupWindow.ENTRY_BYTES);
  }

  @AfterEach
  void close() {
    cell.close();
  }

  private List<PushOutcome> push(UUID tenant, String queue, String partition, int from, int to) {
    var items = new ArrayList<PushItem>();
    for (int key = from; key < to; key++) {
      items.add(new PushItem(queue, partition, Slice.utf8("k" + key), null, Slice.utf8("" + key)));
    }
    return cell.engine.push(tenant, items);
  }

  private void assertPushed(String queue, String partition, int from, int to, Status status) {
    for (var outcome : push(TENANT, queue, partition, from, to)) {
      assertEquals(status, outcome.status());
    }
    cell.neighbour.push(queue, partition);
  }

  private long reads() {
    return cell.engine.stats().coldReads();
  }

  private static long number(String sql) throws SQLException {
    try (var session = DATABASE.connect();
        var statement = session.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static long indexed(String queue) throws SQLException {
    return number(
        "SELECT count(*) FROM queen.transaction_keys k JOIN queen.partitions p ON p.id ="
            + " k.partition_id JOIN queen.queues q ON q.id = p.queue_id WHERE q.tenant = '%s'"
                .formatted(TENANT)
            + " AND q.name = '%s'".formatted(queue));
  }

  @Test
  void aWindowThatFitsMemoryIsReadOnceInATermAndNotIndexed() throws Exception {
    assertPushed("fits", "p", 0, SMALL, Status.QUEUED);
    push(OTHER, "fits", "p", 0, SMALL + 50);
    cell.restart();
    long before = reads();
    for (int key = SMALL; key < SMALL + 20; key++) {
      assertPushed("fits", "p", key, key + 1, Status.QUEUED);
    }
    assertEquals(before + 1, reads());
    assertPushed("fits", "p", 0, SMALL + 20, Status.DUPLICATE);
    assertEquals(0, indexed("fits"));
  }

  @Test
  void theKeysOfAForgottenWindowAreIndexedOnceAndEachPushProbesForItsOwn() throws Exception {
    assertPushed("grows", "p", 0, LARGE, Status.QUEUED);
    push(OTHER, "grows", "p", 0, LARGE + 50);
    // Room for both there is not: the windows of before are forgotten.
    assertPushed("grows", "q", 0, LARGE, Status.QUEUED);
    cell.restart();
    // Once in a term it is not read whole either, as it is more than half of what memory holds.
    assertPushed("grows", "p", LARGE, LARGE + 1, Status.QUEUED);
    assertEquals(LARGE, indexed("grows"));
    long before = reads();
    for (int push = 1; push <= 30; push++) {
      assertPushed("grows", "p", LARGE + push, LARGE + push + 1, Status.QUEUED);
    }
    assertEquals(before + 30, reads(), "a probe for each push");
    assertEquals(LARGE, indexed("grows"));
    assertPushed("grows", "p", LARGE - 10, LARGE + 31, Status.DUPLICATE);
    assertPushed("grows", "p", 0, 10, Status.DUPLICATE);
    cell.restart();
    assertPushed("grows", "p", LARGE - 10, LARGE + 31, Status.DUPLICATE);
    assertPushed("grows", "p", LARGE + 31, LARGE + 32, Status.QUEUED);
    assertTrue(indexed("grows") <= LARGE + 32);
  }

  @Test
  void indexedKeysOfADeletedQueueAreNobodysDuplicates() throws Exception {
    assertPushed("gone", "p", 0, LARGE, Status.QUEUED);
    cell.restart();
    assertPushed("gone", "p", 0, 1, Status.DUPLICATE);
    assertEquals(LARGE, indexed("gone"));
    assertTrue(cell.engine.deleteQueue(TENANT, "gone"));
    assertPushed("gone", "p", 0, 10, Status.QUEUED);
    cell.restart();
    assertPushed("gone", "p", 0, 10, Status.DUPLICATE);
    assertEquals(0, indexed("gone"));
  }
}
