package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.request;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.engine.Transactions.Push;
import dev.queencell.broker.engine.Transactions.Reason;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * PostgreSQL refuses a row of a commit that carries many requests: a constraint of this test
 * forbids queues of some names to one tenant. The request that brought the row fails, alone.
 */
@Timeout(120)
class RefusedCommitIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int NEIGHBOURS = 10;
  private static final int BYTES_PER_PUSH = 128;

  private static EngineFixture cell;
  private static ExecutorService executor;

  @BeforeAll
  static void open() throws SQLException {
    cell = new EngineFixture(DATABASE, 1 << 20);
    executor = Executors.newVirtualThreadPerTaskExecutor();
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "ALTER TABLE queen.queues ADD CONSTRAINT forbidden"
              + " CHECK (name NOT LIKE 'forbidden%%' OR tenant <> '%s')".formatted(TENANT));
    }
  }

  @AfterAll
  static void close() {
    executor.close();
    cell.close();
  }

  @Test
  void theRequestWithTheBadRowFailsAloneAndItsNeighboursSucceed() throws Exception {
    cell.push("leased", "p", "1", "2");
    var leased = cell.pop(request("leased", null, PopRequest.QUEUE_MODE, 1)).getFirst();
    var waiting =
        cell.engine.pop(
            new PopRequest(
                TENANT, "parked", null, null, null, "g", 5, 30, false, 60_000, 0, false, null));
    List<Future<Status>> good = new ArrayList<>();
    Future<List<PushOutcome>> bad;
    Future<AckOutcome> ack;
    Future<Transactions.Outcome> transaction;
    Future<Status> toParked;
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      // A commit hangs on this lock; everything that comes meanwhile is in the next one.
      connection.setAutoCommit(false);
      statement.execute("LOCK TABLE queen.partitions IN EXCLUSIVE MODE");
      var first = submit(() -> cell.push("good", "first", "x").getFirst().status());
      Await.until("the first commit waits", RefusedCommitIT::isWaiting);
      ack = submit(() -> cell.ack(leased, AckStatus.COMPLETED));
      transaction = submit(() -> transact("good"));
      for (int i = 0; i < NEIGHBOURS; i++) {
        var text = "n" + i;
        good.add(submit(() -> cell.push("good", "p", text).getFirst().status()));
      }
      toParked = submit(() -> cell.push("parked", "p", "handed").getFirst().status());
      bad = submit(() -> cell.push("forbidden", "p", "never", "ever"));
      Await.until(
          "all are gathered",
          () -> cell.engine.stats().inboxBytes() >= (NEIGHBOURS + 3) * BYTES_PER_PUSH);
      connection.rollback();
      assertEquals(Status.QUEUED, first.get());
    }
    for (var status : good) {
      assertEquals(Status.QUEUED, status.get());
    }
    for (var outcome : bad.get()) {
      assertEquals(Status.FAILED, outcome.status());
      assertEquals(PushOutcome.REFUSED, outcome.reason());
    }
    assertTrue(ack.get().success());
    assertEquals(null, transaction.get().reason());
    assertEquals(Status.QUEUED, toParked.get());
    assertEquals(
        List.of("handed"), texts(EngineFixture.got(waiting.result().get(30, TimeUnit.SECONDS))));
    assertEquals(List.of("2"), texts(cell.pop("leased", 5)));
    assertEquals(List.of("x"), texts(cell.pop(whole("good", "first"))));
    var stored = texts(cell.pop(whole("good", "p")));
    assertEquals(NEIGHBOURS + 1, stored.size(), "each exactly once: " + stored);
    assertEquals(stored.size(), stored.stream().distinct().count());
    assertTrue(cell.engine.queue(TENANT, "forbidden", null).isEmpty());
  }

  @Test
  void aTransactionThatIsRefusedSaysSoAndTheBrokerGoesOn() throws Exception {
    var outcome = transact("forbidden.too");
    assertEquals(Reason.DB_ERROR, outcome.reason());
    Await.until("the engine owns", () -> cell.engine.role() == Engine.Role.OWNER);
    assertEquals(Status.QUEUED, cell.push("after", "p", "1").getFirst().status());
    assertEquals(List.of("1"), texts(cell.pop("after", 5)));
  }

  private static PopRequest whole(String queue, String partition) {
    return request(queue, partition, PopRequest.QUEUE_MODE, 100);
  }

  private static Transactions.Outcome transact(String queue) {
    var item = new PushItem(queue, "p", null, null, Slice.utf8("\"t\""));
    return cell.engine
        .transactions()
        .execute(new Transactions.Request(TENANT, List.of(new Push(item, null)), List.of()));
  }

  private static <T> Future<T> submit(Callable<T> call) {
    return executor.submit(call);
  }

  private static boolean isWaiting() {
    try (var connection = DATABASE.connect();
        var row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND application_name LIKE 'queencell-journal%'")) {
      row.next();
      return row.getInt(1) > 0;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
