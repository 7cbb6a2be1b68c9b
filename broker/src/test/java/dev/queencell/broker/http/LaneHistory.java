package dev.queencell.broker.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What concurrent clients did to the lanes of one queue and what they were answered, and the rules
 * that every such history must obey, whatever the order in which the broker took the requests.
 *
 * <p>Each operation has the instants of its request and of its answer: it took effect somewhere
 * between them. A rule is broken only when no choice of these moments can explain the answers. An
 * operation without a clear answer may or may not have happened, at any time from its request on.
 * Recording is thread-safe.
 */
final class LaneHistory {
  /** What a lease may live longer than asked for, when its owner reloads: it is read back late. */
  static final long LEASE_SLACK_NANOS = 3_000_000_000L;

  /**
   * A push of one message.
   *
   * @param status queued, duplicate, or null when nobody knows
   */
  record Push(
      String partition,
      String transactionId,
      String status,
      String messageId,
      long start,
      long end) {}

  /** A delivered message. */
  record Delivered(String transactionId, long offset) {}

  /**
   * A pop that brought messages of one partition.
   *
   * @param lease empty when they were acknowledged with their delivery
   */
  record Pop(
      String group,
      String partition,
      String lease,
      long leaseNanos,
      List<Delivered> messages,
      long start,
      long end) {
    boolean isLeased() {
      return !lease.isEmpty();
    }
  }

  /**
   * An acknowledgement.
   *
   * @param lease empty for none
   * @param upTo the highest offset that it completed, -1 for none
   * @param success null when nobody knows
   * @param released whether it ended the lease; true also when nobody knows
   */
  record Ack(
      String group,
      String partition,
      String lease,
      long upTo,
      Boolean success,
      boolean released,
      long start,
      long end) {}

  /** A renewal that succeeded. */
  record Renewal(String lease, long leaseNanos, long start, long end) {}

  private final Collection<Push> pushes = new ConcurrentLinkedQueue<>();
  private final Collection<Pop> pops = new ConcurrentLinkedQueue<>();
  private final Collection<Ack> acks = new ConcurrentLinkedQueue<>();
  private final Collection<Renewal> renewals = new ConcurrentLinkedQueue<>();
  private final Collection<String> rolledBack = new ConcurrentLinkedQueue<>();

  void add(Push push) {
    pushes.add(push);
  }

  void add(Pop pop) {
    pops.add(pop);
  }

  void add(Ack ack) {
    acks.add(ack);
  }

  void add(Renewal renewal) {
    renewals.add(renewal);
  }

  /** A transaction that was rolled back would have stored this message. */
  void addRolledBack(String transactionId) {
    rolledBack.add(transactionId);
  }

  /** How many of everything, for a reader who wonders whether the test did anything. */
  String summary() {
    return "%d pushes, %d pops, %d acknowledgements, %d renewals, %d rolled back"
        .formatted(pushes.size(), pops.size(), acks.size(), renewals.size(), rolledBack.size());
  }

  /** Every broken rule in words; empty for a history that the contract allows. */
  List<String> violations() {
    var found = new ArrayList<String>();
    var offsets = offsets(found);
    pushesAreStoredOnce(found);
    pushesKeepTheirOrder(offsets, found);
    nothingIsSkipped(found);
    leasesExclude(found);
    acknowledgementsAreFinal(found);
    lateHoldersAreRefused(found);
    whatWasRolledBackNeverComes(found);
    return found;
  }

  /** What was accepted and never came to a group; for the end, when everything was drained. */
  List<String> undelivered(String group) {
    Set<String> came = new HashSet<>();
    pops.stream()
        .filter(pop -> pop.group().equals(group))
        .forEach(pop -> pop.messages().forEach(m -> came.add(m.transactionId())));
    return pushes.stream()
        .filter(push -> "queued".equals(push.status()) && !came.contains(push.transactionId()))
        .map(Push::transactionId)
        .toList();
  }

  /** An offset holds one message for everybody, and no offset is left out. */
  private Map<String, Map<String, Long>> offsets(List<String> found) {
    Map<String, Map<Long, String>> byOffset = new HashMap<>();
    Map<String, Map<String, Long>> byId = new HashMap<>();
    for (var pop : pops) {
      for (var message : pop.messages()) {
        var there =
            byOffset
                .computeIfAbsent(pop.partition(), key -> new HashMap<>())
                .putIfAbsent(message.offset(), message.transactionId());
        if (there != null && !there.equals(message.transactionId())) {
          found.add("offset %d was %s and %s".formatted(message.offset(), there, message));
        }
        var at =
            byId.computeIfAbsent(pop.partition(), key -> new HashMap<>())
                .putIfAbsent(message.transactionId(), message.offset());
        if (at != null && at != message.offset()) {
          found.add("%s was at %d and at %d".formatted(message, at, message.offset()));
        }
      }
    }
    byOffset.forEach(
        (partition, all) -> {
          for (long offset = 0; offset < all.size(); offset++) {
            if (!all.containsKey(offset)) {
              found.add("partition %s has no offset %d".formatted(partition, offset));
            }
          }
        });
    return byId;
  }

  private void pushesAreStoredOnce(List<String> found) {
    Map<String, String> originals = new HashMap<>();
    Map<String, Integer> stored = new HashMap<>();
    for (var push : pushes) {
      if (push.status() == null) {
        continue;
      }
      var key = push.partition() + "/" + push.transactionId();
      if (push.status().equals("queued") && stored.merge(key, 1, Integer::sum) > 1) {
        found.add(key + " was queued twice");
      }
      var original = originals.putIfAbsent(key, push.messageId());
      if (original != null && !original.equals(push.messageId())) {
        found.add("%s has the ids %s and %s".formatted(key, original, push.messageId()));
      }
    }
  }

