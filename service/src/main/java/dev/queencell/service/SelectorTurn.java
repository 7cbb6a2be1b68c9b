package dev.queencell.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on a selector's own thread: it writes an answer, and, in the same turn, lets the connection
 * read on. Jetty would give the latter to another thread, which at high rates costs more than the
 * answer itself. What runs here must not block.
 */
final class SelectorTurn {
  private static final Logger LOG = LoggerFactory.getLogger(SelectorTurn.class);
  private static final ThreadLocal<SelectorTurn> OWN = ThreadLocal.withInitial(SelectorTurn::new);

  /** Connections that are to go on after what is running in this turn. */
  private final Queue<Runnable> afterwards = new ArrayDeque<>();

  private boolean running;

  /** What this thread has for selectors at the end of {@link #together}; null outside. */
  private Map<ManagedSelector, List<Runnable>> collected;

  private SelectorTurn() {}

  /** Has a selector's thread run something soon; any thread may ask. */
  static void submit(ManagedSelector selector, Runnable task) {
    var collected = OWN.get().collected;
    if (collected == null) {
      selector.submit(ignored -> run(task));
    } else {
      collected.computeIfAbsent(selector, any -> new ArrayList<>()).add(task);
    }
  }

  /**
   * Runs something on the caller's thread; what it submits is submitted at its end, as one task.
   */
  static void together(Runnable submitting) {
    var own = OWN.get();
    if (own.collected != null) {
      submitting.run();
      return;
    }
    own.collected = new LinkedHashMap<>();
    try {
      submitting.run();
    } finally {
      var tasks = own.collected;
      own.collected = null;
      tasks.forEach(
          (selector, some) ->
              selector.submit(ignored -> run(() -> some.forEach(SelectorTurn::safely))));
    }
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

  /** One task's failure is not the others', an error neither: links and clients wait for them. */
  private static void safely(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("something failed on the selector's thread", e);
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
