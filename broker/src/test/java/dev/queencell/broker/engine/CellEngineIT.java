package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.request;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.node.JsonNodeFactory;

/** The engine's promises on a real PostgreSQL. Each test has a queue of its own. */
class CellEngineIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static EngineFixture cell;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, 8 << 20);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  @Test
  void aPushedBatchIsPoppedInOrderAndGoneOnceAcknowledged() throws Exception {
    cell.push("order", "p", "a", "b", "c");
    var got = cell.pop("order", 10);
    assertEquals(List.of("a", "b", "c"), texts(got));
    assertTrue(cell.ackAll(got).getLast().leaseReleased());
    assertEquals(List.of(), cell.pop("order", 10));
  }

  @Test
  void aLeasedLaneIsNotGivenToAnotherConsumer() throws Exception {
    cell.push("exclusive", "p", "a", "b");
    assertEquals(List.of("a"), texts(cell.pop("exclusive", 1)));
    assertEquals(List.of(), cell.pop("exclusive", 1));
  }

  @Test
  void aWaitingConsumerGetsThePushThatComesLater() throws Exception {
    var waiting =
        cell.engine.pop(
            new PopRequest(
                TENANT, "wait", null, null, null, "g", 10, 1, false, 15_000, 0, false, null));
    cell.push("wait", "p", "late");
    var got = EngineFixture.got(waiting.result().get(10, TimeUnit.SECONDS));
    assertEquals(List.of("late"), texts(got));
  }

  @Test
  void aCancelledWaiterTakesNothingWithIt() throws Exception {
    var waiting =
        cell.engine.pop(
            new PopRequest(
                TENANT,
                "cancel",
                null,
                null,
                null,
                PopRequest.QUEUE_MODE,
                10,
                1,
                false,
                15_000,
                0,
                false,
                null));
    waiting.cancel();
    cell.push("cancel", "p", "a");
    assertEquals(List.of("a"), texts(cell.pop("cancel", 1)));
  }

  @Test
  void whatWasGivenBackComesAgainAtOnceAsTheSameAttempt() throws Exception {
    cell.push("back", "p", "a");
    var ticket = cell.engine.pop(request("back", null, PopRequest.QUEUE_MODE, 1));
    ticket.result().get(10, TimeUnit.SECONDS);
    ticket.cancel();
    var again = cell.pop("back", 1);
    assertEquals(List.of("a"), texts(again));
    assertEquals(1, again.getFirst().attempt());
  }

  @Test
  void acknowledgingTheLastCompletesTheSilentOnesBefore() throws Exception {
    cell.push("silent", "p", "1", "2", "3", "4", "5");
    var got = cell.pop("silent", 5);
    assertTrue(cell.ack(got.getLast(), AckStatus.COMPLETED).leaseReleased());
    assertEquals(List.of(), cell.pop("silent", 5));
  }

  @Test
  void theLowestFailureWinsAndWhatIsAboveComesAgain() throws Exception {
    cell.push("signal", "p", "1", "2", "3", "4", "5");
    var got = cell.pop("signal", 5);
    var ok = AckStatus.COMPLETED;
    cell.ackAll(got, ok, AckStatus.FAILED, ok, ok, ok);
    var again = cell.pop("signal", 5);
    assertEquals(List.of("2", "3", "4", "5"), texts(again));
    assertEquals(1, again.getFirst().attempt());
    cell.ackAll(again, AckStatus.RETRY, ok, ok, ok);
    assertEquals(2, cell.pop("signal", 5).getFirst().attempt());
  }

  @Test
  void theFourthFailureDeadLettersAndTheLaneGoesOn() throws Exception {
    cell.push("poison", "p", "bad", "good");
    for (int failure = 1; failure <= 4; failure++) {
      var got = cell.pop("poison", 1);
      assertEquals(List.of("bad"), texts(got));
      var outcome = cell.ack(got.getFirst(), AckStatus.FAILED);
      assertTrue(outcome.success());
      assertEquals(failure == 4, outcome.deadLettered());
    }
    assertEquals(List.of("good"), texts(cell.pop("poison", 1)));
    try (var connection = DATABASE.connect();
        var rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT convert_from(payload, 'UTF8'), error FROM queen.dead_letters")) {
      assertTrue(rows.next());
      assertEquals("\"bad\"", rows.getString(1));
      assertEquals("Retries exhausted", rows.getString(2));
      assertFalse(rows.next());
    }
  }

  @Test
  void lateAndUnknownAcknowledgementsAreToldApart() throws Exception {
    cell.push("late", "p", "1", "2", "3");
    var got = cell.pop("late", 3);
    assertTrue(cell.ack(got.get(1), AckStatus.COMPLETED).success());
    assertFalse(cell.ack(got.get(1), AckStatus.COMPLETED).leaseReleased());
    assertTrue(cell.ack(got.get(0), AckStatus.COMPLETED).noop());
    var lateNack = cell.ack(got.get(0), AckStatus.FAILED);
    assertEquals(AckWork.ALREADY_COMMITTED, lateNack.error());
    var ghost =
        new EngineFixture.Got(
            "", "ghost", got.getFirst().partitionId(), got.getFirst().leaseId(), 1, 0);
    assertEquals(AckWork.UNRESOLVABLE, cell.ack(ghost, AckStatus.COMPLETED).error());
    assertEquals(AckWork.UNRESOLVABLE, cell.ack(ghost, AckStatus.FAILED).error());
    assertTrue(cell.ack(got.get(2), AckStatus.COMPLETED).leaseReleased());
    assertEquals(AckWork.LEASE_INVALID, cell.ack(got.get(2), AckStatus.COMPLETED).error());
  }

  @Test
  void anExpiredLeaseComesAgainAndItsHolderIsRefused() throws Exception {
    cell.push("expire", "p", "a");
    var first =
        cell.pop(
            new PopRequest(
                TENANT,
                "expire",
                null,
                null,
                null,
                PopRequest.QUEUE_MODE,
                1,
                1,
                false,
                0,
                1,
                false,
                null));
    var second =
        cell.pop(
            new PopRequest(
                TENANT,
                "expire",
                null,
                null,
                null,
                PopRequest.QUEUE_MODE,
                1,
                1,
                false,
                10_000,
                0,
                false,
                null));
    assertEquals(2, second.getFirst().attempt());
    assertEquals(AckWork.LEASE_INVALID, cell.ack(first.getFirst(), AckStatus.COMPLETED).error());
    assertTrue(cell.ack(second.getFirst(), AckStatus.COMPLETED).leaseReleased());
  }

  @Test
  void anAcknowledgementWithoutALeaseSucceeds() throws Exception {
    cell.push("leaseless", "p", "a", "b");
    var got = cell.pop("leaseless", 1);
    assertTrue(cell.ack(got.getFirst(), AckStatus.COMPLETED, "").success());
    assertEquals(List.of("b"), texts(cell.pop("leaseless", 5)));
  }

  @Test
  void anExtendedLeaseLivesLonger() throws Exception {
    cell.push("extend", "p", "a");
    var got = cell.pop("extend", 1);
    var outcome = cell.engine.extend(TENANT, got.getFirst().leaseId(), 500);
    assertEquals(1, outcome.renewed());
    assertTrue(outcome.expiresAt().isAfter(java.time.Instant.now().plusSeconds(400)));
    assertEquals(0, cell.engine.extend(UUID.randomUUID(), got.getFirst().leaseId(), 5).renewed());
    assertEquals(0, cell.engine.extend(TENANT, "nonsense", 5).renewed());
  }

  @Test
  void theSameTransactionIdIsStoredOnceAndTheOriginalIsNamed() {
    var first = cell.pushWithId("dedup", "p", "order-1", "a");
    var second = cell.pushWithId("dedup", "p", "order-1", "b");
    assertEquals(Status.QUEUED, first.status());
    assertEquals(Status.DUPLICATE, second.status());
    assertEquals(first.messageId(), second.messageId());
    assertEquals(Status.QUEUED, cell.pushWithId("dedup", "q", "order-1", "c").status());
  }

  @Test
  void aNewGroupSkipsTheBacklogButNotPartitionsThatComeLater() throws Exception {
    cell.push("subscribe", "old", "1");
    var asNew =
        new PopRequest(
            TENANT, "subscribe", null, null, null, "fresh", 10, 0, false, 0, 0, true, null);
    assertEquals(List.of(), cell.pop(asNew));
    cell.push("subscribe", "late", "2");
    cell.push("subscribe", "old", "3");
    assertEquals(2, cell.pop(asNew).size());
    assertEquals(
        List.of("1"), texts(cell.pop(request("subscribe", "old", PopRequest.QUEUE_MODE, 1))));
  }

  @Test
  void groupsReadIndependently() throws Exception {
    cell.push("fan", "p", "a");
    assertEquals(1, cell.pop(request("fan", null, "one", 5)).size());
    assertEquals(1, cell.pop(request("fan", null, "two", 5)).size());
    assertEquals(1, cell.pop(request("fan", "p", "three", 5)).size());
  }

  @Test
  void discoveryServesAllQueuesOfANamespace() throws Exception {
    cell.push("ns.one", "p", "a");
    cell.push("ns.two", "p", "b");
    var discovery =
        new PopRequest(
            TENANT, null, null, "ns", null, PopRequest.QUEUE_MODE, 10, 0, false, 0, 0, false, null);
    assertEquals(List.of("a", "b"), texts(cell.pop(discovery)).stream().sorted().toList());
  }

  @Test
  void tenantsWithTheSameNamesNeverMeet() throws Exception {
    cell.push("same", "p", "mine");
    var got = cell.pop("same", 10);
    assertEquals(List.of("mine"), texts(got));
    var foreign =
        cell.engine.ack(
            Neighbour.TENANT,
            PopRequest.QUEUE_MODE,
            List.of(
                EngineFixture.item(got.getFirst(), AckStatus.COMPLETED, got.getFirst().leaseId())));
    assertEquals(AckWork.NOT_OWNED, foreign.getFirst().error());
    assertTrue(cell.ack(got.getFirst(), AckStatus.COMPLETED).success());
  }

  @Test
  void configureMergesReplacesAndResets() {
    var json = JsonNodeFactory.instance;
    var merge = json.objectNode().put("leaseTime", 7).put("retryLimit", 9);
    assertEquals(
        7, cell.engine.configure(TENANT, "conf", null, null, merge, false).options().leaseTime());
    var reset = json.objectNode().putNull("leaseTime");
    var options = cell.engine.configure(TENANT, "conf", null, null, reset, false).options();
    assertEquals(300, options.leaseTime());
    assertEquals(9, options.retryLimit());
    var replaced =
        cell.engine.configure(TENANT, "conf", null, null, json.objectNode(), true).options();
    assertEquals(3, replaced.retryLimit());
  }

  @Test
  void aDeletedQueueIsGoneAndBeginsAnew() throws Exception {
    cell.push("doomed", "p", "a");
    var before = cell.pop("doomed", 1).getFirst().partitionId();
    assertTrue(cell.engine.deleteQueue(TENANT, "doomed"));
    assertFalse(cell.engine.deleteQueue(TENANT, "doomed"));
    assertTrue(cell.engine.queue(TENANT, "doomed", null).isEmpty());
    cell.push("doomed", "p", "b");
    var after = cell.pop("doomed", 5);
    assertEquals(List.of("b"), texts(after));
    assertNotEquals(before, after.getFirst().partitionId());
  }

  @Test
  void whatIsCachedOfADeletedQueueIsForgotten() {
    cell.push("cached", "p", "a".repeat(10_000));
    long with = cell.engine.stats().tailCacheBytes();
    assertTrue(cell.engine.deleteQueue(TENANT, "cached"));
    long without = cell.engine.stats().tailCacheBytes();
    assertTrue(without <= with - 10_000, with + " bytes, then " + without);
  }

  @Test
  void pendingAndProcessingComeFromWatermarks() throws Exception {
    cell.push("counts", "p", "1", "2", "3");
    var got = cell.pop("counts", 2);
    var view = cell.engine.queue(TENANT, "counts", null).orElseThrow();
    assertEquals(3, view.pending());
    assertEquals(2, view.processing());
    cell.ackAll(got);
    view = cell.engine.queue(TENANT, "counts", null).orElseThrow();
    assertEquals(1, view.pending());
    assertEquals(0, view.processing());
    assertEquals(3, view.retained());
  }

  @Test
  void largeGatheringsGoByCopyAndComeBackWhole() throws Exception {
    var items = new ArrayList<PushItem>();
    for (int i = 0; i < 500; i++) {
      items.add(
          new PushItem(
              "copy",
              "p" + i,
              null,
              null,
              dev.queencell.broker.store.Slice.utf8("\"" + "x".repeat(300) + i + "\"")));
    }
    assertTrue(cell.engine.push(TENANT, items).stream().allMatch(o -> o.status() == Status.QUEUED));
    var all =
        new PopRequest(
            TENANT,
            "copy",
            null,
            null,
            null,
            PopRequest.QUEUE_MODE,
            1_000,
            0,
            true,
            0,
            0,
            false,
            null);
    assertEquals(500, cell.pop(all).size());
    assertNull(cell.engine.pop(all).result().get().leaseId());
  }
}
