package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.request;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.FencedSession;
import dev.queencell.broker.store.OwnershipLostException;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What must survive a restart, with a tail cache so small that nearly every read is cold. */
class EngineRestartIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static EngineFixture cell;

  @BeforeAll
  static void open() {
    cell = new EngineFixture(DATABASE, 1);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  @Test
  void messagesAndCursorsSurvive() throws Exception {
    cell.push("survive", "p", "1", "2", "3");
    cell.ack(cell.pop("survive", 1).getFirst(), AckStatus.COMPLETED);
    cell.restart();
    assertEquals(List.of("2", "3"), texts(cell.pop("survive", 10)));
  }

  @Test
  void offsetsGoOnWithoutGapOrRepeat() throws Exception {
    for (int round = 0; round < 4; round++) {
      cell.push("offsets", "p", "a" + round, "b" + round);
      cell.restart();
    }
    var got = cell.pop("offsets", 100);
    assertEquals(
        List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L),
        got.stream().map(EngineFixture.Got::offset).toList());
  }

  @Test
  void aLeaseStaysExclusiveAndCanStillBeAcknowledged() throws Exception {
    cell.push("lease", "p", "1", "2", "3");
    var got = cell.pop("lease", 2);
    cell.restart();
    assertEquals(List.of(), cell.pop("lease", 10));
    assertTrue(cell.ack(got.getLast(), AckStatus.COMPLETED).leaseReleased());
    assertEquals(List.of("3"), texts(cell.pop("lease", 10)));
  }

  @Test
  void theDeduplicationWindowSurvives() {
    var first = cell.pushWithId("window", "p", "k", "a");
    cell.push("window", "p", "between");
    cell.restart();
    var second = cell.pushWithId("window", "p", "k", "b");
    assertEquals(Status.DUPLICATE, second.status());
    assertEquals(first.messageId(), second.messageId());
  }

  @Test
  void aBacklogIsReadFromTheDatabaseInOrder() throws Exception {
    var expected = new ArrayList<String>();
    for (int i = 0; i < 60; i++) {
      cell.push("cold", "p", "a" + i, "b" + i);
      expected.add("a" + i);
      expected.add("b" + i);
    }
    cell.restart();
    var seen = new ArrayList<String>();
    for (var got = cell.pop("cold", 7); !got.isEmpty(); got = cell.pop("cold", 7)) {
      seen.addAll(texts(got));
      cell.ackAll(got);
    }
    assertEquals(expected, seen);
  }

  @Test
  void aPoisonIsDeadLetteredThoughItsSegmentIsCold() throws Exception {
    cell.push("coldpoison", "p", "bad");
    cell.push("coldpoison", "q", "x");
    var got = cell.pop(request("coldpoison", "p", PopRequest.QUEUE_MODE, 1));
    cell.restart();
    assertTrue(cell.ack(got.getFirst(), AckStatus.DLQ).deadLettered());
  }

  @Test
  void theTimeOfAQueuesCreationSurvives() {
    cell.push("created", "p", "1");
    var created = cell.engine.queue(TENANT, "created", null).orElseThrow().createdAt();
    cell.restart();
    assertEquals(created, cell.engine.queue(TENANT, "created", null).orElseThrow().createdAt());
  }

  @Test
  void theCountOfDeadLettersSurvives() throws Exception {
    cell.push("counted", "p", "1", "2", "3");
    for (int i = 0; i < 2; i++) {
      cell.ack(cell.pop("counted", 1).getFirst(), AckStatus.DLQ);
    }
    cell.restart();
    assertEquals(2, deadLetters("counted"));
    cell.ack(cell.pop("counted", 1).getFirst(), AckStatus.DLQ);
    assertEquals(3, deadLetters("counted"));
    assertEquals(3, cell.engine.deadLetters().purge(TENANT, "counted", null));
    assertEquals(0, deadLetters("counted"));
  }

  private static long deadLetters(String queue) {
    return cell.engine.queue(TENANT, queue, null).orElseThrow().deadLetters();
  }

  @Test
  void aNewGroupsPlaceSurvives() throws Exception {
    var asNew =
        new PopRequest(TENANT, "place", null, null, null, "fresh", 10, 0, false, 0, 0, true, null);
    cell.push("place", "p", "old");
    assertEquals(List.of(), cell.pop(asNew));
    cell.restart();
    assertEquals(List.of(), cell.pop(asNew));
    cell.push("place", "p", "new");
    assertEquals(List.of("new"), texts(cell.pop(asNew)));
  }

  @Test
  void aSessionOfAnEpochThatHasEndedCanNotEnter() throws SQLException {
    long epoch;
    try (var connection = DATABASE.connect();
        var row = connection.createStatement().executeQuery("SELECT epoch FROM queen.owner")) {
      row.next();
      epoch = row.getLong(1);
    }
    cell.restart();
    var database = new Database(DATABASE.jdbcUrl(), DATABASE.user(), DATABASE.password());
    assertThrows(
        OwnershipLostException.class, () -> FencedSession.enter(database, "test", epoch).close());
  }

  @Test
  void aSecondEngineWaitsAndTakesOverWhenTheFirstStops() throws Exception {
    cell.push("standby", "p", "a");
    try (var second = second()) {
      Await.until("the second is a standby", () -> second.role() == Engine.Role.STANDBY);
      assertEquals("http://127.0.0.1:1", second.ownerUrl());
      assertThrows(
          EngineUnavailableException.class,
          () -> second.pop(request("standby", null, PopRequest.QUEUE_MODE, 1)));
      cell.engine.close();
      Await.until("the second owns", () -> second.role() == Engine.Role.OWNER);
      var got =
          EngineFixture.got(
              second.pop(request("standby", null, PopRequest.QUEUE_MODE, 1)).result().get());
      assertEquals(List.of("a"), texts(got));
    }
    cell.start();
  }

  @Test
  void aWallClockThatJumpedBackHoldsNoLeaseForEver() throws Exception {
    cell.push("jump", "p", "1");
    var got = cell.pop("jump", 1).getFirst();
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE queen.cursors SET lease_until = now() + interval '30 years'"
              + " WHERE lease_until IS NOT NULL");
    }
    cell.restart();
    var renewed = cell.engine.extend(TENANT, got.leaseId(), 1);
    assertEquals(1, renewed.renewed());
    var latest = Instant.now().plusSeconds(Limits.LEASE_SECONDS_MAX);
    assertTrue(renewed.expiresAt().isBefore(latest), renewed.toString());
  }

  @Test
  void anOwnerWhoseSessionsAreEndedReloadsAndGoesOn() throws Exception {
    cell.push("cut", "p", "before");
    cutJournals();
    Await.until("pushes are durable again", () -> pushes("cut", "p", "after"));
    assertEquals(List.of("before", "after"), texts(cell.pop("cut", 10)));
  }

  /**
   * The checkpoint after the first cut covers the time of messages that only their segments tell
   * of.
   */
  @Test
  void offsetsSurviveTwoCutsWithACheckpointBetween() throws Exception {
    cell.push("cuts", "idle", "1");
    cell.push("cuts", "idle", "2");
    cutJournals();
    Await.until("pushes are durable again", () -> pushes("cuts", "busy", "other"));
    cutJournals();
    Await.until("pushes are durable again", () -> pushes("cuts", "idle", "3"));
    assertEquals(
        List.of("1", "2", "3"),
        texts(cell.pop(request("cuts", "idle", PopRequest.QUEUE_MODE, 10))));
  }

  private static void cutJournals() throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name LIKE 'queencell-journal%'");
    }
  }

  private static boolean pushes(String queue, String partition, String text) {
    try {
      return cell.push(queue, partition, text).getFirst().status() == Status.QUEUED;
    } catch (EngineUnavailableException e) {
      return false;
    }
  }

  private static CellEngine second() {
    return CellEngine.open(
        new EngineConfig(
            DATABASE.jdbcUrl(),
            DATABASE.user(),
            DATABASE.password(),
            "http://127.0.0.1:2",
            1,
            1 << 20,
            1 << 20));
  }
}
