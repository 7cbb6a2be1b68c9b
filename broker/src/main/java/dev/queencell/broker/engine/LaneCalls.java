package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Brings a request's thread to the lanes and back: runs a function on the lane of a queue, or on
 * every lane, and waits until what it changed is durable. Every part of the engine that is asked
 * from outside is built on this. Thread-safe.
 */
final class LaneCalls {
  /** An answer that takes longer is given as not done: its outcome is in doubt. */
  private static final long ANSWER_MS_MAX = 15_000;

  private static final Patience PATIENCE = new Patience(ANSWER_MS_MAX);

  private final Supplier<CellTerm> serving;

  /**
   * Calls into whatever term serves.
   *
   * @param serving gives the term that serves now, or throws {@link EngineUnavailableException}
   */
  LaneCalls(Supplier<CellTerm> serving) {
    this.serving = serving;
  }

  /** The term that serves now. */
  CellTerm term() {
    return serving.get();
  }

  /** Runs on the lane that owns a queue, whether the queue exists or not. */
  <T> T onQueue(UUID tenant, String queue, LaneTask.Body<T> body) {
    var term = term();
    var task = new LaneTask<>(tenant, body);
    term.post(term.laneOf(tenant, queue), task);
    return required(task.future);
  }

  /** Runs on every lane; one value per lane. */
  <T> List<T> onEvery(UUID tenant, LaneTask.Body<T> body) {
    var values = new ArrayList<T>();
    for (var future : post(term(), tenant, body)) {
      values.add(required(future));
    }
    return values;
  }

  /** Has every lane of a term run a function, without waiting. */
  static <T> List<CompletableFuture<T>> post(CellTerm term, UUID tenant, LaneTask.Body<T> body) {
    var futures = new ArrayList<CompletableFuture<T>>();
    for (var lane : term.lanes()) {
      var task = new LaneTask<>(tenant, body);
      futures.add(task.future);
      term.post(lane, task);
    }
    return futures;
  }

  /** The value; its absence in time is an unavailable engine. */
  static <T> T required(CompletableFuture<T> future) {
    var value = await(future);
    if (value == null) {
      throw new EngineUnavailableException("the database does not answer in time", null);
    }
    return value;
  }

  /** The value; null when it does not come in time. */
  static <T> T await(CompletableFuture<T> future) {
    try {
      return get(future);
    } catch (TimeoutException e) {
      return null;
    }
  }

  /** The value, which may be null; when it does not come in time, what was asked is in doubt. */
  static <T> T joined(CompletableFuture<T> future) {
    try {
      return get(future);
    } catch (TimeoutException e) {
      throw EngineUnavailableException.inDoubt("the database does not answer in time");
    }
  }

  /**
   * The value when it comes, on the thread that brings it; null when it does not come in time. A
   * refusal stays one.
   */
  static <T> CompletableFuture<T> later(CompletableFuture<T> future) {
    PATIENCE.limit(future);
    return future.exceptionally(
        refusal -> {
          if (refusal instanceof TimeoutException) {
            return null;
          }
          throw refusal instanceof RuntimeException cause
              ? cause
              : new IllegalStateException(refusal);
        });
  }

  private static <T> T get(CompletableFuture<T> future) throws TimeoutException {
    PATIENCE.limit(future);
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineUnavailableException("interrupted", null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException late) {
        throw late;
      }
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
