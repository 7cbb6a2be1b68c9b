package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The rings of buckets over time. Time passes while the broker is down: everything stored becomes
 * older by some hours.
 */
@Timeout(120)
class RingsIT {
  private static final String QUEUE = "hourly";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private EngineFixture cell;

  @BeforeEach
  void open() throws Exception {
    DATABASE.reset();
    cell = new EngineFixture(DATABASE, 1, new RetentionConfig(20, 7, 30));
    configure("retentionSeconds", 3600);
    configure("retentionEnabled", 1);
  }

  @AfterEach
  void close() {
    cell.close();
  }

  private void configure(String option, int value) {
    var node = Json.object();
    if (option.equals("retentionEnabled")) {
      node.put(option, value == 1);
    } else {
      node.put(option, value);
    }
    cell.engine.configure(TENANT, QUEUE, null, null, node, false);
  }

  private static long number(String sql) {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The first tenant's; its neighbour has a plain queue of the same name. */
  private static long rows(String table) {
    return number(
        "SELECT count(*) FROM queen.%s WHERE partition_id IN (SELECT p.id FROM queen.partitions p"
                .formatted(table)
            + " JOIN queen.queues q ON q.id = p.queue_id WHERE q.tenant = '%s')".formatted(TENANT));
  }

  private void hoursPass(int hours) throws SQLException {
    cell.engine.close();
    long micros = hours * 3_600_000_000L;
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      for (var column :
          List.of(
              "segments.created_at_micros",
              "transaction_hashes.created_at_micros",
              "partitions.oldest_at_micros",
              "partitions.newest_at_micros",
              "buckets.opened_at_micros",
              "buckets.closed_at_micros",
              "checkpoints.created_at_micros")) {
        int dot = column.indexOf('.');
        var name = column.substring(dot + 1);
        statement.execute(
            "UPDATE queen.%s SET %s = %s - %d"
                .formatted(column.substring(0, dot), name, name, micros));
      }
    }
    cell.start();
  }

  /** Slots that have been turned; while they are, nobody knows how new they are. */
  private static long slots() {
    return number("SELECT count(*) FROM queen.buckets WHERE closed_at_micros < " + Long.MAX_VALUE);
  }

  @Test
  void aSlotIsEmptiedWholeWhenAllInItIsTooOld() throws Exception {
    long file = number("SELECT pg_relation_filenode('queen.segments_1')");
    for (int i = 0; i < 30; i++) {
      cell.push(QUEUE, "p" + i % 3, "x" + i);
    }
    assertEquals(30, rows("segments_1"));
    hoursPass(1);
    Await.until("the slot is closed", () -> slots() == 1);
    hoursPass(2);
    Await.until("the slot is emptied", () -> rows("segments_1") == 0);
    // Emptied whole: the rows were never deleted one by one.
    Await.until(
        "its file is another one",
        () -> number("SELECT pg_relation_filenode('queen.segments_1')") != file);
    assertEquals(0, cell.engine.queue(TENANT, QUEUE, null).orElseThrow().retained());
    cell.push(QUEUE, "p0", "next");
    assertEquals(List.of("next"), texts(cell.pop(QUEUE, 10)));
    assertEquals(0, rows("segments_0"));
  }

  @Test
  void aSlotWaitsForWhatIsStillKept() throws Exception {
    cell.push(QUEUE, "p", "old");
    hoursPass(1);
    cell.push(QUEUE, "q", "young");
    Await.until(
        "the old one is given up",
        () -> cell.engine.queue(TENANT, QUEUE, null).orElseThrow().retained() == 1);
    assertEquals(List.of("young"), texts(cell.pop(QUEUE, 10)));
  }

  @Test
  void whatOutlivesItsSlotIsMovedOnAndStaysInOrder() throws Exception {
    configure("retentionSeconds", 0);
    configure("completedRetentionSeconds", 3600);
    var expected = new ArrayList<String>();
    for (int i = 0; i < 20; i++) {
      cell.push(QUEUE, "p", "x" + i);
      expected.add("x" + i);
    }
    hoursPass(1);
    Await.until("the slot is closed", () -> slots() >= 1);
    hoursPass(5);
    Await.until("all is moved on", () -> rows("segments_0") == 20);
    Await.until("the slot is free", () -> slots() == 0);
    cell.push(QUEUE, "p", "last");
    expected.add("last");
    var seen = new ArrayList<String>();
    for (var got = cell.pop(QUEUE, 6); !got.isEmpty(); got = cell.pop(QUEUE, 6)) {
      seen.addAll(texts(got));
      cell.ackAll(got);
    }
    assertEquals(expected, seen);
    Await.until("what was moved is deleted", () -> rows("segments_0") == 0);
  }

  @Test
  void keysStayForTheirWindowAndLeaveWithTheirSlot() throws Exception {
    var first = cell.pushWithId(QUEUE, "p", "k", "a");
    assertEquals(1, rows("transaction_hashes_1"));
    hoursPass(1);
    // An hour and some moments later the window of an hour is over.
    Await.until("the slot is closed", () -> slots() >= 1);
    assertEquals(Status.QUEUED, cell.pushWithId(QUEUE, "p", "k", "b").status());
    assertEquals(Status.DUPLICATE, cell.pushWithId(QUEUE, "p", "k", "c").status());
    hoursPass(1);
    Await.until("the keys are gone", () -> rows("transaction_hashes_1") == 0);
    assertEquals(Status.QUEUED, first.status());
  }

  @Test
  void anUnusedRingIsNotTurned() throws Exception {
    cell.push(QUEUE, "p", "x");
    hoursPass(30 * 24);
    Await.until("the ring that was written is turned", () -> slots() == 1);
    hoursPass(1);
    Await.until("the slot is free again", () -> slots() == 0);
    assertEquals(6, number("SELECT count(*) FROM queen.buckets"));
  }

  @Test
  void aQueueWithoutRetentionStaysInOneBucket() throws Exception {
    cell.push("plain", "p", "x");
    assertEquals(1, rows("segments_0"));
    hoursPass(24);
    assertEquals(List.of("x"), texts(cell.pop("plain", 10)));
  }
}
