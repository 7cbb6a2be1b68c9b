package dev.queencell.broker.engine;

import dev.queencell.broker.store.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * The engine over one database: hands every request to the lane that owns its queue, in the term
 * that lives now, and waits for the answer. Between terms it refuses, see {@link OwnerLoop}.
 */
public final class CellEngine implements Engine {
  /** A database that says nothing for so long does not answer. */
  private static final int HEALTH_TIMEOUT_SECONDS = 3;

  private static final long CLOSE_MS = 10_000;

  private final Database database;
  private final EngineCounters counters = new EngineCounters();
  private final OwnerLoop loop;
  private final Thread loopThread;
  private final LaneCalls calls = new LaneCalls(this::term);
  private final CellPushes pushes = new CellPushes(counters);
  private final CellAcks acks = new CellAcks(counters);
  private final CellReads reads;
  private final MessageBrowser browser;
  private final Traces traces;
  private final Analytics analytics;
  private final Metering metering;
  private final CellGroups groups;
  private final CellTransactions transactions = new CellTransactions(calls, counters);
  private final CellDeadLetters deadLetters;
  private volatile State state = new State(Role.LOADING, null, null);

  private record State(Role role, CellTerm term, String ownerUrl) {}

  private CellEngine(EngineConfig config) {
    database = new Database(config.jdbcUrl(), config.user(), config.password());
    loop = new OwnerLoop(this, database, config);
    reads = new CellReads(database);
    browser = new CellMessageBrowser(calls, reads);
    traces = new CellTraces(calls, reads);
    deadLetters = new CellDeadLetters(calls, reads, transactions);
    analytics = new CellAnalytics(calls, reads);
    metering = new CellMetering(() -> state.term(), counters, reads);
    groups = new CellGroups(calls, reads);
    loopThread = Thread.ofPlatform().name("owner").unstarted(loop);
  }

  /** Starts to contend for the database; returns at once, see {@link #role()}. */
  public static CellEngine open(EngineConfig config) {
    var engine = new CellEngine(config);
    engine.loopThread.start();
    return engine;
  }

  void become(Role role, CellTerm term, String ownerUrl) {
    state = new State(role, term, ownerUrl);
  }

  EngineCounters counters() {
    return counters;
  }

  @Override
  public Role role() {
    return state.role();
  }

  @Override
  public String ownerUrl() {
    return state.ownerUrl();
  }

  @Override
  public boolean databaseAnswers() {
    try (var connection = database.open("health", HEALTH_TIMEOUT_SECONDS);
        var statement = connection.createStatement()) {
      return statement.execute("SELECT 1");
    } catch (SQLException e) {
      return false;
    }
  }

  private CellTerm term() {
    var now = state;
    if (now.term() == null) {
      throw new EngineUnavailableException(
          now.role() == Role.STANDBY ? "this broker is a standby" : "the broker is loading",
          now.role() == Role.STANDBY ? now.ownerUrl() : null);
    }
    return now.term();
  }

  @Override
  public Runnable burst() {
    var term = state.term();
    if (term == null) {
      return () -> {};
    }
    term.lanes().forEach(lane -> lane.inbox.holdOn());
    return () -> term.lanes().forEach(lane -> lane.inbox.goOn());
  }

  @Override
  public CompletableFuture<List<PushOutcome>> startPush(UUID tenant, List<PushItem> items) {
    return pushes.start(term(), tenant, items);
  }

  @Override
  public PopTicket pop(PopRequest request) {
    counters.popRequests.increment();
    var term = term();
    // One more waiting consumer than there is room for is answered at once; it will ask again.
    boolean room = request.waitMs() <= 0 || counters.parked.sum() < Limits.PARKED_CONSUMERS_MAX;
    int lanes = request.queue() == null ? term.lanes().size() : 1;
    boolean ranked = lanes > 1 && term.ranks(request.tenant());
    var wish = room ? request : request.withoutWait();
    var work = new PopWork(wish, this, System.nanoTime(), lanes, ranked);
    if (request.queue() != null) {
      term.post(term.laneOf(request.tenant(), request.queue()), work);
    } else {
      term.lanes().forEach(lane -> term.post(lane, work));
    }
    return work;
  }

