package dev.queencell.service;

import java.util.ArrayDeque;
import java.util.Queue;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Work on a selector's own thread: it writes an answer, and, in the same turn, lets the connection
 * read on. Jetty would give the latter to another thread, which at high rates costs more than the
 * answer itself. What runs here must not block.
 */
final class SelectorTurn {
  /** Connections that are to go on after what is running in this turn; null outside of one. */
  private static final ThreadLocal<Queue<Runnable>> AFTERWARDS = new ThreadLocal<>();

  private SelectorTurn() {}

  /** Has a selector's thread run something soon; any thread may ask. */
  static void submit(ManagedSelector selector, Runnable task) {
    selector.submit(ignored -> run(task));
  }

  /** Whether the caller is in such a turn. */
  static boolean isOne() {
    return AFTERWARDS.get() != null;
  }

  /** Runs something on the selector's own thread, which is the caller's. */
  static void run(Runnable task) {
    var afterwards = new ArrayDeque<Runnable>(2);
    AFTERWARDS.set(afterwards);
    try {
      task.run();
      for (var next = afterwards.poll(); next != null; next = afterwards.poll()) {
        next.run();
      }
    } finally {
      AFTERWARDS.remove();
    }
  }

  /** Jetty's threads, which leave connections that go on in a turn to that turn. */
  static final class Threads extends QueuedThreadPool {
    Threads(int max) {
      super(max);
    }

    @Override
    public void execute(Runnable job) {
      var afterwards = job instanceof Connection ? AFTERWARDS.get() : null;
      if (afterwards == null) {
        super.execute(job);
      } else {
        afterwards.add(job);
      }
    }
  }
}
