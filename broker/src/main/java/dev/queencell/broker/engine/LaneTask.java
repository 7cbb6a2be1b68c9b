package dev.queencell.broker.engine;

import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Runs a function on a lane's thread and gives its value once what it changed is durable.
 *
 * @param <T> of the value
 */
final class LaneTask<T> extends Work {
  /** What runs on the lane. */
  interface Body<T> {
    T run(Lane lane) throws SQLException;
  }

  /** The lane's own tasks take turns as a tenant of their own. */
  private static final UUID HOUSE = new UUID(0, 0);

  final CompletableFuture<T> future = new CompletableFuture<>();
  private final Body<T> body;
  private T value;

  LaneTask(UUID tenant, Body<T> body) {
    super(tenant == null ? HOUSE : tenant);
    this.body = body;
  }

  @Override
  void process(Lane lane) throws SQLException {
    try {
      value = body.run(lane);
    } catch (OptionRefusedException e) {
      // A refusal by the contract: nothing was changed, everybody else goes on.
      future.completeExceptionally(e);
      return;
    }
    lane.answerAfterCommit(this);
  }

  @Override
  void answer(Lane lane) {
    future.complete(value);
  }

  /** What the lane does for itself, like taking up what was read, belongs to its term. */
  @Override
  boolean again() {
    return !tenant.equals(HOUSE);
  }

  @Override
  void fail() {
    future.completeExceptionally(
        new IllegalStateException("the database has refused the commit of a change"));
  }

  @Override
  void refuse(EngineUnavailableException why) {
    future.completeExceptionally(why);
  }
}
