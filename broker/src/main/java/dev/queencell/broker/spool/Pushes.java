package dev.queencell.broker.spool;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.IdMint;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Slice;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Where pushes come in: to the engine when it can store them, to the spool when the database is
 * away or an operator says so.
 *
 * <p>Order: a push to a partition of which something is still spooled waits a moment for the replay
 * to get that stored, and is spooled behind it otherwise.
 *
 * <p>A commit in doubt must not become two messages: an item whose commit may have happened is
 * spooled only with the client's own transaction id, by which the replay finds what is there
 * already, as long as the queue's deduplication window reaches back to it. Without one it is
 * answered as failed; only its producer knows whether it can be sent again.
 *
 * <p>A standby sends producers to the owner and spools nothing; what it has spooled before goes to
 * the owner, and a push to a partition of which something is still on its way waits a moment for
 * that. Thread-safe.
 */
public final class Pushes implements AutoCloseable {
  private static final long REPLAY_WAIT_MS = 2_000;
  private static final long CLOSE_MS = 3_000;

  private static final String SPOOL_REFUSES = "the spool is full or can't be written";

  private final Engine engine;
  private final Spool spool;
  private final BooleanSupplier paused;
  private final Replay replay;
  private final Thread replayThread;
  private final IdMint mint = new IdMint();
  private volatile boolean stopping;

  /**
   * What became of a push.
   *
   * @param pauseRefused whether the disk refused some of it while pushes are paused: then there is
   *     no other place for it, and the operator's order can't be carried out
   */
  public record Result(List<PushOutcome> outcomes, boolean pauseRefused) {}

  /**
   * Opens the door.
   *
   * @param spool null for none: pushes are refused then while the database is away
   * @param paused whether pushes go to the spool by order, and stay there
   * @param owner stores at the broker that owns the database, when this one does not
   */
  public Pushes(
      Engine engine, Spool spool, BooleanSupplier paused, OwnerClient owner, long retryMs) {
    this.engine = engine;
    this.spool = spool;
    this.paused = paused;
    if (spool == null) {
      replay = null;
      replayThread = null;
    } else {
      replay = new Replay(spool, new EngineOrOwner(engine, owner, paused), retryMs);
      replayThread = Thread.ofPlatform().name("spool-replay").start(replay);
    }
  }

  /**
   * Stores or spools; one outcome per item.
   *
   * @throws EngineUnavailableException when it can do neither, see there
   */
  public Result push(UUID tenant, List<PushItem> items) {
    if (spool == null || stopping) {
      return direct(engine.push(tenant, items));
    }
    if (engine.role() == Engine.Role.STANDBY) {
      behindWhatIsSpooled(tenant, items);
      return direct(engine.push(tenant, items));
    }
    if (paused.getAsBoolean()) {
      var outcomes = spoolAll(tenant, items);
      return new Result(
          outcomes, outcomes.stream().anyMatch(outcome -> outcome.status() == Status.FAILED));
    }
    if (spool.isEmpty()) {
      return direct(pushDirectly(tenant, items));
    }
    return direct(pushSome(tenant, items, behindWhatIsSpooled(tenant, items)));
  }

  /**
   * Starts a push: straight to the engine as long as it takes it, else on a thread of its own,
   * which may wait for the spool. The answer comes on a thread that must not be held up.
   */
  public CompletableFuture<Result> start(UUID tenant, List<PushItem> items) {
    if (spool == null || stopping) {
      return started(tenant, items).thenApply(Pushes::direct);
    }
    if (paused.getAsBoolean() || !spool.isEmpty() || engine.role() != Engine.Role.OWNER) {
      var result = new CompletableFuture<Result>();
      onOwnThread(() -> push(tenant, items), result);
      return result;
    }
    var result = new CompletableFuture<Result>();
    var _ =
        started(tenant, items)
            .whenComplete(
                (outcomes, refusal) -> {
                  if (refusal == null && !anyFailed(outcomes)) {
                    result.complete(direct(outcomes));
                  } else {
                    onOwnThread(() -> direct(settled(tenant, items, outcomes, refusal)), result);
                  }
                });
    return result;
  }

