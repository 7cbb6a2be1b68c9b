package dev.queencell.broker.journal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Stops a lane for ever at a point of its commit's way, once a file of the point's name is there,
 * and says so. Whoever made the file kills the process then.
 */
public final class CommitHold implements CommitWatch {
  public static final String BEFORE_SEND = "before-send";
  public static final String DURABLE = "durable";

  private final Path directory;

  /** Looks into a directory for the points to stop at. */
  public CommitHold(Path directory) {
    this.directory = directory;
  }

  /** What is printed, once per lane. */
  public static String line(String point) {
    return "held at " + point;
  }

  @Override
  public void beforeSend(Commit commit) {
    holdAt(BEFORE_SEND, commit);
  }

  @Override
  public void afterCommit(Commit commit) {
    holdAt(DURABLE, commit);
  }

  @SuppressWarnings("SystemOut")
  private void holdAt(String point, Commit commit) {
    if (carriesARequest(commit) && Files.exists(directory.resolve(point))) {
      System.out.println(line(point));
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Checkpoints and counts are written by the clock and pass. */
  private static boolean carriesARequest(Commit commit) {
    return !(commit.queues.isEmpty()
        && commit.groups.isEmpty()
        && commit.segments.isEmpty()
        && commit.newCursors.isEmpty()
        && commit.changedCursors.isEmpty()
        && commit.deadLetters.isEmpty()
        && commit.deadLettersGone.isEmpty()
        && commit.deletedQueueId == 0
        && commit.deletedGroup == null);
  }
}
