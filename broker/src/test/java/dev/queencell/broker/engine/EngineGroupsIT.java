package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.testsupport.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is decided about groups survives the broker that decided it. */
@Timeout(120)
class EngineGroupsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private EngineFixture cell;
  private String queue;

  @BeforeEach
  void open(org.junit.jupiter.api.TestInfo test) {
    queue = test.getTestMethod().orElseThrow().getName();
    // So small that what is old is read back from PostgreSQL.
    cell = new EngineFixture(DATABASE, 100);
  }

  @AfterEach
  void close() {
    cell.close();
  }

  private PopRequest request(boolean fromNew, Instant from) {
    return new PopRequest(
        TENANT, queue, null, null, null, queue, 100, 0, false, 0, 0, fromNew, from);
  }

  /** Pops until nothing comes: lanes that have to be read come one by one. */
  private List<Got> pop(PopRequest request) throws Exception {
    var all = new ArrayList<Got>();
    for (var got = cell.pop(request); !got.isEmpty(); got = cell.pop(request)) {
      all.addAll(got);
    }
    return all;
  }

  private List<Got> pop() throws Exception {
    return pop(request(false, null));
  }

  private void complete(List<Got> got) {
    for (var message : got) {
      var item = EngineFixture.item(message, AckStatus.COMPLETED, message.leaseId());
      cell.engine.ack(TENANT, queue, List.of(item));
    }
  }

  @Test
  void aSeekSurvivesARestart() throws Exception {
    cell.push(queue, "p", "1");
    cell.push(queue, "p", "2");
    complete(pop());
    assertEquals(1, cell.engine.groups().seek(TENANT, queue, queue, Instant.EPOCH).getAsInt());
    cell.restart();
    assertEquals(List.of("1", "2"), texts(pop()));
    cell.engine.groups().seek(TENANT, queue, queue, null);
    cell.restart();
    assertEquals(List.of(), pop());
  }

  @Test
  void aDeletedGroupStaysDeletedAndAKeptSubscriptionStays() throws Exception {
    cell.push(queue, "p", "old");
    assertEquals(List.of(), cell.pop(request(true, null)));
    cell.push(queue, "p", "new");
    cell.push(queue, "q", "other");
    complete(pop());
    assertEquals(2, cell.engine.groups().delete(TENANT, queue, queue, false));
    cell.restart();
    cell.push(queue, "r", "later");
    assertEquals(List.of("later", "new", "other"), texts(pop()).stream().sorted().toList());
    cell.engine.groups().delete(TENANT, queue, null, true);
    cell.restart();
    assertEquals(List.of(), cell.engine.groups().places(TENANT, queue));
    assertEquals(List.of(), cell.pop(request(true, null)));
  }

  @Test
  void aStartAtAnInstantIsFoundAmongManySegments() throws Exception {
    for (int i = 0; i < 200; i++) {
      cell.push(queue, "p", "m" + i);
    }
    cell.push(queue, "empty-since", "x");
    complete(cell.pop(EngineFixture.request(queue, "p", PopRequest.QUEUE_MODE, 120)));
    Instant middle;
    try (var connection = DATABASE.connect();
        var row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT s.created_at_micros FROM queen.segments s JOIN queen.partitions p"
                        + " ON p.id = s.partition_id WHERE p.name = 'p' AND s.base_offset = 120")) {
      row.next();
      middle = Instant.EPOCH.plus(row.getLong(1), java.time.temporal.ChronoUnit.MICROS);
    }
    var got = pop(request(false, middle));
    assertEquals(
        120, got.stream().filter(m -> m.text().equals("m120")).findFirst().orElseThrow().offset());
    assertEquals(81, got.size());
    cell.engine.groups().seekPartition(TENANT, queue, queue, "p", middle);
    cell.restart();
    assertEquals(
        120,
        pop().stream().filter(m -> m.text().startsWith("m")).findFirst().orElseThrow().offset());
    assertFalse(cell.engine.groups().seekPartition(TENANT, queue, queue, "missing", middle));
  }

  @Test
  void aSubscriptionToTheFutureSkipsWhatComesBefore() throws Exception {
    cell.push(queue, "p", "1");
    assertEquals(List.of(), cell.pop(request(true, null)));
    var future = Instant.now().plusSeconds(3600);
    assertEquals(1, cell.engine.groups().resubscribe(TENANT, queue, future));
    cell.restart();
    cell.push(queue, "later", "too early");
    assertEquals(List.of(), pop());
    cell.push(queue, "p", "2");
    assertEquals(List.of("2"), texts(pop()));
  }

  @Test
  void lagIsReadFromTheDatabaseWhereMemoryHasForgotten() throws Exception {
    cell.push(queue, "p", "1");
    cell.push(queue, "q", "2", "3");
    pop();
    cell.restart();
    var view =
        cell.engine.groups().list(TENANT).stream()
            .filter(g -> g.queue().equals(queue))
            .findFirst()
            .orElseThrow();
    assertEquals(3, view.lag());
    assertEquals(2, view.lagging());
    assertFalse(view.consumed());
    var lagging = cell.engine.groups().lagging(TENANT, 0);
    assertEquals(2, lagging.stream().filter(place -> place.queue().equals(queue)).count());
    lagging.forEach(place -> assertEquals(true, place.oldestAt() != null));
  }
}
