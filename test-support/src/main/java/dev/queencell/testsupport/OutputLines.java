package dev.queencell.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * The lines that a process prints, the oldest dropped beyond a bound. One thread reads, whoever
 * waits for a line is woken by it. Thread-safe.
 */
final class OutputLines {
  private static final int KEPT_MAX = 20_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<String> kept = new ArrayDeque<>();
  private long printed;
  private boolean ended;

  private OutputLines() {}

  static OutputLines follow(BufferedReader reader) {
    var lines = new OutputLines();
    Thread.ofPlatform().daemon().name("process-output").start(() -> lines.read(reader));
    return lines;
  }

  List<String> lines() {
    lock.lock();
    try {
      return List.copyOf(kept);
    } finally {
      lock.unlock();
    }
  }

  String await(Pattern pattern, Duration deadline) {
    long remainingNanos = deadline.toNanos();
    long examined = 0;
    lock.lock();
    try {
      while (true) {
        // Lines before the first kept one are gone; the rest is looked at once each.
        long skip = examined - (printed - kept.size());
        var found =
            kept.stream().skip(Math.max(0, skip)).filter(line -> pattern.matcher(line).find());
        var first = found.findFirst();
        if (first.isPresent()) {
          return first.get();
        }
        examined = printed;
        if (ended || remainingNanos <= 0) {
          throw new AssertionError(
              "%s a line like /%s/:\n%s"
                  .formatted(
                      ended ? "the process ended without" : "the deadline passed without",
                      pattern,
                      String.join("\n", kept)));
        }
        remainingNanos = changed.awaitNanos(remainingNanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for /" + pattern + "/", e);
    } finally {
      lock.unlock();
    }
  }

  private void read(BufferedReader reader) {
    try (reader) {
      for (String line; (line = reader.readLine()) != null; ) {
        add(line);
      }
    } catch (IOException e) {
      add("(output lost: " + e + ")");
    }
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void add(String line) {
    lock.lock();
    try {
      if (kept.size() == KEPT_MAX) {
        kept.removeFirst();
      }
      kept.addLast(line);
      printed++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