  /** Something has changed for the discovery pops of a tenant. */
  void lookAgain(UUID tenant) {
    postToAll(tenant, lane -> lane.delivery.discovery().touch(tenant));
  }

  /** A consumer went away while it waited. */
  void forget(PopWork pop) {
    postToAll(pop.tenant, lane -> lane.delivery.leave(pop));
  }

  /** A leased answer did not reach its consumer. */
  void giveBack(UUID tenant, UUID leaseId) {
    if (leaseId != null) {
      postToAll(tenant, lane -> lane.delivery.giveBack(tenant, leaseId));
    }
  }

  /** Tells every lane something; between terms there is nobody to tell. */
  private void postToAll(UUID tenant, Consumer<Lane> what) {
    var now = state.term();
    if (now != null) {
      LaneCalls.post(
          now,
          tenant,
          lane -> {
            what.accept(lane);
            return null;
          });
    }
  }

  @Override
  public CompletableFuture<List<AckOutcome>> startAck(
      UUID tenant, String group, List<AckItem> items) {
    return acks.start(term(), tenant, group, items);
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  @Override
  public Transactions transactions() {
    return transactions;
  }

  @Override
  public ExtendOutcome extend(UUID tenant, String leaseId, int seconds) {
    UUID id;
    try {
      id = UUID.fromString(leaseId);
    } catch (IllegalArgumentException e) {
      return new ExtendOutcome(0, null);
    }
    int bounded = Math.clamp(seconds, 1, Limits.LEASE_SECONDS_MAX);
    int renewed = 0;
    long earliestNanos = Long.MAX_VALUE;
    for (var part :
        calls.onEvery(tenant, lane -> lane.delivery.leases().renew(tenant, id, bounded))) {
      renewed += part.renewed();
      earliestNanos = Math.min(earliestNanos, part.earliestNanos());
    }
    return new ExtendOutcome(
        renewed, renewed == 0 ? null : Instant.now().plus(Duration.ofNanos(earliestNanos)));
  }

  @Override
  public QueueView configure(
      UUID tenant,
      String queue,
      String namespace,
      String task,
      ObjectNode options,
      boolean replace) {
    return calls.onQueue(
        tenant,
        queue,
        lane -> QueueTasks.configure(lane, tenant, queue, namespace, task, options, replace));
  }

  @Override
  public List<QueueView> queues(UUID tenant) {
    var views = new ArrayList<QueueView>();
    calls.onEvery(tenant, lane -> QueueTasks.views(lane, tenant)).forEach(views::addAll);
    views.sort(java.util.Comparator.comparing(QueueView::name));
    return Collections.unmodifiableList(views);
  }

  @Override
  public Optional<QueueView> queue(UUID tenant, String queue, String group) {
    return calls.onQueue(tenant, queue, lane -> QueueTasks.detail(lane, tenant, queue, group));
  }

  @Override
  public boolean deleteQueue(UUID tenant, String queue) {
    return calls.onQueue(tenant, queue, lane -> QueueTasks.delete(lane, tenant, queue));
  }

  @Override
  public MessageBrowser browser() {
    return browser;
  }

  @Override
  public Traces traces() {
    return traces;
  }

  @Override
  public Analytics analytics() {
    return analytics;
  }

  @Override
  public Metering metering() {
    return metering;
  }

  @Override
  public Groups groups() {
    return groups;
  }

  @Override
  public EngineStats stats() {
    var now = state.term();
    return now == null
        ? counters.snapshot(0, 0, 0, 0)
        : counters.snapshot(
            now.queueCount(), now.partitionCount(), now.cacheBytes(), now.inboxBytes());
  }

  @Override
  public void close() {
    loop.close();
    reads.close();
    try {
      loopThread.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
