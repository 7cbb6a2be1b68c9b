package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PopResult.Run;
import dev.queencell.broker.store.Rows.DeadLetterRow;
import dev.queencell.broker.store.Segment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The acknowledgements of one call that name the same partition and the same lease; they succeed or
 * fail on their own.
 *
 * <p>Resolving an id: the lease in memory knows the offsets of its messages, that is the normal
 * path. After a restart the lease has only its span, and the keys are read back first. An id that
 * no live lease covers is looked for in recent segments. Both reads happen beside the lane; the
 * work is then processed anew, against whatever is true by then.
 */
final class AckWork extends Work {
  static final String CONSUMER_NOT_FOUND = "consumer not found";
  static final String LEASE_INVALID = "invalid or expired lease";
  static final String ALREADY_COMMITTED =
      "already committed: the cursor moved past this message before this ack";
  static final String UNRESOLVABLE =
      "unresolvable: transaction not in the ack window (hash purged or never pushed);"
          + " if leased, the message redelivers";
  static final String FLUSH_FAILED = "ack flush failed; lease will expire and redeliver";
  static final String NOT_OWNED = "partition not owned by tenant";
  static final String DLQ_REJECTED = "dlq rejected";

  private static final String RETRIES_EXHAUSTED = "Retries exhausted";
  private static final long LOOKUP_SECONDS_MIN = 900;
  private static final int ERROR_CHARS_MAX = 4_096;

  /** Resolutions that are no offset. */
  private static final long UNKNOWN = -1;

  private static final long BELOW_CURSOR = -2;

  final CompletableFuture<AckOutcome[]> future = new CompletableFuture<>();
  private final String groupName;
  private final PartitionId partitionId;
  private final UUID leaseId;
  private final boolean leased;
  private final List<AckItem> items;
  private final TransactionKey[] keys;
  private final AckOutcome[] outcomes;
  private Map<TransactionKey, AckLookup.Found> lookedUp;
  private Segment poison;

  AckWork(UUID tenant, String groupName, PartitionId partitionId, List<AckItem> items) {
    super(tenant);
    this.groupName = groupName;
    this.partitionId = partitionId;
    this.items = items;
    var lease = items.getFirst().leaseId();
    this.leased = lease != null && !lease.isEmpty();
    this.leaseId = leased ? uuid(lease) : null;
    this.keys = new TransactionKey[items.size()];
    this.outcomes = new AckOutcome[items.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = TransactionKey.of(items.get(i).transactionId());
    }
  }

  @Override
  void process(Lane lane) {
    var partition = partition(lane);
    if (partition == null) {
      refuseAll(lane, NOT_OWNED);
      return;
    }
    var group = partition.queue.groups.get(groupName);
    var cursor = group == null ? null : partition.cursor(group);
    if (cursor == null) {
      refuseAll(lane, CONSUMER_NOT_FOUND);
      return;
    }
    var lease = cursor.lease;
    if (leased
        && (lease == null
            || !lease.id.equals(leaseId)
            || lease.deadlineNanos - System.nanoTime() <= 0)) {
      refuseAll(lane, LEASE_INVALID);
      return;
    }
    if (lease != null && !lease.hasKeys()) {
      readKeys(lane, cursor, lease);
      return;
    }
    var offsets = resolve(cursor);
    if (lookedUp == null && Arrays.stream(offsets).anyMatch(offset -> offset == UNKNOWN)) {
      lookUp(lane, cursor);
      return;
    }
    decide(lane, cursor, offsets);
  }

  private Partition partition(Lane lane) {
    var queue = lane.term().queue(partitionId.queue());
    if (queue == null || queue.lane != lane || !queue.key.tenant().equals(tenant)) {
      return null;
    }
    return queue.partitionsById.get(partitionId.partition());
  }

