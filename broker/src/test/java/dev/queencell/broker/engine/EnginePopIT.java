package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.broker.engine.PopRequest.Width;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.node.ObjectNode;

/**
 * What queues and groups make of a pop when nearly everything has to be read back from PostgreSQL,
 * and after a restart.
 */
@Timeout(120)
class EnginePopIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private EngineFixture cell;
  private String queue;

  @BeforeEach
  void open(TestInfo test) {
    queue = test.getTestMethod().orElseThrow().getName();
    cell = new EngineFixture(DATABASE, 100);
  }

  @AfterEach
  void close() {
    cell.close();
  }

  private void configure(String options) {
    cell.engine.configure(
        TENANT, queue, "", "", (ObjectNode) Json.mapper().readTree(options), false);
  }

  private static PopRequest conflating(String queue, long waitMs) {
    return new PopRequest(
        TENANT,
        queue,
        null,
        null,
        null,
        "g",
        64,
        1,
        false,
        waitMs,
        0,
        false,
        null,
        Width.DEFAULT,
        true);
  }

  private List<Got> pop(long waitMs) throws Exception {
    return cell.pop(
        new PopRequest(
            TENANT, queue, null, null, null, "g", 100, 0, false, waitMs, 0, false, null));
  }

  private List<AckOutcome> ack(List<Got> messages, AckStatus status) {
    var items = new ArrayList<AckItem>();
    messages.forEach(m -> items.add(EngineFixture.item(m, status, m.leaseId())));
    return cell.engine.ack(TENANT, "g", items);
  }

  private long count(String sql) {
    try (var connection = DATABASE.connect();
        var row = connection.createStatement().executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long leases() {
    return count(
        "SELECT count(*) FROM queen.cursors c JOIN queen.groups g ON g.id = c.group_id"
            + " JOIN queen.queues q ON q.id = g.queue_id"
            + " WHERE c.lease_until IS NOT NULL AND q.tenant = '%s' AND q.name = '%s'"
                .formatted(TENANT, queue));
  }

  @Test
  void theNewestIsFoundThoughItIsCold() throws Exception {
    for (int i = 0; i < 150; i++) {
      cell.push(queue, "p", "m" + i);
    }
    cell.push(queue, "q", "other");
    var got = new ArrayList<Got>();
    for (var some = cell.pop(conflating(queue, 0));
        !some.isEmpty();
        some = cell.pop(conflating(queue, 0))) {
      got.addAll(some);
    }
    assertEquals(List.of("m149", "other"), texts(got).stream().sorted().toList());
    cell.restart();
    var long149 = got.stream().filter(m -> m.text().equals("m149")).toList();
    // The keys of the lease are read back: of its last message alone.
    assertEquals(149, ack(long149, AckStatus.COMPLETED).getFirst().conflated());
    assertEquals(List.of(), cell.pop(conflating(queue, 0)));
    assertTrue(cell.engine.groups().list(TENANT).stream().anyMatch(GroupView::conflation));
  }

  @Test
  void aDelayShowsTheNewestThatIsOldEnoughThoughItIsCold() throws Exception {
    configure("{\"delayedProcessing\":1}");
    for (int i = 0; i < 70; i++) {
      cell.push(queue, "p", "m" + i);
    }
    assertEquals(List.of(), cell.pop(conflating(queue, 0)));
    var got = cell.pop(conflating(queue, 60_000));
    assertEquals(1, got.size());
    assertTrue(got.getFirst().text().startsWith("m"), got.toString());
  }

  @Test
  void whatIsTooOldIsSteppedOverThoughItIsCold() throws Exception {
    for (int i = 0; i < 100; i++) {
      cell.push(queue, "p", "old" + i);
    }
    pop(0);
    configure("{\"ttl\":1}");
    cell.engine.groups().seek(TENANT, "g", queue, java.time.Instant.EPOCH);
    Await.until(
        "all of them are too old",
        () ->
            cell.engine.groups().lagging(TENANT, 2).stream()
                .anyMatch(place -> place.queue().equals(queue)));
    cell.push(queue, "p", "young");
    assertEquals(List.of("young"), texts(pop(0)));
    cell.restart();
    assertEquals(
        100,
        count(
            "SELECT max(c.committed) + 1 FROM queen.cursors c JOIN queen.groups g"
                + " ON g.id = c.group_id WHERE g.name = 'g' AND g.queue_id ="
                + " (SELECT id FROM queen.queues WHERE tenant = '%s' AND name = '%s')"
                    .formatted(TENANT, queue)));
  }

  @Test
  void aDelayedMessageKeepsItsDelayOverARestart() throws Exception {
    var items = new ArrayList<PushItem>();
    for (int i = 0; i < 3; i++) {
      items.add(
          new PushItem(
              queue, "p", null, null, Slice.utf8("\"m" + i + '"'), null, i == 1 ? 3_600 : 0));
    }
    cell.engine.push(TENANT, items);
    cell.neighbour.push(queue, "p");
    cell.restart();
    var got = pop(0);
    assertEquals(List.of("m0"), texts(got));
    ack(got, AckStatus.COMPLETED);
    assertEquals(List.of(), pop(0));
    cell.restart();
    assertEquals(List.of(), pop(0));
  }

  @Test
  void aRelaxedLeaseIsWrittenOnlyWhenItIsNoLongerYoung() throws Exception {
    configure("{\"leaseDurability\":\"relaxed\"}");
    cell.push(queue, "p", "1", "2");
    cell.neighbour.pop(queue, PopRequest.QUEUE_MODE);
    long before = cell.engine.stats().commits();
    var got = cell.pop(EngineFixture.request(queue, null, PopRequest.QUEUE_MODE, 1));
    assertTrue(cell.ack(got.getFirst(), AckStatus.COMPLETED).leaseReleased());
    // The group's registration and the acknowledgement; the lease cost nothing.
    assertTrue(cell.engine.stats().commits() - before <= 2);
    assertEquals(List.of("2"), texts(cell.pop(queue, 1)));
    Await.until("the lease has been written", () -> leases() == 1);
    cell.restart();
    assertEquals(List.of(), cell.pop(queue, 1));
  }

  @Test
  void aStopInOrderWritesYoungLeases() throws Exception {
    configure("{\"leaseDurability\":\"relaxed\"}");
    cell.push(queue, "p", "1");
    var got = cell.pop(queue, 1);
    cell.restart();
    assertEquals(List.of(), cell.pop(queue, 1));
    assertTrue(cell.ack(got.getFirst(), AckStatus.COMPLETED).leaseReleased());
  }

  @Test
  void aFailedLaneRestsWhileOthersAreServed() throws Exception {
    configure("{\"retryDelay\":3600000}");
    cell.push(queue, "p", "1");
    var got = pop(0);
    ack(got, AckStatus.FAILED);
    cell.push(queue, "q", "2");
    assertEquals(List.of("2"), texts(pop(0)));
    // A seek, like a change of options, ends the rest.
    cell.engine.groups().seekPartition(TENANT, "g", queue, "p", java.time.Instant.EPOCH);
    assertEquals(List.of("1"), texts(pop(0)));
  }

  @Test
  void whatRestedOrWasReadForADeletedGroupBringsNothingBack() throws Exception {
    configure("{\"retryDelay\":200}");
    cell.push(queue, "p", "1");
    cell.push(queue, "q", "2");
    ack(pop(0), AckStatus.FAILED);
    ack(pop(0), AckStatus.FAILED);
    cell.engine.groups().delete(TENANT, "g", queue, false);
    long terms = cell.engine.stats().takeovers();
    var all = new ArrayList<Got>();
    all.addAll(pop(20_000));
    all.addAll(pop(20_000));
    assertEquals(List.of("1", "2"), texts(all).stream().sorted().toList());
    ack(all, AckStatus.RETRY);
    // Behind the ends of the first rests: each is delivered once, by the cursors of now.
    all.clear();
    all.addAll(pop(20_000));
    all.addAll(pop(all.size() == 2 ? 0 : 20_000));
    assertEquals(List.of("1", "2"), texts(all).stream().sorted().toList());
    assertTrue(ack(all, AckStatus.COMPLETED).stream().allMatch(AckOutcome::success));
    assertEquals(List.of(), pop(0));
    assertEquals(terms, cell.engine.stats().takeovers());
  }

  @Test
  void aDeadLetteredPoisonDoesNotHaveItsLaneRest() throws Exception {
    configure("{\"retryDelay\":3600000,\"retryLimit\":0}");
    cell.push(queue, "p", "poison", "next");
    var got = pop(0);
    assertTrue(ack(List.of(got.getFirst()), AckStatus.FAILED).getFirst().deadLettered());
    assertEquals(List.of("next"), texts(pop(0)));
  }

  @Test
  void optionsThatWereAskedForAreRememberedAsSuch() {
    cell.neighbour.push(queue, "p");
    configure("{\"ttl\":3600,\"retryDelay\":5}");
    configure("{\"retryDelay\":null}");
    cell.restart();
    var options = cell.engine.queue(TENANT, queue, null).orElseThrow().options();
    assertEquals(3600, options.ttlInForceSeconds());
    assertFalse(options.retryDelayEnforced());
    assertEquals(1000, options.retryDelay());
    assertEquals(0, options.retryDelayInForceMs());
    cell.engine.configure(TENANT, queue, "", "", Json.object().put("ttlEnforced", false), false);
    assertTrue(cell.engine.queue(TENANT, queue, null).orElseThrow().options().ttlEnforced());
    cell.engine.configure(TENANT, queue, "", "", Json.object(), true);
    assertFalse(cell.engine.queue(TENANT, queue, null).orElseThrow().options().ttlEnforced());
  }
}
