package dev.queencell.broker.http;

import dev.queencell.broker.engine.AckItem;
import dev.queencell.broker.engine.AckOutcome;
import dev.queencell.broker.engine.Analytics;
import dev.queencell.broker.engine.DeadLetters;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineStats;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.ExtendOutcome;
import dev.queencell.broker.engine.Groups;
import dev.queencell.broker.engine.MessageBrowser;
import dev.queencell.broker.engine.Metering;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PopTicket;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import dev.queencell.broker.engine.QueueView;
import dev.queencell.broker.engine.Traces;
import dev.queencell.broker.engine.Transactions;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.QueueOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.node.ObjectNode;

/**
 * An engine that remembers what it was asked and hands out, once, what was pushed to a queue. A pop
 * that finds nothing parks until {@link #serve} or its cancellation.
 */
final class FixtureEngine implements Engine {
  static final UUID LEASE = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
  static final UUID PARTITION = UUID.fromString("00000000-0000-0000-0000-00000000002a");
  static final Instant TIME = Instant.parse("2026-01-02T03:04:05.123456Z");

  record Asked(UUID tenant, String what, Object details) {}

  /** A parked pop and what became of it; of a taken one the result is about to come. */
  record Parked(
      PopRequest request,
      CompletableFuture<PopResult> result,
      CompletableFuture<Void> gone,
      AtomicBoolean taken,
      CompletableFuture<Void> late)
      implements PopTicket {
    @Override
    public void endWait() {
      late.complete(null);
      if (!taken.get()) {
        gone.complete(null);
        result.complete(PopResult.EMPTY);
      }
    }

    @Override
    public void cancel() {
      gone.complete(null);
      result.cancel(false);
    }
  }

  final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  final BlockingQueue<Parked> pops = new LinkedBlockingQueue<>();
  final ConcurrentMap<String, List<PushItem>> pushed = new ConcurrentHashMap<>();
  volatile FixtureMetering metering = new FixtureMetering();
  volatile Role role = Role.OWNER;
  volatile String ownerUrl;
  volatile boolean databaseAnswers = true;

  /** Answers a parked pop with one message. */
  static void serve(Parked pop, PushItem item) {
    pop.result().complete(result(pop.request(), List.of(item)));
  }

  private static PopResult result(PopRequest request, List<PushItem> items) {
    var frames = new Frames.Writer(64);
    items.forEach(
        item -> frames.add(UUID.randomUUID(), item.transactionId(), null, null, item.payload()));
    var run = new PopResult.Run(0, 1_767_323_045_123_456L, frames.toBytes(), 0, items.size());
    var claim =
        new PopResult.Claim(
            "q", items.getFirst().partition(), PARTITION, 1, items.size(), List.of(run));
    return new PopResult(request.autoAck() ? null : LEASE, List.of(claim));
  }

  private void ask(UUID tenant, String what, Object details) {
    if (role != Role.OWNER) {
      throw new EngineUnavailableException("this broker is not the owner", ownerUrl);
    }
    asked.add(new Asked(tenant, what, details));
  }

  @Override
  public Runnable burst() {
    return () -> {};
  }

  @Override
  public CompletableFuture<List<PushOutcome>> startPush(UUID tenant, List<PushItem> items) {
    ask(tenant, "push", items);
    var outcomes = new ArrayList<PushOutcome>();
    for (var item : items) {
      pushed.computeIfAbsent(tenant + item.queue(), key -> new ArrayList<>()).add(item);
      outcomes.add(
          new PushOutcome(PushOutcome.Status.QUEUED, UUID.randomUUID(), item.transactionId()));
    }
    return CompletableFuture.completedFuture(outcomes);
  }

  @Override
  public PopTicket pop(PopRequest request) {
    ask(request.tenant(), "pop", request);
    var parked =
        new Parked(
            request,
            new CompletableFuture<>(),
            new CompletableFuture<>(),
            new AtomicBoolean(),
            new CompletableFuture<>());
    var items = pushed.remove(request.tenant() + request.queue());
    if (items != null) {
      parked.result().complete(result(request, items));
    } else if (request.waitMs() == 0) {
      parked.result().complete(PopResult.EMPTY);
    } else {
      pops.add(parked);
    }
    return parked;
  }

  @Override
  public CompletableFuture<List<AckOutcome>> startAck(
      UUID tenant, String group, List<AckItem> items) {
    ask(tenant, "ack " + group, items);
    return CompletableFuture.completedFuture(
        items.stream()
            .map(i -> new AckOutcome(true, null, items.size() > 1, false, items.size() == 1))
            .toList());
  }

  @Override
  public DeadLetters deadLetters() {
    throw new UnsupportedOperationException("asked of the real engine only");
  }

  @Override
  public Transactions transactions() {
    return request -> {
      ask(request.tenant(), "transaction", request);
      return new Transactions.Outcome(Transactions.Reason.DB_ERROR, "no store", List.of());
    };
  }

  @Override
  public ExtendOutcome extend(UUID tenant, String leaseId, int seconds) {
    ask(tenant, "extend " + leaseId, seconds);
    return leaseId.equals(LEASE.toString())
        ? new ExtendOutcome(2, TIME)
        : new ExtendOutcome(0, null);
  }

  @Override
  public QueueView configure(
      UUID tenant, String queue, String ns, String task, ObjectNode options, boolean replace) {
    ask(tenant, "configure " + queue + " " + ns + " " + task + " " + replace, options);
    if (options.has("leaseTime") && !options.get("leaseTime").isIntegralNumber()) {
      throw new IllegalArgumentException("options.leaseTime must be a whole number");
    }
    return view(queue);
  }

  private static QueueView view(String name) {
    var partition =
        new QueueView.PartitionView(PARTITION, "p", TIME, 10, 4, 3, 2, 900, TIME, TIME, 5);
    return new QueueView(
        new UUID(7, 7),
        name,
        "ns",
        "tk",
        TIME,
        QueueOptions.defaults(60),
        1,
        10,
        4,
        3,
        2,
        900,
        5,
        false,
        List.of(partition));
  }

  @Override
  public List<QueueView> queues(UUID tenant) {
    ask(tenant, "queues", "");
    return List.of(view("a"), view("b"));
  }

  @Override
  public Optional<QueueView> queue(UUID tenant, String queue, String group) {
    ask(tenant, "queue " + queue, String.valueOf(group));
    return queue.startsWith("missing") ? Optional.empty() : Optional.of(view(queue));
  }

  @Override
  public boolean deleteQueue(UUID tenant, String queue) {
    ask(tenant, "delete", queue);
    return !queue.startsWith("missing");
  }

  @Override
  public Groups groups() {
    throw new UnsupportedOperationException("groups are tested on the real engine");
  }

  @Override
  public Role role() {
    return role;
  }

  @Override
  public String ownerUrl() {
    return ownerUrl;
  }

  @Override
  public boolean databaseAnswers() {
    return databaseAnswers;
  }

  @Override
  public MessageBrowser browser() {
    throw new UnsupportedOperationException("messages are browsed in a database");
  }

  @Override
  public Analytics analytics() {
    throw new UnsupportedOperationException("history is kept in a database");
  }

  @Override
  public Traces traces() {
    throw new UnsupportedOperationException("traces are kept in a database");
  }

  @Override
  public Metering metering() {
    return metering;
  }

  @Override
  public EngineStats stats() {
    return new EngineStats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
  }

  @Override
  public void close() {}
}