  private long[] resolve(GroupCursor cursor) {
    var offsets = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      offsets[i] = cursor.lease == null ? -1 : cursor.lease.find(keys[i], cursor.committed);
      if (offsets[i] < 0 && lookedUp != null) {
        offsets[i] = resolveFound(cursor, lookedUp.get(keys[i]));
      }
    }
    return offsets;
  }

  private long resolveFound(GroupCursor cursor, AckLookup.Found found) {
    if (found == null) {
      return UNKNOWN;
    }
    // The cursor may have moved since the look-up.
    if (found.above() > cursor.committed && !leased) {
      return found.above();
    }
    return found.atOrBelow() || (found.above() >= 0 && found.above() <= cursor.committed)
        ? BELOW_CURSOR
        : UNKNOWN;
  }

  private void readKeys(Lane lane, GroupCursor cursor, Lease lease) {
    lane.hold(this);
    lane.reader.span(
        cursor.partition,
        cursor.committed,
        lease.end,
        segments -> {
          if (!lease.hasKeys()) {
            long from = cursor.committed + 1;
            lease.index(segments.stream().map(s -> run(s, from, lease.end)).toList());
          }
          lane.resume(this);
        });
  }

  private static Run run(Segment segment, long from, long last) {
    int skip = (int) Math.max(0, from - segment.base());
    int count = (int) Math.min(segment.count(), last + 1 - segment.base()) - skip;
    return new Run(
        segment.base() + skip,
        segment.createdAtMicros(),
        segment.frames(),
        skip,
        Math.max(0, count));
  }

  private void lookUp(Lane lane, GroupCursor cursor) {
    var options = cursor.partition.queue.options;
    long seconds =
        Math.max(
            LOOKUP_SECONDS_MIN,
            Math.max(options.dedupWindowSeconds(), options.completedRetentionSeconds()));
    lane.hold(this);
    lane.reader.lookup(
        cursor.partition,
        new HashSet<>(Arrays.asList(keys)),
        cursor.committed,
        lane.createdAtMicros() - seconds * 1_000_000L,
        found -> {
          lookedUp = found;
          lane.resume(this);
        });
  }

  private void decide(Lane lane, GroupCursor cursor, long[] offsets) {
    var statuses = items.stream().map(AckItem::status).toArray(AckStatus[]::new);
    var options = cursor.partition.queue.options;
    var lease = cursor.lease;
    var decision =
        AckRules.decide(
            new AckRules.Before(
                cursor.committed,
                lease != null,
                lease == null ? -1 : lease.end,
                cursor.retries,
                options.retryLimit(),
                options.deadLetters()),
            offsets,
            statuses);
    if (decision.deadLetter() >= 0 && !fileDeadLetter(lane, cursor, decision, offsets)) {
      return;
    }
    boolean released = decision.release() && lease != null;
    if (apply(lane, cursor, decision)) {
      lane.dirty(cursor);
    }
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = outcome(offsets[i], statuses[i], released, decision.deadLetter() >= 0);
    }
    count(lane, cursor.partition.queue);
    lane.answerAfterCommit(this);
  }

  private void count(Lane lane, Queue queue) {
    int succeeded = 0;
    for (var outcome : outcomes) {
      succeeded += outcome.success() ? 1 : 0;
    }
    lane.history.acked(queue, succeeded, outcomes.length - succeeded);
  }

  /** Changes the cursor; false when nothing of it changed. */
  private static boolean apply(Lane lane, GroupCursor cursor, AckRules.Decision decision) {
    boolean changed =
        decision.committed() != cursor.committed || decision.retries() != cursor.retries;
    cursor.committed = decision.committed();
    cursor.retries = decision.retries();
    if (decision.batchCompleted()) {
      cursor.attempts = 0;
    }
    if (decision.release() && cursor.lease != null) {
      lane.delivery.leases().release(cursor);
      changed = true;
    }
    lane.delivery.ready(cursor);
    return changed;
  }

  private static AckOutcome outcome(
      long offset, AckStatus status, boolean released, boolean deadLettered) {
    if (offset >= 0) {
      return new AckOutcome(true, null, released, deadLettered, false);
    }
    if (offset == UNKNOWN) {
      return AckOutcome.refused(UNRESOLVABLE);
    }
    return status == AckStatus.COMPLETED
        ? new AckOutcome(true, null, released, deadLettered, true)
        : AckOutcome.refused(ALREADY_COMMITTED);
  }

  /** Files the poison; false when it must be read first, or can't be and all was refused. */
  private boolean fileDeadLetter(
      Lane lane, GroupCursor cursor, AckRules.Decision decision, long[] offsets) {
    long offset = decision.deadLetter();
    var partition = cursor.partition;
    var segment = poison != null ? poison : partition.cachedAt(offset);
    if (segment == null) {
      lane.hold(this);
      lane.reader.span(
          partition,
          offset - 1,
          offset,
          segments -> {
            poison =
                segments.isEmpty() ? new Segment(offset, 0, 0, new byte[0]) : segments.getFirst();
            lane.resume(this);
          });
      return false;
    }
    if (offset < segment.base() || offset >= segment.end()) {
      refuseAll(lane, DLQ_REJECTED);
      return false;
    }
    var frame = ColdReader.frameAt(segment, offset);
    lane.commit()
        .deadLetter(
            new DeadLetterRow(
                lane.mint(),
                partition.queue.id,
                partition.id,
                groupName,
                offset,
                frame.id(),
                frame.transactionId().toBytes(),
                lane.sealing.moved(frame.payload(), partition.queue.options).toBytes(),
                reason(offset, offsets),
                cursor.retries));
    lane.history.deadLettered(partition.queue);
    return true;
  }

  private String reason(long offset, long[] offsets) {
    String first = null;
    for (int i = 0; i < offsets.length; i++) {
      var error = items.get(i).error();
      if (error != null && offsets[i] == offset && items.get(i).status() != AckStatus.COMPLETED) {
        return storable(error);
      }
      if (first == null) {
        first = error;
      }
    }
    return storable(Objects.requireNonNullElse(first, RETRIES_EXHAUSTED));
  }

  /** PostgreSQL's text can't hold NUL; a reason longer than this helps nobody. */
  private static String storable(String error) {
    var text = error.replace('\0', ' ');
    return text.length() <= ERROR_CHARS_MAX ? text : text.substring(0, ERROR_CHARS_MAX);
  }

  private void refuseAll(Lane lane, String error) {
    Arrays.fill(outcomes, AckOutcome.refused(error));
    var partition = partition(lane);
    if (partition != null) {
      count(lane, partition.queue);
    }
    lane.answerAfterCommit(this);
  }

  @Override
  void answer(Lane lane) {
    for (var outcome : outcomes) {
      if (!outcome.success()) {
        lane.counters.ackFailed.increment();
      }
    }
    future.complete(outcomes);
  }

  @Override
  void refuse(EngineUnavailableException why) {
    future.completeExceptionally(why);
  }

  private static UUID uuid(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      // No lease has such an id.
      return new UUID(0, 0);
    }
  }
}
