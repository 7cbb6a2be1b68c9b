package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Random steps of every kind against the engine and the {@link ReferenceModel}; both must say the
 * same after each. The engine's cache is so small that deliveries are read back from PostgreSQL
 * again and again. jqwik prints the seed of a failure and the shortest list of steps it has found.
 */
class EngineModelIT {
  private static final int STEPS_MAX = 150;
  private static final long CACHE_BYTES = 1_000;
  private static final RetentionConfig RETENTION = new RetentionConfig(50, 10, 30);
  private static final String[] PARTITIONS = {"p", "q", "r"};
  private static final String[] GROUPS = {PopRequest.QUEUE_MODE, "readers"};

  private static final List<AckStatus> FAILURES =
      List.of(AckStatus.RETRY, AckStatus.FAILED, AckStatus.DLQ);

  private static TestDatabase database;
  private static EngineFixture cell;
  private static int queues;

  /** What a step does; how often each is drawn. */
  private enum Kind {
    PUSH(11),
    POP(9),
    TAKE(2),
    GIVE_BACK(2),
    ACK(12),
    RENEW(1),
    EXPIRE(1),
    SEEK(1),
    CONFIGURE(1),
    RETAIN(1),
    RESTART(1),
    CUT(1);

    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }
  }

  /** One step; what the kind leaves open is drawn from the seed. */
  record Step(Kind kind, int seed) {}

  private Map<String, List<Got>> held;
  private ReferenceModel model;
  private String queue;
  private String partition;
  private String group;
  private Random random;
  private int nextId;

  @BeforeContainer
  static void open() {
    database = TestDatabase.standalone();
    cell = new EngineFixture(database, CACHE_BYTES, RETENTION);
  }

  @AfterContainer
  static void close() {
    cell.close();
    database.close();
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    var drawn = new ArrayList<Kind>();
    for (var kind : Kind.values()) {
      drawn.addAll(Collections.nCopies(kind.weight, kind));
    }
    return Combinators.combine(Arbitraries.of(drawn), Arbitraries.integers())
        .as(Step::new)
        .list()
        .ofMaxSize(STEPS_MAX);
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void theEngineDoesWhatTheModelSays(@ForAll("steps") List<Step> steps) throws Exception {
    queue = "model-" + queues++;
    held = new HashMap<>();
    model = new ReferenceModel();
    nextId = 0;
    for (var name : PARTITIONS) {
      cell.neighbour.push(queue, name);
    }
    for (var step : steps) {
      random = new Random(step.seed());
      partition = PARTITIONS[random.nextInt(PARTITIONS.length)];
      group = GROUPS[random.nextInt(GROUPS.length)];
      switch (step.kind()) {
        case PUSH -> push();
        case POP -> pop();
        case TAKE -> take();
        case GIVE_BACK -> giveBack();
        case ACK -> ack();
        case RENEW -> renew();
        case EXPIRE -> expire();
        case SEEK -> seek();
        case CONFIGURE -> configure();
        case RETAIN -> retain();
        case RESTART -> cell.restart();
        case CUT -> cut();
      }
      for (var each : GROUPS) {
        assertEquals(model.pending(each), pending(each), step + " of " + each);
      }
    }
    assertEquals(model.deadLetters(), deadLetters());
    cell.neighbour.check();
  }

  private long pending(String ofGroup) {
    return cell.engine.queue(TENANT, queue, ofGroup).map(QueueView::pending).orElse(0L);
  }

  private void push() {
    var items = new ArrayList<PushItem>();
    var expected = new ArrayList<Status>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      var where = PARTITIONS[random.nextInt(PARTITIONS.length)];
      // One in eight is a duplicate of some earlier push, often of this very request.
      int id = nextId > 0 && random.nextInt(8) == 0 ? random.nextInt(nextId) : nextId++;
      var text = "t" + id;
      items.add(item(where, text));
      expected.add(model.push(where, text) ? Status.QUEUED : Status.DUPLICATE);
    }
    assertEquals(
        expected, cell.engine.push(TENANT, items).stream().map(PushOutcome::status).toList());
  }

  private PushItem item(String where, String text) {
    return new PushItem(queue, where, Slice.utf8(text), null, Slice.utf8('"' + text + '"'));
  }

  private PopRequest request(int batch, boolean autoAck, int leaseSeconds) {
    return new PopRequest(
        TENANT,
        queue,
        partition,
        null,
        null,
        group,
        batch,
        1,
        autoAck,
        0,
        leaseSeconds,
        false,
        null);
  }

  private void pop() throws Exception {
    int batch = 1 + random.nextInt(5);
    var got = cell.pop(request(batch, false, 0));
    assertEquals(model.pop(group, partition, batch), EngineFixture.texts(got));
    hold(got);
  }

  private void hold(List<Got> got) {
    if (!got.isEmpty()) {
      int attempt = model.leased(group, partition, got.size(), got.getFirst().leaseId());
      assertEquals(attempt, got.getFirst().attempt());
      held.put(group + partition, got);
    }
  }

  /** A pop that acknowledges what it delivers. */
  private void take() throws Exception {
    int batch = 1 + random.nextInt(3);
    var got = cell.pop(request(batch, true, 0));
    assertEquals(model.pop(group, partition, batch), EngineFixture.texts(got));
    if (!got.isEmpty()) {
      model.taken(group, partition, got.size());
    }
  }

  /** A pop whose consumer went away before its answer. */
  private void giveBack() throws Exception {
    int batch = 1 + random.nextInt(3);
    var ticket = cell.engine.pop(request(batch, false, 0));
    var got = EngineFixture.got(ticket.result().get(20, TimeUnit.SECONDS));
    assertEquals(model.pop(group, partition, batch), EngineFixture.texts(got));
    ticket.cancel();
    if (!got.isEmpty()) {
      model.leased(group, partition, got.size(), got.getFirst().leaseId());
      model.release(group, partition, false);
    }
  }

  private void renew() {
    var got = held.get(group + partition);
    if (got != null) {
      boolean live = model.isHeld(group, partition, got.getFirst().leaseId());
      var renewed = cell.engine.extend(TENANT, got.getFirst().leaseId(), 90);
      assertEquals(live ? 1 : 0, renewed.renewed());
    }
  }

  /** A pop whose lease runs out. */
  private void expire() throws Exception {
    int batch = 1 + random.nextInt(3);
    var got = cell.pop(request(batch, false, 1));
    assertEquals(model.pop(group, partition, batch), EngineFixture.texts(got));
    hold(got);
    if (!got.isEmpty()) {
      var lease = got.getFirst().leaseId();
      Await.until(
          "the lease has ended",
          () ->
              cell.engine.queue(TENANT, queue, group).orElseThrow().partitions().stream()
                  .filter(view -> view.name().equals(partition))
                  .allMatch(view -> view.processing() == 0));
      assertEquals(0, cell.engine.extend(TENANT, lease, 60).renewed());
      model.release(group, partition, true);
    }
  }

  private void seek() {
    boolean toEnd = random.nextBoolean();
    assertEquals(
        model.seek(group, partition, toEnd),
        cell.engine
            .groups()
            .seekPartition(TENANT, group, queue, partition, toEnd ? null : Instant.EPOCH));
  }

  /** Nobody holds anything, and all that was stored until now becomes too old and goes. */
  private void retain() {
    held.forEach(
        (where, got) -> {
          // While the lease lives, its last message is not completed.
          var message = got.getLast();
          for (var each : GROUPS) {
            for (var lane : PARTITIONS) {
              if (where.equals(each + lane) && model.isHeld(each, lane, message.leaseId())) {
                var item = EngineFixture.item(message, AckStatus.RETRY, message.leaseId());
                assertTrue(cell.engine.ack(TENANT, each, List.of(item)).getFirst().success());
                model.ack(
                    each,
                    lane,
                    message.leaseId(),
                    List.of(message.transactionId()),
                    List.of(AckStatus.RETRY));
              }
            }
          }
        });
    held.clear();
    var options = Json.object().put("retentionEnabled", true).put("retentionSeconds", 1);
    cell.engine.configure(TENANT, queue, null, null, options, false);
    Await.until(
        "everything is gone",
        () -> cell.engine.queue(TENANT, queue, null).orElseThrow().retained() == 0);
    cell.engine.configure(
        TENANT, queue, null, null, Json.object().put("retentionEnabled", false), false);
    model.retain();
  }

  private void configure() {
    model.retryLimit = random.nextInt(4);
    model.deadLetters = random.nextBoolean();
    var options =
        Json.object()
            .put("retryLimit", model.retryLimit)
            .put("deadLetterQueue", model.deadLetters)
            .put("dlqAfterMaxRetries", model.deadLetters);
    cell.engine.configure(TENANT, queue, null, null, options, false);
  }

  /** All of the engine's sessions end; it must come back with all that was answered. */
  private void cut() throws SQLException {
    long takeovers = cell.engine.stats().takeovers();
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }
    Await.until(
        "the engine owns its database again",
        () ->
            cell.engine.stats().takeovers() > takeovers && cell.engine.role() == Engine.Role.OWNER);
  }

  private void ack() {
    var got = held.get(group + partition);
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
        var status =
            random.nextInt(5) == 0
                ? FAILURES.get(random.nextInt(FAILURES.size()))
                : AckStatus.COMPLETED;
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
    var expected = model.ack(group, partition, lease, ids, statuses);
    var actual =
        cell.engine.ack(TENANT, group, items).stream()
            .map(o -> o.success() ? o.noop() ? "noop" : "ok" : o.error())
            .toList();
    assertEquals(expected, actual);
  }

  private List<String> deadLetters() throws Exception {
    var found = new ArrayList<String>();
    try (var connection = database.connect();
        var query =
            connection.prepareStatement(
                "SELECT convert_from(d.transaction_id, 'UTF8') FROM queen.dead_letters d"
                    + " JOIN queen.queues q ON q.id = d.queue_id WHERE q.name = ?")) {
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