  /** A push that began after another one was answered stands behind it. */
  private void pushesKeepTheirOrder(Map<String, Map<String, Long>> offsets, List<String> found) {
    for (var later : pushes) {
      var laterAt = at(offsets, later);
      for (var earlier : pushes) {
        var earlierAt = at(offsets, earlier);
        if (earlier.end() < later.start()
            && later.partition().equals(earlier.partition())
            && earlierAt != null
            && laterAt != null
            && earlierAt > laterAt) {
          found.add("%s stands before %s".formatted(later, earlier));
        }
      }
    }
  }

  private static Long at(Map<String, Map<String, Long>> offsets, Push push) {
    return "queued".equals(push.status())
        ? offsets.getOrDefault(push.partition(), Map.of()).get(push.transactionId())
        : null;
  }

  /** What a pop brings follows what the group has been given before. */
  private void nothingIsSkipped(List<String> found) {
    for (var lane : lanes().values()) {
      for (var pop : lane) {
        long next = pop.messages().getFirst().offset();
        for (var message : pop.messages()) {
          if (message.offset() != next++) {
            found.add("a gap inside " + pop);
          }
        }
        long before = pop.messages().getFirst().offset();
        var given = new HashSet<Long>();
        for (var other : lane) {
          if (other.start() <= pop.end()) {
            other.messages().forEach(message -> given.add(message.offset()));
          }
        }
        for (long offset = 0; offset < before; offset++) {
          if (!given.contains(offset) && pop.isLeased()) {
            found.add("offset %d was skipped by %s".formatted(offset, pop));
          }
        }
      }
    }
  }

  /** While one consumer surely holds a lane, nobody else is given anything of it. */
  private void leasesExclude(List<String> found) {
    for (var lane : lanes().values()) {
      for (var holder : lane) {
        for (var other : lane) {
          if (holder.isLeased()
              && holder.end() < other.start()
              && other.end() < surelyUntil(holder)
              && !mayBeReleased(holder, other.end())) {
            found.add("%s was served while %s held the lane".formatted(other, holder));
          }
        }
      }
    }
  }

  /** Until when a lease lives whatever the broker's moments were. */
  private long surelyUntil(Pop pop) {
    long until = pop.start() + pop.leaseNanos();
    for (var renewal : renewals) {
      if (renewal.lease().equals(pop.lease())) {
        until = Math.max(until, renewal.start() + renewal.leaseNanos());
      }
    }
    return until;
  }

  private long possiblyUntil(Pop pop) {
    long until = pop.end() + pop.leaseNanos();
    for (var renewal : renewals) {
      if (renewal.lease().equals(pop.lease())) {
        until = Math.max(until, renewal.end() + renewal.leaseNanos());
      }
    }
    return until + LEASE_SLACK_NANOS;
  }

  private boolean mayBeReleased(Pop holder, long before) {
    return acks.stream()
        .anyMatch(
            ack ->
                ack.released()
                    && ack.group().equals(holder.group())
                    && ack.partition().equals(holder.partition())
                    && ack.start() < before
                    && ack.end() > holder.start());
  }

  private void acknowledgementsAreFinal(List<String> found) {
    for (var ack : acks) {
      if (!Boolean.TRUE.equals(ack.success())) {
        continue;
      }
      for (var pop : pops) {
        if (pop.start() > ack.end()
            && pop.group().equals(ack.group())
            && pop.partition().equals(ack.partition())
            && pop.messages().getFirst().offset() <= ack.upTo()) {
          found.add("%s came again after %s".formatted(pop, ack));
        }
      }
    }
    for (var lane : lanes().values()) {
      var once = new HashSet<Long>();
      for (var pop : lane) {
        for (var message : pop.messages()) {
          if (!pop.isLeased() && !once.add(message.offset())) {
            found.add("%s came twice though it was acknowledged at once".formatted(message));
          }
        }
      }
    }
  }

  /** Under a lease that has surely ended, or that another one has followed, nothing is done. */
  private void lateHoldersAreRefused(List<String> found) {
    for (var ack : acks) {
      if (!Boolean.TRUE.equals(ack.success()) || ack.lease().isEmpty()) {
        continue;
      }
      var own = popOf(ack);
      for (var pop : pops) {
        boolean sameLane =
            pop.group().equals(ack.group()) && pop.partition().equals(ack.partition());
        if (pop.lease().equals(ack.lease()) && sameLane && ack.start() > possiblyUntil(pop)) {
          found.add("%s succeeded after its lease %s".formatted(ack, pop));
        }
        if (own != null
            && sameLane
            && !pop.lease().equals(ack.lease())
            && pop.start() > own.end()
            && pop.end() < ack.start()) {
          found.add("%s succeeded though %s has followed it".formatted(ack, pop));
        }
      }
    }
  }

  private void whatWasRolledBackNeverComes(List<String> found) {
    var never = new HashSet<>(rolledBack);
    for (var pop : pops) {
      for (var message : pop.messages()) {
        if (never.contains(message.transactionId())) {
          found.add("%s came though it was rolled back".formatted(message));
        }
      }
    }
  }

  private Pop popOf(Ack ack) {
    return pops.stream()
        .filter(pop -> pop.lease().equals(ack.lease()) && pop.partition().equals(ack.partition()))
        .findFirst()
        .orElse(null);
  }

  private Map<String, List<Pop>> lanes() {
    Map<String, List<Pop>> lanes = new HashMap<>();
    for (var pop : pops) {
      lanes.computeIfAbsent(pop.group() + "/" + pop.partition(), key -> new ArrayList<>()).add(pop);
    }
    lanes.values().forEach(lane -> lane.sort(Comparator.comparingLong(Pop::start)));
    return lanes;
  }
}
