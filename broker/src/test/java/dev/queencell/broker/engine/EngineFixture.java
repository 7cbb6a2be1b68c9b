package dev.queencell.broker.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Drives an engine in few words: push texts, pop texts, acknowledge what was popped. Beside every
 * queue, partition and group that it names the {@link Neighbour} has its own; that nothing has
 * touched those is checked at the end, and nothing of them may be delivered here.
 */
final class EngineFixture implements AutoCloseable {
  static final UUID TENANT = UUID.fromString("11111111-1111-4111-8111-111111111111");

  private final TestDatabase database;
  private static final long DEDUP_BYTES = 1 << 20;

  private final long tailCacheBytes;
  private final long dedupBytes;
  private final RetentionConfig retention;
  Neighbour neighbour = new Neighbour(() -> this.engine);
  CellEngine engine;

  EngineFixture(TestDatabase database, long tailCacheBytes) {
    this(database, tailCacheBytes, RetentionConfig.DEFAULTS);
  }

  EngineFixture(TestDatabase database, long tailCacheBytes, long dedupBytes) {
    this(database, tailCacheBytes, dedupBytes, RetentionConfig.DEFAULTS);
  }

  EngineFixture(TestDatabase database, long tailCacheBytes, RetentionConfig retention) {
    this(database, tailCacheBytes, DEDUP_BYTES, retention);
  }

  private EngineFixture(
      TestDatabase database, long tailCacheBytes, long dedupBytes, RetentionConfig retention) {
    this.dedupBytes = dedupBytes;
    this.database = database;
    this.tailCacheBytes = tailCacheBytes;
    this.retention = retention;
    start();
  }

  void start() {
    engine =
        CellEngine.open(
            new EngineConfig(
                    database.jdbcUrl(),
                    database.user(),
                    database.password(),
                    "http://127.0.0.1:1",
                    1,
                    tailCacheBytes,
                    dedupBytes)
                .with(retention));
    Await.until("the engine owns its database", () -> engine.role() == Engine.Role.OWNER);
  }

  void restart() {
    engine.close();
    start();
  }

  /** One delivered message. */
  record Got(
      String text,
      String transactionId,
      String partitionId,
      String leaseId,
      int attempt,
      long offset) {}

  List<PushOutcome> push(String queue, String partition, String... texts) {
    var items = new ArrayList<PushItem>();
    for (var text : texts) {
      items.add(new PushItem(queue, partition, null, null, Slice.utf8('"' + text + '"')));
    }
    return push(queue, partition, items);
  }

  PushOutcome pushWithId(String queue, String partition, String transactionId, String text) {
    var item =
        new PushItem(
            queue, partition, Slice.utf8(transactionId), null, Slice.utf8('"' + text + '"'));
    return push(queue, partition, List.of(item)).getFirst();
  }

  private List<PushOutcome> push(String queue, String partition, List<PushItem> items) {
    var outcomes = engine.push(TENANT, items);
    neighbour.push(queue, partition);
    return outcomes;
  }

  static PopRequest request(String queue, String partition, String group, int batch) {
    return new PopRequest(
        TENANT, queue, partition, null, null, group, batch, 1, false, 0, 0, false, null);
  }

  List<Got> pop(String queue, int batch) throws Exception {
    return pop(request(queue, null, PopRequest.QUEUE_MODE, batch));
  }

  List<Got> pop(PopRequest request) throws Exception {
    var got = got(engine.pop(request).result().get(20, TimeUnit.SECONDS));
    if (request.queue() != null) {
      neighbour.pop(request.queue(), request.group());
    }
    return got;
  }

  static List<Got> got(PopResult result) {
    var all = read(result);
    for (var message : all) {
      assertFalse(message.text().startsWith(Neighbour.MARK), message.text());
    }
    return all;
  }

  /** What was delivered, to whomever. */
  static List<Got> read(PopResult result) {
    var all = new ArrayList<Got>();
    for (var claim : result.claims()) {
      for (var run : claim.runs()) {
        var frame = new Frames.Reader(run.frames());
        frame.skip(run.skip());
        for (int i = 0; i < run.count(); i++) {
          frame.next();
          var payload = frame.payload().text();
          all.add(
              new Got(
                  payload.substring(1, payload.length() - 1),
                  frame.transactionId().text(),
                  claim.partitionId().toString(),
                  result.leaseId() == null ? "" : result.leaseId().toString(),
                  claim.deliveryAttempt(),
                  run.firstOffset() + i));
        }
      }
    }
    return all;
  }

  static List<String> texts(List<Got> messages) {
    return messages.stream().map(Got::text).toList();
  }

  AckOutcome ack(Got message, AckStatus status) {
    return ack(message, status, message.leaseId());
  }

  AckOutcome ack(Got message, AckStatus status, String leaseId) {
    return engine
        .ack(TENANT, PopRequest.QUEUE_MODE, List.of(item(message, status, leaseId)))
        .getFirst();
  }

  List<AckOutcome> ackAll(List<Got> messages, AckStatus... statuses) {
    var items = new ArrayList<AckItem>();
    for (int i = 0; i < messages.size(); i++) {
      var status = statuses.length == 0 ? AckStatus.COMPLETED : statuses[i];
      items.add(item(messages.get(i), status, messages.get(i).leaseId()));
    }
    return engine.ack(TENANT, PopRequest.QUEUE_MODE, items);
  }

  static AckItem item(Got message, AckStatus status, String leaseId) {
    return new AckItem(
        Slice.utf8(message.transactionId()), message.partitionId(), status, leaseId, null);
  }

  static Duration deadline() {
    return Duration.ofSeconds(20);
  }

  @Override
  public void close() {
    try {
      neighbour.check();
    } finally {
      engine.close();
    }
  }
}
