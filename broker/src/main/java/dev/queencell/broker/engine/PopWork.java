package dev.queencell.broker.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A pop, waiting or served. A discovery pop may wait on several lanes; the first one that has
 * something takes it.
 */
final class PopWork extends Work implements PopTicket {
  /** How long before the client's own deadline it is answered. */
  private static final long ANSWER_EARLY_NANOS = 10_000_000;

  private enum State {
    WAITING,
    /** A lane is looking whether it has something, for the length of that look. */
    TAKEN,
    SERVED,
    DONE
  }

  final PopRequest request;
  final long deadlineNanos;
  final CompletableFuture<PopResult> future = new CompletableFuture<>();

  /** The group it waits in; null for a discovery pop. Set by its lane. */
  Group group;

  Timers.Timer timer;

  /** Which lane is to serve it first; null: the fastest. */
  final Ranking ranking;

  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private final CellEngine engine;
  private final AtomicInteger lanesLeft;
  private volatile boolean cancelled;
  private volatile PopResult.Policy policy = PopResult.Policy.PLAIN;
  private PopResult served;

  PopWork(PopRequest request, CellEngine engine, long nanoTime, int lanes, boolean ranked) {
    super(request.tenant());
    this.request = request;
    this.engine = engine;
    this.ranking = ranked ? new Ranking(lanes) : null;
    this.lanesLeft = new AtomicInteger(lanes);
    this.deadlineNanos = nanoTime + Math.max(0, request.waitMs() * 1_000_000 - ANSWER_EARLY_NANOS);
  }

  @Override
  WorkKind kind() {
    return WorkKind.POP;
  }

  @Override
  int messages() {
    int messages = 0;
    if (served != null) {
      for (var claim : served.claims()) {
        messages += claim.messageCount();
      }
    }
    return messages;
  }

  @Override
  void process(Lane lane) {
    lane.delivery.arrive(this);
  }

  /** A group is asked for it, whose policy shows in every answer. */
  void asks(Group asked) {
    policy = policy.and(asked, request);
  }

  PopResult.Policy policy() {
    return policy;
  }

  /** The answer without messages. */
  PopResult nothing() {
    return policy.equals(PopResult.Policy.PLAIN)
        ? PopResult.EMPTY
        : new PopResult(null, List.of(), policy, 0);
  }

  /** Has every lane look at it once more. */
  void lookAgain() {
    engine.lookAgain(tenant);
  }

  /** Whether it is served or at its end. */
  boolean isOver() {
    var now = state.get();
    return now == State.SERVED || now == State.DONE;
  }

  /** Claims the right to serve it; false when another lane or its end was faster. */
  boolean take() {
    return state.compareAndSet(State.WAITING, State.TAKEN);
  }

  /**
   * Gives the right back: there was nothing to serve after all. False when it has left meanwhile.
   */
  boolean untake() {
    state.set(State.WAITING);
    return !cancelled || !state.compareAndSet(State.WAITING, State.DONE);
  }

  /** One lane has nothing for it; true when no other lane may still have something. */
  boolean nothingAnywhere() {
    return lanesLeft.decrementAndGet() == 0;
  }

  /** Serves it with the commit that is being filled. */
  void serve(PopResult result) {
    served = result;
    state.set(State.SERVED);
  }

  /** Ends it without messages; false when it is being served or over. */
  boolean endEmpty() {
    boolean ended = state.compareAndSet(State.WAITING, State.DONE);
    if (ended) {
      future.complete(nothing());
    }
    return ended;
  }

  @Override
  void answer(Lane lane) {
    state.set(State.DONE);
    future.complete(served);
    if (cancelled) {
      engine.giveBack(tenant, served.leaseId());
    }
  }

  /** A pop on a queue waits on; a discovery pop stood on several lanes, of which some are gone. */
  @Override
  boolean again() {
    if (request.queue() == null || state.get() == State.DONE) {
      return false;
    }
    group = null;
    timer = null;
    served = null;
    lanesLeft.set(1);
    return untake();
  }

  @Override
  void refuse(EngineUnavailableException why) {
    state.set(State.DONE);
    future.completeExceptionally(why);
  }

  /** What it was served, for a commit in doubt; null before. */
  PopResult served() {
    return served;
  }

  @Override
  public CompletableFuture<PopResult> result() {
    return future;
  }

  @Override
  public void endWait() {
    if (endEmpty()) {
      engine.forget(this);
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    if (state.compareAndSet(State.WAITING, State.DONE)) {
      future.cancel(false);
      engine.forget(this);
    } else if (state.get() == State.DONE && !future.isCompletedExceptionally()) {
      engine.giveBack(tenant, future.getNow(PopResult.EMPTY).leaseId());
    }
  }
}
