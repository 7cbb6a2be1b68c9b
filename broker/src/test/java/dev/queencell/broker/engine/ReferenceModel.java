package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one queue and one group of it should do, in as few words as possible: lists and loops, no
 * memory budget, no database, no threads. Partitions are popped by name.
 */
final class ReferenceModel {
  static final int RETRY_LIMIT = 3;

  private final Map<String, Lane> lanes = new LinkedHashMap<>();

  /** One partition. */
  private static final class Lane {
    final List<String> messages = new ArrayList<>();
    final Map<String, Integer> offsets = new HashMap<>();
    final List<String> deadLetters = new ArrayList<>();
    int committed = -1;
    String lease = "";
    int leaseEnd = -1;
    int attempts;
    int attemptBase = -1;
    int retries;
  }

  private Lane lane(String partition) {
    return lanes.computeIfAbsent(partition, key -> new Lane());
  }

  /** True when it is stored, false for a duplicate. */
  boolean push(String partition, String transactionId) {
    var lane = lane(partition);
    if (lane.offsets.containsKey(transactionId)) {
      return false;
    }
    lane.offsets.put(transactionId, lane.messages.size());
    lane.messages.add(transactionId);
    return true;
  }

  /** What a pop of this partition must deliver. */
  List<String> pop(String partition, int batch) {
    var lane = lane(partition);
    if (!lane.lease.isEmpty()) {
      return List.of();
    }
    int from = lane.committed + 1;
    return List.copyOf(lane.messages.subList(from, Math.min(lane.messages.size(), from + batch)));
  }

  /** It was delivered under this lease; returns the attempt that it must have been. */
  int leased(String partition, int count, String lease) {
    var lane = lane(partition);
    int from = lane.committed + 1;
    lane.attempts = lane.attemptBase == from ? lane.attempts + 1 : 1;
    lane.attemptBase = from;
    lane.lease = lease;
    lane.leaseEnd = lane.committed + count;
    return lane.attempts;
  }

  /** The lease ends without a word. */
  void release(String partition, boolean counted) {
    var lane = lane(partition);
    lane.lease = "";
    lane.attempts -= counted ? 0 : 1;
  }

  /** What each acknowledgement of one call must answer: "ok", "noop", or the error. */
  List<String> ack(String partition, String lease, List<String> ids, List<AckStatus> statuses) {
    var lane = lane(partition);
    if (!lease.isEmpty() && !lease.equals(lane.lease)) {
      return ids.stream().map(id -> AckWork.LEASE_INVALID).toList();
    }
    int signalAt = Integer.MAX_VALUE;
    var signal = AckStatus.COMPLETED;
    int ok = lane.committed;
    var answers = new ArrayList<String>();
    for (int i = 0; i < ids.size(); i++) {
      int offset = lane.offsets.getOrDefault(ids.get(i), -1);
      boolean above = !lease.isEmpty() && offset > lane.leaseEnd;
      answers.add(answer(lane, offset, above, statuses.get(i)));
      if (offset <= lane.committed || above || statuses.get(i) == AckStatus.COMPLETED) {
        continue;
      }
      if (offset < signalAt || (offset == signalAt && statuses.get(i).compareTo(signal) > 0)) {
        signalAt = offset;
        signal = statuses.get(i);
      }
    }
    for (int i = 0; i < ids.size(); i++) {
      int offset = lane.offsets.getOrDefault(ids.get(i), -1);
      boolean above = !lease.isEmpty() && offset > lane.leaseEnd;
      if (statuses.get(i) == AckStatus.COMPLETED && !above && offset < signalAt) {
        ok = Math.max(ok, offset);
      }
    }
    settle(lane, signal, signalAt, ok);
    return answers;
  }

  private static String answer(Lane lane, int offset, boolean above, AckStatus status) {
    if (offset < 0 || above) {
      return AckWork.UNRESOLVABLE;
    }
    if (offset > lane.committed) {
      return "ok";
    }
    return status == AckStatus.COMPLETED ? "noop" : AckWork.ALREADY_COMMITTED;
  }

  private static void settle(Lane lane, AckStatus signal, int signalAt, int ok) {
    lane.committed = ok;
    if (signal == AckStatus.COMPLETED) {
      if (!lane.lease.isEmpty() && ok >= lane.leaseEnd) {
        lane.lease = "";
        lane.attempts = 0;
        lane.retries = 0;
      }
      return;
    }
    lane.lease = "";
    if (signal == AckStatus.FAILED && lane.retries < RETRY_LIMIT) {
      lane.retries++;
    } else if (signal != AckStatus.RETRY) {
      lane.deadLetters.add(lane.messages.get(signalAt));
      lane.committed = signalAt;
      lane.retries = 0;
      lane.attempts = 0;
    }
  }

  List<String> deadLetters() {
    return lanes.values().stream().flatMap(lane -> lane.deadLetters.stream()).sorted().toList();
  }

  long pending() {
    return lanes.values().stream()
        .mapToLong(lane -> lane.messages.size() - 1 - lane.committed)
        .sum();
  }
}
