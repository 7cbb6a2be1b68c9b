package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.request;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What leaves a queue when, and what never does. */
@Timeout(120)
class RetentionIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static EngineFixture cell;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, 1 << 20, new RetentionConfig(20, 7, 30));
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  private static void configure(String queue, String... options) {
    var node = Json.object();
    for (int i = 0; i < options.length; i += 2) {
      if (options[i].equals("retentionEnabled")) {
        node.put(options[i], Boolean.parseBoolean(options[i + 1]));
      } else {
        node.put(options[i], Integer.parseInt(options[i + 1]));
      }
    }
    cell.engine.configure(TENANT, queue, null, null, node, false);
  }

  private static QueueView view(String queue) {
    return cell.engine.queue(TENANT, queue, null).orElseThrow();
  }

  private static long number(String sql, Object... parameters) {
    try (var connection = DATABASE.connect();
        var query = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        query.setObject(i + 1, parameters[i]);
      }
      try (var row = query.executeQuery()) {
        return row.next() ? row.getLong(1) : -1;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first tenant's; its neighbour has queues of the same names. */
  private static final String OWN = " AND q.tenant = '" + TENANT + "'";

  private static final String ROWS =
      "SELECT count(*) FROM queen.segments s JOIN queen.partitions p ON p.id = s.partition_id"
          + " JOIN queen.queues q ON q.id = p.queue_id WHERE q.name = ?"
          + OWN;

  private static long rows(String queue) {
    return number(ROWS, queue);
  }

  private static void awaitEmpty(String queue) {
    Await.until("nothing of " + queue + " is kept", () -> view(queue).retained() == 0);
    Await.until("nothing of " + queue + " is stored", () -> rows(queue) == 0);
  }

  @Test
  void wholeSegmentsGoByAgeConsumedOrNot() throws Exception {
    for (int i = 0; i < 40; i++) {
      cell.push("age", "p", "a" + i, "b" + i);
    }
    cell.push("age", "other", "x");
    configure("age", "retentionEnabled", "true", "retentionSeconds", "1");
    awaitEmpty("age");
    assertEquals(0, view("age").segments());
    assertEquals(0, view("age").retainedBytes());
    configure("age", "retentionEnabled", "false");
    cell.push("age", "p", "next");
    var got = cell.pop(request("age", "p", PopRequest.QUEUE_MODE, 10));
    assertEquals(List.of("next"), texts(got));
    assertEquals(80, got.getFirst().offset());
  }

  @Test
  void withoutTheSwitchNothingGoesByAge() throws Exception {
    cell.push("off", "p", "kept");
    configure("off", "retentionSeconds", "1", "completedRetentionSeconds", "1");
    cell.push("on", "p", "gone");
    configure("on", "retentionEnabled", "true", "retentionSeconds", "1");
    awaitEmpty("on");
    assertEquals(List.of("kept"), texts(cell.pop("off", 10)));
  }

  @Test
  void aConsumerBelowTheNewStartGoesOnAtTheNextExistingOffset() throws Exception {
    cell.push("below", "p", "1", "2");
    var first = cell.pop("below", 1);
    configure("below", "retentionEnabled", "true", "retentionSeconds", "1");
    Await.until("the first segment is gone", () -> view("below").retained() == 0);
    configure("below", "retentionEnabled", "false");
    cell.push("below", "p", "3", "4");
    assertTrue(cell.ack(first.getFirst(), AckStatus.COMPLETED).success());
    assertEquals(List.of("3", "4"), texts(cell.pop("below", 10)));
  }

  @Test
  void completedSegmentsStayForTheSlowestGroup() throws Exception {
    cell.push("slow", "p", "1");
    cell.push("slow", "p", "2");
    cell.push("slow", "lonely", "kept, for nobody has read it");
    assertEquals(1, cell.pop(auto("slow", "p", "slow", 1)).size());
    assertEquals(2, cell.pop(auto("slow", "p", "fast", 2)).size());
    configure("slow", "retentionEnabled", "true", "completedRetentionSeconds", "1");
    Await.until("what both have completed is gone", () -> rows("slow") == 2);
    assertEquals(List.of("2"), texts(cell.pop(auto("slow", "p", "slow", 1))));
    Await.until("what the slow one has completed goes too", () -> rows("slow") == 1);
    assertEquals(1, cell.pop(auto("slow", "lonely", "slow", 1)).size());
    Await.until("what was kept for nobody goes once somebody has it", () -> rows("slow") == 0);
  }

  private static PopRequest auto(String queue, String partition, String group, int batch) {
    return new PopRequest(
        TENANT, queue, partition, null, null, group, batch, 1, true, 0, 0, false, null);
  }

  @Test
  void aCursorInsideOfASegmentKeepsAllOfIt() throws Exception {
    cell.push("inside", "p", "1", "2", "3");
    cell.push("inside", "done", "x");
    var got = cell.pop(request("inside", "p", PopRequest.QUEUE_MODE, 3));
    cell.ack(got.get(1), AckStatus.COMPLETED);
    cell.pop(auto("inside", "done", PopRequest.QUEUE_MODE, 1));
    configure("inside", "retentionEnabled", "true", "completedRetentionSeconds", "1");
    Await.until("the completed one is gone", () -> rows("inside") == 1);
    assertEquals(3, view("inside").retained());
    cell.ack(got.get(2), AckStatus.COMPLETED);
    awaitEmpty("inside");
  }

  @Test
  void evictionTakesWhatIsLeasedAndMindsNoSwitch() throws Exception {
    cell.push("evict", "p", "1", "2");
    var got = cell.pop("evict", 2);
    configure("evict", "maxWaitTimeSeconds", "1");
    awaitEmpty("evict");
    assertEquals(0, view("evict").processing());
    assertEquals(0, number("SELECT count(*) FROM queen.dead_letters"));
    assertTrue(cell.ackAll(got).stream().allMatch(AckOutcome::success));
    cell.push("evict", "p", "3");
    assertEquals(List.of("3"), texts(cell.pop("evict", 10)));
  }

  private static final String COMMITTED =
      "SELECT c.committed FROM queen.cursors c JOIN queen.partitions p ON p.id = c.partition_id"
          + " JOIN queen.queues q ON q.id = p.queue_id WHERE q.name = ?"
          + OWN;

  @Test
  void oneEmptyPopSealsTheCursorBehindAGap() throws Exception {
    cell.push("gap", "p", "1", "2", "3");
    var got = cell.pop("gap", 3);
    cell.ack(got.getFirst(), AckStatus.COMPLETED);
    cell.ack(got.get(1), AckStatus.RETRY);
    configure("gap", "maxWaitTimeSeconds", "1");
    awaitEmpty("gap");
    assertEquals(List.of(), cell.pop("gap", 10));
    assertEquals(2, number(COMMITTED, "gap"));
    cell.restart();
    assertEquals(0, view("gap").pending());
  }

  @Test
  void aCursorIsNotSealedOverDelayedSegments() throws Exception {
    cell.push("delayed", "p", "1");
    var got = cell.pop("delayed", 1);
    cell.ack(got.getFirst(), AckStatus.RETRY);
    configure("delayed", "delayedProcessing", "3600");
    assertEquals(List.of(), cell.pop("delayed", 10));
    assertEquals(-1, number(COMMITTED, "delayed"));
    configure("delayed", "delayedProcessing", "0");
    assertEquals(List.of("1"), texts(cell.pop("delayed", 10)));
  }

  @Test
  void whatIsKeptIsTheSameAfterARestart() throws Exception {
    cell.push("restart", "p", "1", "2");
    cell.push("restart", "p", "3");
    cell.push("restart", "q", "4");
    cell.pop(auto("restart", "p", PopRequest.QUEUE_MODE, 2));
    configure("restart", "retentionEnabled", "true", "completedRetentionSeconds", "1");
    Await.until("the completed segment is gone", () -> rows("restart") == 2);
    var before = view("restart");
    assertEquals(2, before.retained());
    assertEquals(2, before.segments());
    cell.restart();
    var after = view("restart");
    assertEquals(before.partitions(), after.partitions());
    assertEquals(before.retainedBytes(), after.retainedBytes());
    assertEquals(List.of("3"), texts(cell.pop(request("restart", "p", "__QUEUE_MODE__", 9))));
  }

  @Test
  void deadRowsThatACrashLeftGo() throws Exception {
    cell.push("left", "p", "1");
    cell.push("left", "p", "2");
    cell.engine.close();
    execute(
        "UPDATE queen.partitions p SET first_offset = 1, segment_count = 1, sweep_due = true"
            + " FROM queen.queues q WHERE q.id = p.queue_id AND q.name = 'left'"
            + OWN);
    cell.start();
    Await.until("the dead row is gone", () -> rows("left") == 1);
    assertEquals(List.of("2"), texts(cell.pop("left", 10)));
  }

  @Test
  void aSessionThatIsCutIsOpenedAgain() throws Exception {
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE application_name = 'queencell-retention'");
    cell.push("cut", "p", "1");
    configure("cut", "retentionEnabled", "true", "retentionSeconds", "1");
    awaitEmpty("cut");
  }

  @Test
  void rowsOfADeletedQueueGoAndItsPartitionsNumbersAreNotGivenAgain() throws Exception {
    for (int i = 0; i < 20; i++) {
      cell.push("deleted", "p", "x" + i);
    }
    long id =
        number(
            "SELECT p.id FROM queen.partitions p JOIN queen.queues q ON q.id = p.queue_id"
                + " WHERE q.name = 'deleted'"
                + OWN);
    assertTrue(cell.engine.deleteQueue(TENANT, "deleted"));
    Await.until(
        "its rows are gone",
        () -> number("SELECT count(*) FROM queen.segments WHERE partition_id = ?", id) == 0);
    cell.restart();
    cell.push("deleted", "p", "new");
    var got = cell.pop("deleted", 10);
    assertEquals(List.of("new"), texts(got));
    assertFalse(PartitionId.parse(got.getFirst().partitionId()).partition() <= id);
  }

  @Test
  void anEmptyPartitionThatNobodyUsesGoesUnlessItHasDeadLetters() throws Exception {
    cell.push("unused", "p", "1");
    cell.push("unused", "poisoned", "2");
    cell.push("unused", "full", "3");
    var poison = cell.pop(request("unused", "poisoned", PopRequest.QUEUE_MODE, 1));
    cell.ack(poison.getFirst(), AckStatus.DLQ);
    cell.pop(auto("unused", "p", PopRequest.QUEUE_MODE, 1));
    configure("unused", "retentionEnabled", "true", "completedRetentionSeconds", "1");
    Await.until("two are empty", () -> rows("unused") == 1);
    cell.engine.close();
    long days = 31L * 86_400 * 1_000_000;
    execute(
        "UPDATE queen.partitions SET newest_at_micros = newest_at_micros - %d, created_at_micros = created_at_micros - %d WHERE queue_id ="
                .formatted(days, days)
            + " (SELECT q.id FROM queen.queues q WHERE q.name = 'unused'"
            + OWN
            + ")");
    cell.start();
    Await.until("the unused one is gone", () -> view("unused").partitionCount() == 2);
    assertEquals(
        List.of("full", "poisoned"),
        view("unused").partitions().stream().map(QueueView.PartitionView::name).toList());
    assertEquals(
        2,
        number(
            "SELECT count(*) FROM queen.partitions p JOIN queen.queues q ON q.id = p.queue_id"
                + " WHERE q.name = 'unused'"
                + OWN));
    // It comes back as another one.
    cell.push("unused", "p", "again");
    Got got = cell.pop(request("unused", "p", PopRequest.QUEUE_MODE, 1)).getFirst();
    assertEquals(0, got.offset());
  }
}
