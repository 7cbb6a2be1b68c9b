package dev.queencell.broker.engine;

import java.sql.SQLException;
import java.util.UUID;

/**
 * One request's work on one lane. The lane's thread processes it, then, after the commit that makes
 * it durable, answers it; or refuses it when the ownership ends before.
 */
abstract class Work {
  final UUID tenant;

  /** Commits that it was in and that PostgreSQL refused. */
  int strikes;

  /** When it came to its lane's inbox. */
  long arrivedNanos;

  Work(UUID tenant) {
    this.tenant = tenant;
  }

  /** What it is counted as. */
  WorkKind kind() {
    return WorkKind.MAINT;
  }

  /** Messages that it stores, hands out or acknowledges; once it is decided. */
  int messages() {
    return 0;
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

  /**
   * Prepares to be processed anew, in another term's memory, after a commit that did not happen;
   * false when it can't be.
   */
  boolean again() {
    return false;
  }

  /** PostgreSQL refuses what it would write. */
  void fail() {
    refuse(new EngineUnavailableException("the database has refused the commit", null));
  }
}
