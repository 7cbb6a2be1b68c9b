package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one queue should do, in as few words as possible: lists and loops, no memory budget, no
 * database, no threads, no clock. Partitions are popped by name; a group starts at the beginning.
 */
final class ReferenceModel {
  private final Map<String, Lane> lanes = new LinkedHashMap<>();
  int retryLimit = 3;
  boolean deadLetters = true;

  /** One partition: everything ever stored in it, and where what is kept begins. */
  private static final class Lane {
    final List<String> messages = new ArrayList<>();
    final Map<String, Integer> offsets = new HashMap<>();
    final List<String> dead = new ArrayList<>();
    final Map<String, Cursor> cursors = new LinkedHashMap<>();
    int first;
  }

  /** How far a group has come, and who holds what follows. */
  private static final class Cursor {
    int committed;
    String lease = "";
    int leaseEnd = -1;
    int attempts;
    int attemptBase = -1;
    int retries;
  }

  private Cursor cursor(String group, String partition) {
    var lane = lanes.computeIfAbsent(partition, key -> new Lane());
    return lane.cursors.computeIfAbsent(
        group,
        key -> {
          var cursor = new Cursor();
          cursor.committed = lane.first - 1;
          return cursor;
        });
  }

  /** True when it is stored, false for a duplicate. */
  boolean push(String partition, String transactionId) {
    var lane = lanes.computeIfAbsent(partition, key -> new Lane());
    if (lane.offsets.containsKey(transactionId)) {
      return false;
    }
    lane.offsets.put(transactionId, lane.messages.size());
    lane.messages.add(transactionId);
    return true;
  }

  /** What a pop of this partition must deliver. */
  List<String> pop(String group, String partition, int batch) {
    var lane = lanes.get(partition);
    if (lane == null || !cursor(group, partition).lease.isEmpty()) {
      return List.of();
    }
    int from = Math.max(cursor(group, partition).committed + 1, lane.first);
    return List.copyOf(lane.messages.subList(from, Math.min(lane.messages.size(), from + batch)));
  }

  /** It was delivered and acknowledged at once. */
  void taken(String group, String partition, int count) {
    var cursor = cursor(group, partition);
    cursor.committed = Math.max(cursor.committed + 1, lanes.get(partition).first) + count - 1;
    cursor.attempts = 0;
    cursor.retries = 0;
  }

  /** It was delivered under this lease; returns the attempt that it must have been. */
  int leased(String group, String partition, int count, String lease) {
    var cursor = cursor(group, partition);
    int from = Math.max(cursor.committed + 1, lanes.get(partition).first);
    cursor.attempts = cursor.attemptBase == from ? cursor.attempts + 1 : 1;
    cursor.attemptBase = from;
    cursor.lease = lease;
    cursor.leaseEnd = from + count - 1;
    return cursor.attempts;
  }

  /** Moves a group to the end or the beginning of what is kept; false without such a partition. */
  boolean seek(String group, String partition, boolean toEnd) {
    var lane = lanes.get(partition);
    if (lane == null) {
      return false;
    }
    var cursor = new Cursor();
    cursor.committed = toEnd ? lane.messages.size() - 1 : lane.first - 1;
    lane.cursors.put(group, cursor);
    return true;
  }

  /** Everything has become too old. */
  void retain() {
    lanes.values().forEach(lane -> lane.first = lane.messages.size());
  }

  /** Whether this is the lease that holds the lane. */
  boolean isHeld(String group, String partition, String lease) {
    return cursor(group, partition).lease.equals(lease);
  }

  /** The lease ends without a word; not counted: its messages never reached anybody. */
  void release(String group, String partition, boolean counted) {
    var cursor = cursor(group, partition);
    cursor.lease = "";
    cursor.attempts -= counted ? 0 : 1;
  }

  /** What each acknowledgement of one call must answer: "ok", "noop", or the error. */
  List<String> ack(
      String group, String partition, String lease, List<String> ids, List<AckStatus> statuses) {
    var lane = lanes.get(partition);
    var cursor = cursor(group, partition);
    if (!lease.isEmpty() && !lease.equals(cursor.lease)) {
      return ids.stream().map(id -> AckWork.LEASE_INVALID).toList();
    }
    int signalAt = Integer.MAX_VALUE;
    var signal = AckStatus.COMPLETED;
    int ok = cursor.committed;
    var answers = new ArrayList<String>();
    for (int i = 0; i < ids.size(); i++) {
      int offset = lane.offsets.getOrDefault(ids.get(i), -1);
      boolean above = !lease.isEmpty() && offset > cursor.leaseEnd;
      answers.add(answer(cursor, offset, above, statuses.get(i)));
      if (offset <= cursor.committed || above || statuses.get(i) == AckStatus.COMPLETED) {
        continue;
      }
      if (offset < signalAt || (offset == signalAt && statuses.get(i).compareTo(signal) > 0)) {
        signalAt = offset;
        signal = statuses.get(i);
      }
    }
    for (int i = 0; i < ids.size(); i++) {
      int offset = lane.offsets.getOrDefault(ids.get(i), -1);
      boolean above = !lease.isEmpty() && offset > cursor.leaseEnd;
      if (statuses.get(i) == AckStatus.COMPLETED && !above && offset < signalAt) {
        ok = Math.max(ok, offset);
      }
    }
    settle(lane, cursor, signal, signalAt, ok);
    return answers;
  }

  private static String answer(Cursor cursor, int offset, boolean above, AckStatus status) {
    if (offset < 0 || above) {
      return AckWork.UNRESOLVABLE;
    }
    if (offset > cursor.committed) {
      return "ok";
    }
    return status == AckStatus.COMPLETED ? "noop" : AckWork.ALREADY_COMMITTED;
  }

  private void settle(Lane lane, Cursor cursor, AckStatus signal, int signalAt, int ok) {
    cursor.committed = ok;
    if (signal == AckStatus.COMPLETED) {
      if (!cursor.lease.isEmpty() && ok >= cursor.leaseEnd) {
        cursor.lease = "";
        cursor.attempts = 0;
        cursor.retries = 0;
      }
      return;
    }
    cursor.lease = "";
    if (signal == AckStatus.FAILED && cursor.retries < retryLimit) {
      cursor.retries++;
    } else if (signal != AckStatus.RETRY) {
      if (signal == AckStatus.DLQ || deadLetters) {
        lane.dead.add(lane.messages.get(signalAt));
      }
      cursor.committed = signalAt;
      cursor.retries = 0;
      cursor.attempts = 0;
    }
  }

  List<String> deadLetters() {
    return lanes.values().stream().flatMap(lane -> lane.dead.stream()).sorted().toList();
  }

  /** What is left for a group on the partitions that it has met, and all of the others. */
  long pending(String group) {
    long pending = 0;
    for (var lane : lanes.values()) {
      var cursor = lane.cursors.get(group);
      int from = cursor == null ? lane.first : Math.max(cursor.committed + 1, lane.first);
      pending += lane.messages.size() - from;
    }
    return pending;
  }
}
