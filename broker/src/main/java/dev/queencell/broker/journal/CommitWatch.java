package dev.queencell.broker.journal;

/**
 * Sees a lane's commits go by, on the lane's thread: for tests that end the process at a named
 * point of a commit's way.
 */
public interface CommitWatch {
  /** Looks at nothing. */
  CommitWatch NONE = new CommitWatch() {};

  /** All is decided, and nothing has been sent. */
  default void beforeSend(Commit commit) {}

  /** The commit is durable, and nobody has been answered. */
  default void afterCommit(Commit commit) {}
}
