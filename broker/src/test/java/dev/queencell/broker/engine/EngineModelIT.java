package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random pushes, pops, acknowledgements of every kind, returned leases and restarts against the
 * engine and the {@link ReferenceModel}; both must say the same. A failure names its seed. With
 * {@code -Dqueencell.seed=N} that seed runs alone.
 */
class EngineModelIT {
  private static final int STEPS = 400;
  private static final String[] PARTITIONS = {"p", "q", "r"};

  private static final List<AckStatus> FAILURES =
      List.of(AckStatus.RETRY, AckStatus.FAILED, AckStatus.DLQ);

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static EngineFixture cell;

  private final Map<String, List<Got>> held = new HashMap<>();
  private final ReferenceModel model = new ReferenceModel();
  private String queue;
  private Random random;
  private int nextId;

  @BeforeAll
  static void open() {
    // So small that deliveries are read back from PostgreSQL again and again.
    cell = new EngineFixture(DATABASE, 1_000);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {0, 1, 2, 3, 4, 5})
  void theEngineDoesWhatTheModelSays(long number) throws Exception {
    long seed = Long.getLong("queencell.seed", System.nanoTime() ^ number);
    System.out.println("EngineModelIT seed " + seed);
    random = new Random(seed);
    queue = "model-" + seed;
    for (int step = 0; step < STEPS; step++) {
      var where = "seed " + seed + ", step " + step;
      switch (random.nextInt(40)) {
        case 0 -> cell.restart();
        case 1, 2, 3 -> giveBack(where);
        case 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 -> push(where);
        case 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 -> pop(where);
        default -> ack(where);
      }
      assertEquals(
          model.pending(),
          cell.engine.queue(TENANT, queue, null).map(QueueView::pending).orElse(0L),
          where);
    }
    assertEquals(model.deadLetters(), deadLetters(), "seed " + seed);
  }

  private String partition() {
    return PARTITIONS[random.nextInt(PARTITIONS.length)];
  }

  private void push(String where) {
    var items = new ArrayList<PushItem>();
    var expected = new ArrayList<Status>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      var partition = partition();
      // One in eight is a duplicate of some earlier push, often of this very request.
      int id = nextId > 0 && random.nextInt(8) == 0 ? random.nextInt(nextId) : nextId++;
      var text = "t" + id;
      items.add(
          new PushItem(queue, partition, Slice.utf8(text), null, Slice.utf8('"' + text + '"')));
      expected.add(model.push(partition, text) ? Status.QUEUED : Status.DUPLICATE);
    }
    assertEquals(
        expected,
        cell.engine.push(TENANT, items).stream().map(PushOutcome::status).toList(),
        where);
  }

  private PopRequest request(String partition, int batch) {
    return EngineFixture.request(queue, partition, PopRequest.QUEUE_MODE, batch);
  }

  private void pop(String where) throws Exception {
    var partition = partition();
    int batch = 1 + random.nextInt(5);
    var got = cell.pop(request(partition, batch));
    assertEquals(model.pop(partition, batch), EngineFixture.texts(got), where);
    if (!got.isEmpty()) {
      int attempt = model.leased(partition, got.size(), got.getFirst().leaseId());
      assertEquals(attempt, got.getFirst().attempt(), where);
      held.put(partition, got);
    }
  }

  private void giveBack(String where) throws Exception {
    var partition = partition();
    int batch = 1 + random.nextInt(3);
    var ticket = cell.engine.pop(request(partition, batch));
    var got = EngineFixture.got(ticket.result().get(20, TimeUnit.SECONDS));
    assertEquals(model.pop(partition, batch), EngineFixture.texts(got), where);
    ticket.cancel();
    if (!got.isEmpty()) {
      model.leased(partition, got.size(), got.getFirst().leaseId());
      model.release(partition, false);
    }
  }

  private void ack(String where) {
    var partition = partition();
    var got = held.get(partition);
    if (got == null) {
      return;
    }
    boolean leaseless = random.nextInt(6) == 0;
    var lease = leaseless ? "" : got.getFirst().leaseId();
    var items = new ArrayList<AckItem>();
    var ids = new ArrayList<String>();
    var statuses = new ArrayList<AckStatus>();
    for (var message : got) {
      if (random.nextInt(4) > 0) {
        var status = random.nextInt(5) == 0 ? failure() : AckStatus.COMPLETED;
        items.add(EngineFixture.item(message, status, lease));
        ids.add(message.transactionId());
        statuses.add(status);
      }
    }
    if (random.nextInt(10) == 0) {
      ids.add("ghost");
      statuses.add(AckStatus.COMPLETED);
      items.add(
          new AckItem(
              Slice.utf8("ghost"), got.getFirst().partitionId(), AckStatus.COMPLETED, lease, null));
    }
    if (items.isEmpty()) {
      return;
    }
    var expected = model.ack(partition, lease, ids, statuses);
    var actual =
        cell.engine.ack(TENANT, PopRequest.QUEUE_MODE, items).stream()
            .map(o -> o.success() ? o.noop() ? "noop" : "ok" : o.error())
            .toList();
    assertEquals(expected, actual, where);
  }

  private AckStatus failure() {
    return FAILURES.get(random.nextInt(FAILURES.size()));
  }

  private List<String> deadLetters() throws Exception {
    var found = new ArrayList<String>();
    try (var connection = DATABASE.connect();
        var query =
            connection.prepareStatement(
                "SELECT convert_from(d.transaction_id, 'UTF8') FROM queen.dead_letters d"
                    + " JOIN queen.queues q ON q.id = d.queue_id WHERE q.name = ?"
                    + " ORDER BY 1")) {
      query.setString(1, queue);
      try (var row = query.executeQuery()) {
        while (row.next()) {
          found.add(row.getString(1));
        }
      }
    }
    found.sort(null);
    return found;
  }
}
