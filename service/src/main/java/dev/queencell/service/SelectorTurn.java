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
  private static final ThreadLocal<SelectorTurn> OWN = ThreadLocal.withInitial(SelectorTurn::new);

  /** Connections that are to go on after what is running in this turn. */
  private final Queue<Runnable> afterwards = new ArrayDeque<>();

  private boolean running;

  private SelectorTurn() {}

  /** Has a selector's thread run something soon; any thread may ask. */
  static void submit(ManagedSelector selector, Runnable task) {
    selector.submit(ignored -> run(task));
  }

  /** Whether the caller is in such a turn. */
  static boolean isOne() {
    return OWN.get().running;
  }

  /** Runs something on the selector's own thread, which is the caller's. */
  static void run(Runnable task) {
    var own = OWN.get();
    if (own.running) {
      task.run();
      return;
    }
    own.running = true;
    try {
      task.run();
    } finally {
      own.goOn();
    }
  }

  private void goOn() {
    try {
      for (var next = afterwards.poll(); next != null; next = afterwards.poll()) {
        next.run();
      }
    } finally {
      running = false;
    }
  }

  /** Jetty's threads, which leave connections that go on in a turn to that turn. */
  static final class Threads extends QueuedThreadPool {
    Threads(int max) {
      super(max);
    }

    @Override
    public void execute(Runnable job) {
      if (job instanceof Connection && isOne()) {
        OWN.get().afterwards.add(job);
      } else {
        super.execute(job);
      }
    }
  }
}
