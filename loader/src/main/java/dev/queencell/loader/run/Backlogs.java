package dev.queencell.loader.run;

import dev.queencell.client.QueenException;
import dev.queencell.client.QueenStatusException;
import dev.queencell.loader.account.Backlog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/**
 * Asks the broker what it still holds for tenants that are short at the cutoff: the group's depth
 * per lane, or the queue's total where the broker has no depth. Asked again for a while when it
 * doesn't answer, since a broker that was just killed comes back.
 */
final class Backlogs {
  private static final long PATIENCE_NANOS = 15_000_000_000L;

  /** The group of those that name none. */
  private static final String QUEUE_MODE = "__QUEUE_MODE__";

  private static final long PAUSE_MS = 500;

  private Backlogs() {}

  /** Backlogs by tenant index, for these members. */
  static Map<Integer, Backlog> ask(List<Member> members) {
    var found = new ConcurrentHashMap<Integer, Backlog>();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var member : members) {
        threads.execute(() -> found.put(member.index(), ask(member, deadline)));
      }
    }
    return found;
  }

  private static Backlog ask(Member member, long deadline) {
    while (true) {
      try {
        return askOnce(member);
      } catch (QueenException e) {
        if (System.nanoTime() - deadline > 0) {
          return Backlog.UNKNOWN;
        }
      }
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Backlog.UNKNOWN;
      }
    }
  }

  private static Backlog askOnce(Member member) {
    var group = member.group().isEmpty() ? QUEUE_MODE : member.group();
    try {
      var depth = member.client().depth(member.queue(), group);
      var byPartition = new HashMap<Integer, Long>();
      depth
          .pendingByPartition()
          .forEach(
              (name, pending) -> {
                int partition = Member.partitionIndex(name);
                if (partition >= 0) {
                  byPartition.put(partition, pending);
                }
              });
      return new Backlog(true, depth.pending(), byPartition);
    } catch (QueenStatusException e) {
      if (e.status() != 404 && e.status() != 403) {
        throw e;
      }
      return new Backlog(true, member.client().queue(member.queue()).pending(), Map.of());
    }
  }
}
