package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;

/**
 * Ends answers that stay away for too long. One thread looks at all of them now and then: a timer
 * for each would wake a thread at nearly every request, to be cancelled a millisecond later. So an
 * answer may come late by one look, and one that came is remembered until the next. Thread-safe.
 */
final class Patience {
  private static final long LOOK_INTERVAL_MS = 250;
  private static final long NANOS_PER_MS = 1_000_000;

  private final long answerNanosMax;
  private final Queue<Wait> fresh = new ConcurrentLinkedQueue<>();

  /** Seen by the looking thread alone. */
  private final List<Wait> waiting = new ArrayList<>();

  private record Wait(CompletableFuture<?> answer, long deadlineNanos) {}

  /** Starts a thread that never ends and holds nobody up. */
  Patience(long answerMsMax) {
    answerNanosMax = answerMsMax * NANOS_PER_MS;
    Thread.ofPlatform().daemon().name("patience").start(this::look);
  }

  /** Has an answer end with a {@link TimeoutException} when it does not come in time. */
  void limit(CompletableFuture<?> answer) {
    if (!answer.isDone()) {
      fresh.add(new Wait(answer, System.nanoTime() + answerNanosMax));
    }
  }

  private void look() {
    while (true) {
      try {
        Thread.sleep(LOOK_INTERVAL_MS);
      } catch (InterruptedException e) {
        return;
      }
      for (var wait = fresh.poll(); wait != null; wait = fresh.poll()) {
        waiting.add(wait);
      }
      long now = System.nanoTime();
      waiting.removeIf(wait -> isOver(wait, now));
    }
  }

  private static boolean isOver(Wait wait, long nanoTime) {
    if (wait.answer.isDone()) {
      return true;
    }
    boolean late = nanoTime - wait.deadlineNanos >= 0;
    if (late) {
      wait.answer.completeExceptionally(new TimeoutException());
    }
    return late;
  }
}
