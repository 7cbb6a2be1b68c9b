package dev.queencell.broker.engine;

import java.sql.SQLException;
import java.util.UUID;

/**
 * One request's work on one lane. The lane's thread processes it, then, after the commit that makes
 * it durable, answers it; or refuses it when the ownership ends before.
 */
abstract class Work {
  final UUID tenant;

  Work(UUID tenant) {
    this.tenant = tenant;
  }

  /** What it holds in memory while it waits; decides how much one commit gathers. */
  long bytes() {
    return 0;
  }

  /** Decides, changes the lane's memory and its open commit. */
  abstract void process(Lane lane) throws SQLException;

  /** The commit that carries it is durable. */
  abstract void answer(Lane lane);

  /** It was not done, or nobody can tell any more. */
  abstract void refuse(EngineUnavailableException why);
}