  private static void onOwnThread(Supplier<Result> call, CompletableFuture<Result> result) {
    Thread.ofVirtual()
        .name("spooling")
        .start(
            () -> {
              try {
                result.complete(call.get());
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
  }

  private static boolean anyFailed(List<PushOutcome> outcomes) {
    for (var outcome : outcomes) {
      if (outcome.status() == Status.FAILED) {
        return true;
      }
    }
    return false;
  }

  private CompletableFuture<List<PushOutcome>> started(UUID tenant, List<PushItem> items) {
    try {
      return engine.startPush(tenant, items);
    } catch (EngineUnavailableException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Result direct(List<PushOutcome> outcomes) {
    return new Result(outcomes, false);
  }

  /** Waits a moment for the replay; tells of each item whether something is still before it. */
  private boolean[] behindWhatIsSpooled(UUID tenant, List<PushItem> items) {
    var lanes =
        items.stream()
            .mapToInt(item -> PendingLanes.of(tenant, item.queue(), item.partition()))
            .toArray();
    boolean replaying = engine.role() != Engine.Role.LOADING;
    return spool.awaitReplayed(lanes, replaying ? REPLAY_WAIT_MS : 0);
  }

  private List<PushOutcome> pushSome(UUID tenant, List<PushItem> items, boolean[] behind) {
    var direct = new ArrayList<PushItem>();
    var later = new ArrayList<PushItem>();
    for (int i = 0; i < behind.length; i++) {
      (behind[i] ? later : direct).add(items.get(i));
    }
    if (later.isEmpty()) {
      return pushDirectly(tenant, items);
    }
    if (direct.isEmpty()) {
      return spoolAll(tenant, items);
    }
    var stored = pushDirectly(tenant, direct);
    var spooled = spoolAll(tenant, later);
    var outcomes = new ArrayList<PushOutcome>();
    var fromStored = stored.iterator();
    var fromSpooled = spooled.iterator();
    for (boolean isLater : behind) {
      outcomes.add(isLater ? fromSpooled.next() : fromStored.next());
    }
    return outcomes;
  }

  private List<PushOutcome> pushDirectly(UUID tenant, List<PushItem> items) {
    try {
      return settled(tenant, items, engine.push(tenant, items), null);
    } catch (EngineUnavailableException e) {
      return settled(tenant, items, null, e);
    }
  }

  /**
   * The outcomes after the spool was asked to take what the database did not.
   *
   * @param refusal why the engine took nothing; null when there are outcomes
   */
  private List<PushOutcome> settled(
      UUID tenant, List<PushItem> items, List<PushOutcome> outcomes, Throwable refusal) {
    if (refusal == null) {
      return spoolFailed(tenant, items, outcomes);
    }
    var cause = refusal instanceof CompletionException ? refusal.getCause() : refusal;
    if (!(cause instanceof EngineUnavailableException e)) {
      throw new CompletionException(cause);
    }
    boolean elsewhere = e.ownerUrl() != null || engine.role() == Engine.Role.STANDBY;
    if (stopping || elsewhere) {
      throw e;
    }
    var reason = e.inDoubt() ? PushOutcome.IN_DOUBT : PushOutcome.NOT_COMMITTED;
    var failed = items.stream().map(i -> PushOutcome.failed(i.transactionId(), reason)).toList();
    return spoolFailed(tenant, items, failed);
  }

  /** Spools those of a push that the database did not take and that may be pushed anew. */
  private List<PushOutcome> spoolFailed(
      UUID tenant, List<PushItem> items, List<PushOutcome> outcomes) {
    var again = new ArrayList<Integer>();
    for (int i = 0; i < outcomes.size(); i++) {
      var reason = outcomes.get(i).reason();
      boolean safe =
          PushOutcome.NOT_COMMITTED.equals(reason)
              || (PushOutcome.IN_DOUBT.equals(reason) && items.get(i).transactionId() != null);
      if (safe) {
        again.add(i);
      }
    }
    if (again.isEmpty() || stopping) {
      return outcomes;
    }
    var spooled = spoolAll(tenant, again.stream().map(items::get).toList());
    var all = outcomes.toArray(PushOutcome[]::new);
    for (int i = 0; i < again.size(); i++) {
      all[again.get(i)] = spooled.get(i);
    }
    return Arrays.asList(all);
  }

  private List<PushOutcome> spoolAll(UUID tenant, List<PushItem> items) {
    var named = items.stream().map(this::named).toList();
    if (!spool.append(tenant, named)) {
      return items.stream()
          .map(item -> PushOutcome.failed(item.transactionId(), SPOOL_REFUSES))
          .toList();
    }
    return named.stream()
        .map(item -> new PushOutcome(Status.BUFFERED, item.id(), item.transactionId()))
        .toList();
  }

  /** With the ids by which the replay stores it, minted now where the client gave none. */
  private PushItem named(PushItem item) {
    UUID id;
    synchronized (mint) {
      id = mint.next(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    }
    var transactionId =
        item.transactionId() == null ? Slice.utf8(id.toString()) : item.transactionId();
    return new PushItem(
        item.queue(),
        item.partition(),
        transactionId,
        item.producer(),
        item.payload(),
        id,
        item.delaySeconds());
  }

  /** What is spooled; nothing without a spool. */
  public Spool.Status status() {
    return spool == null ? new Spool.Status(0, 0, 0, 0, false) : spool.status();
  }

  /** Spools nothing any more: producers are told to go elsewhere instead. */
  public void stopSpooling() {
    stopping = true;
  }

  /** Ends the replay; what is left is replayed after the next start. */
  @Override
  public void close() {
    stopping = true;
    if (spool == null) {
      return;
    }
    replay.close();
    spool.stop();
    try {
      replayThread.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    spool.close();
  }
}
