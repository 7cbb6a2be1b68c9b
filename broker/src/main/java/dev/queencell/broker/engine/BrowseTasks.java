package dev.queencell.broker.engine;

import dev.queencell.broker.engine.MessageBrowser.Filter;
import dev.queencell.broker.engine.MessageBrowser.Place;
import dev.queencell.broker.engine.MessageBrowser.Status;
import dev.queencell.broker.store.QueueOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What a lane tells the browser: which partitions there are, and how far their readers are. */
final class BrowseTasks {
  /** Partitions of one lane that one question walks over. */
  private static final int VISITED_MAX = 100_000;

  private BrowseTasks() {}

  /** A partition that may hold what is looked for. */
  record Candidate(
      Place place, long partitionId, long firstOffset, long nextOffset, long newestMicros) {}

  /** What one lane has. */
  record Candidates(List<Candidate> all, Set<String> groups, boolean complete) {}

  /**
   * How far a group is in a partition.
   *
   * @param leaseEnd last leased offset; -1 without a live lease
   */
  record Position(String group, long committed, long leaseEnd, Instant leaseExpiresAt) {
    boolean isQueueMode() {
      return group.equals(PopRequest.QUEUE_MODE);
    }

    boolean holds(long offset) {
      return offset > committed && offset <= leaseEnd;
    }

    Status status(long offset) {
      return offset <= committed
          ? Status.COMPLETED
          : holds(offset) ? Status.PROCESSING : Status.PENDING;
    }
  }

  /** The readers of a partition; {@code groups} of its whole queue without the queue mode. */
  record State(List<Position> positions, int groups, boolean queueMode, QueueOptions options) {
    static final State NONE =
        new State(
            List.of(), 0, false, QueueOptions.defaults(QueueOptions.LEASE_TIME_IMPLICIT_SECONDS));
  }

  static Candidates candidates(Lane lane, UUID tenant, Filter filter) {
    var found = new ArrayList<Candidate>();
    var groups = new HashSet<String>();
    int visited = 0;
    for (var queue : lane.directory.queues()) {
      if (!queue.key.tenant().equals(tenant)
          || !matches(filter.queue(), queue.key.name())
          || !matches(filter.namespace(), queue.namespace)
          || !matches(filter.task(), queue.task)) {
        continue;
      }
      groups.addAll(queue.groups.keySet());
      for (var partition : partitions(queue, filter.partition())) {
        if (visited++ >= VISITED_MAX) {
          break;
        }
        if (partition.firstOffset < partition.nextOffset) {
          found.add(candidate(queue, partition));
        }
      }
    }
    found.sort(
        Comparator.comparingLong(Candidate::newestMicros)
            .thenComparingLong(Candidate::partitionId)
            .reversed());
    boolean complete = visited <= VISITED_MAX && found.size() <= MessageBrowser.PARTITIONS_MAX;
    var newest = found.subList(0, Math.min(found.size(), MessageBrowser.PARTITIONS_MAX));
    return new Candidates(List.copyOf(newest), groups, complete);
  }

  private static Iterable<Partition> partitions(Queue queue, String name) {
    if (name == null) {
      return queue.partitions.values();
    }
    var partition = queue.partitions.get(name);
    return partition == null ? List.of() : List.of(partition);
  }

  static Candidate candidate(Queue queue, Partition partition) {
    return new Candidate(
        new Place(
            queue.key.name(),
            partition.name,
            partition.uuid(),
            queue.namespace,
            queue.task,
            queue.options.priority()),
        partition.id,
        partition.firstOffset,
        partition.nextOffset,
        partition.newestAtMicros);
  }

  private static boolean matches(String wanted, String actual) {
    return wanted == null || wanted.equals(actual);
  }

  /** The readers of some partitions; what is no more is left out. */
  static Map<Long, State> states(Lane lane, UUID tenant, Set<Candidate> asked) {
    var states = new HashMap<Long, State>();
    for (var candidate : asked) {
      var queue = lane.directory.find(tenant, candidate.place().queue());
      var partition = queue == null ? null : queue.partitionsById.get(candidate.partitionId());
      if (partition != null) {
        states.put(partition.id, state(queue, partition));
      }
    }
    return states;
  }

  static State state(Queue queue, Partition partition) {
    long now = System.nanoTime();
    var wall = Instant.now();
    var positions = new ArrayList<Position>();
    for (var cursor : partition.cursors()) {
      var lease = cursor.lease;
      boolean live = lease != null && lease.deadlineNanos - now > 0;
      positions.add(
          new Position(
              cursor.group.name,
              cursor.committed,
              live ? lease.end : -1,
              live ? wall.plusNanos(lease.deadlineNanos - now) : null));
    }
    boolean queueMode = queue.groups.containsKey(PopRequest.QUEUE_MODE);
    return new State(
        positions, queue.groups.size() - (queueMode ? 1 : 0), queueMode, queue.options);
  }
}
