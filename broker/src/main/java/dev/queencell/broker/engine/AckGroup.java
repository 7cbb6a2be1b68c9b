package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PopResult.Run;
import dev.queencell.broker.store.Rows.DeadLetterRow;
import dev.queencell.broker.store.Segment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * Acknowledgements that name the same partition, group and lease: they are resolved and decided
 * together, first without changing anything, then applied.
 *
 * <p>Resolving an id: the lease in memory knows the offsets of its messages, that is the normal
 * path. After a restart the lease has only its span, and the keys are read back first. An id that
 * no live lease covers is looked for in recent segments. These reads happen beside the lane; {@link
 * #prepare} is then called anew, against whatever is true by then. Used by the lane's thread.
 */
final class AckGroup {
  private static final String RETRIES_EXHAUSTED = "Retries exhausted";
  private static final long LOOKUP_SECONDS_MIN = 900;
  private static final int ERROR_CHARS_MAX = 4_096;

  /** Resolutions that are no offset: nowhere, beyond the leased span, at or below the cursor. */
  static final long UNKNOWN = -1;

  static final long BELOW_CURSOR = -2;
  static final long BEYOND_LEASE = -3;

  /** How far {@link #prepare} has come. */
  enum Step {
    READY,
    REFUSED,
    /** Something is being read; the work that asked is processed anew when it is there. */
    READING
  }

  /**
   * Which lease must be held.
   *
   * @param id that of the acknowledgements; null when they name none
   * @param accepted without an id of their own: one of these must be the holder's; empty for any
   * @param holderCounts without an id of their own: whoever holds the span limits what they reach
   */
  record LeaseRule(UUID id, Set<UUID> accepted, boolean holderCounts) {
    private static final LeaseRule NONE = new LeaseRule(null, Set.of(), false);

    /** The rule of an acknowledgement by itself; an empty text is no lease. */
    static LeaseRule of(String text) {
      return text == null || text.isEmpty() ? NONE : new LeaseRule(leaseId(text), Set.of(), false);
    }

    private boolean refuses(Lease live) {
      if (id != null) {
        return live == null || !live.id.equals(id);
      }
      return !accepted.isEmpty() && (live == null || !accepted.contains(live.id));
    }

    private boolean limits(Lease live) {
      return id != null || !accepted.isEmpty() || (holderCounts && live != null);
    }
  }

  final List<AckItem> items;
  private final UUID tenant;
  private final PartitionId partitionId;
  private final String groupName;
  private final LeaseRule rule;
  private final TransactionKey[] keys;

  // What the reads brought.
  private Map<TransactionKey, AckLookup.Found> lookedUp;
  private long lookedUpAt;
  private Segment poison;
  private long poisonOffset = -1;

  // What was decided last.
  private GroupCursor cursor;
  private boolean leased;
  private long[] offsets;
  private AckRules.Decision decision;
  private String refusal;

  AckGroup(
      UUID tenant, PartitionId partitionId, String groupName, LeaseRule rule, List<AckItem> items) {
    this.tenant = tenant;
    this.partitionId = partitionId;
    this.groupName = groupName;
    this.rule = rule;
    this.items = items;
    this.keys = new TransactionKey[items.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = TransactionKey.of(items.get(i).transactionId());
    }
  }

  /** Decides and changes nothing. */
  Step prepare(Lane lane, Work waiter) {
    var partition = partition(lane);
    if (partition == null) {
      return refused(AckWork.NOT_OWNED);
    }
    var group = partition.queue.groups.get(groupName);
    cursor = group == null ? null : partition.cursor(group);
    if (cursor == null) {
      return refused(AckWork.CONSUMER_NOT_FOUND);
    }
    var lease = cursor.lease;
    var live = lease == null || lease.deadlineNanos - System.nanoTime() <= 0 ? null : lease;
    if (rule.refuses(live)) {
      return refused(AckWork.LEASE_INVALID);
    }
    leased = rule.limits(live);
    if (lease != null && !lease.hasKeys()) {
      readKeys(lane, lease, waiter);
      return Step.READING;
    }
    if (lookedUp != null && cursor.committed < lookedUpAt) {
      // The cursor was moved back: what was below it may be above now.
      lookedUp = null;
    }
    offsets = resolve();
    if (lookedUp == null && anyUnknown()) {
      lookUp(lane, waiter);
      return Step.READING;
    }
    return decide(lane, waiter);
  }

  private boolean anyUnknown() {
    for (long offset : offsets) {
      if (offset == UNKNOWN) {
        return true;
      }
    }
    return false;
  }

  private Step refused(String error) {
    refusal = error;
    return Step.REFUSED;
  }

  /** The queue that the partition's id names, if it is this tenant's and on this lane; or null. */
  Queue queue(Lane lane) {
    var queue = lane.term().queue(partitionId.queue());
    return queue == null || queue.lane != lane || !queue.key.tenant().equals(tenant) ? null : queue;
  }

  private Partition partition(Lane lane) {
    var queue = queue(lane);
    return queue == null ? null : queue.partitionsById.get(partitionId.partition());
  }

  private long[] resolve() {
    var found = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      found[i] = cursor.lease == null ? UNKNOWN : cursor.lease.find(keys[i], cursor.committed);
      if (found[i] < 0 && lookedUp != null) {
        found[i] = resolveFound(lookedUp.get(keys[i]));
      }
    }
    return found;
  }

  private long resolveFound(AckLookup.Found found) {
    if (found == null) {
      return UNKNOWN;
    }
    // The cursor may have moved since the look-up.
    if (found.above() > cursor.committed && !leased) {
      return found.above();
    }
    if (found.atOrBelow() || (found.above() >= 0 && found.above() <= cursor.committed)) {
      return BELOW_CURSOR;
    }
    return BEYOND_LEASE;
  }

  private void readKeys(Lane lane, Lease lease, Work waiter) {
    var partition = cursor.partition;
    // A conflating lease was given for its last message alone.
    long committed = cursor.group.conflation ? lease.end - 1 : cursor.committed;
    lane.hold(waiter);
    lane.reader.span(
        partition,
        committed,
        lease.end,
        segments -> {
          if (!lease.hasKeys()) {
            lease.index(segments.stream().map(s -> run(s, committed + 1, lease.end)).toList());
          }
          lane.resume(waiter);
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

  private void lookUp(Lane lane, Work waiter) {
    var options = cursor.partition.queue.options;
    long seconds =
        Math.max(
            LOOKUP_SECONDS_MIN,
            Math.max(options.dedupWindowSeconds(), options.completedRetentionSeconds()));
    long committed = cursor.committed;
    lane.hold(waiter);
    lane.reader.lookup(
        cursor.partition,
        new HashSet<>(Arrays.asList(keys)),
        committed,
        lane.createdAtMicros() - seconds * 1_000_000L,
        found -> {
          lookedUp = found;
          lookedUpAt = committed;
          lane.resume(waiter);
        });
  }

  private Step decide(Lane lane, Work waiter) {
    var options = cursor.partition.queue.options;
    var lease = cursor.lease;
    decision =
        AckRules.decide(
            new AckRules.Before(
                cursor.committed,
                lease != null,
                lease == null ? -1 : lease.end,
                cursor.retries,
                options.retryLimit(),
                options.deadLetters()),
            offsets,
            statuses());
    return decision.deadLetter() < 0 ? Step.READY : findPoison(lane, waiter);
  }

  private AckStatus[] statuses() {
    var statuses = new AckStatus[items.size()];
    for (int i = 0; i < statuses.length; i++) {
      statuses[i] = items.get(i).status();
    }
    return statuses;
  }

  private Step findPoison(Lane lane, Work waiter) {
    long offset = decision.deadLetter();
    var cached = cursor.partition.cachedAt(offset);
    if (cached != null) {
      poison = cached;
    } else if (poisonOffset != offset) {
      lane.hold(waiter);
      lane.reader.span(
          cursor.partition,
          offset - 1,
          offset,
          segments -> {
            poisonOffset = offset;
            poison = segments.isEmpty() ? null : segments.getFirst();
            lane.resume(waiter);
          });
      return Step.READING;
    }
    return poison == null || offset < poison.base() || offset >= poison.end()
        ? refused(AckWork.DLQ_REJECTED)
        : Step.READY;
  }

  /** Does what was decided; only behind a {@link #prepare} that was ready, with nothing between. */
  AckOutcome[] apply(Lane lane) {
    boolean deadLettered = decision.deadLetter() >= 0;
    if (deadLettered) {
      fileDeadLetter(lane);
    }
    boolean released = decision.release() && cursor.lease != null;
    long conflated = conflated();
    boolean changed =
        decision.committed() != cursor.committed || decision.retries() != cursor.retries;
    cursor.committed = decision.committed();
    cursor.retries = decision.retries();
    if (decision.batchCompleted()) {
      cursor.attempts = 0;
    }
    if (released) {
      lane.delivery.leases().release(cursor);
    }
    if (decision.release() && !decision.batchCompleted()) {
      lane.delivery.restAfterFailure(cursor);
    }
    lane.delivery.ready(cursor);
    if (changed || released) {
      lane.dirty(cursor);
    }
    var outcomes = new AckOutcome[items.size()];
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = outcome(offsets[i], items.get(i).status(), released, deadLettered);
      if (conflated >= 0 && offsets[i] >= 0) {
        outcomes[i] = outcomes[i].withConflated(conflated);
      }
    }
    return outcomes;
  }

  /** Positions below the message of a conflating lease that are completed with it; or -1. */
  private long conflated() {
    boolean clean =
        cursor.group.conflation
            && decision.batchCompleted()
            && decision.committed() == cursor.leaseEnd()
            && items.stream().allMatch(item -> item.status() == AckStatus.COMPLETED);
    return clean ? decision.committed() - cursor.nextWanted() : -1;
  }

  private static AckOutcome outcome(
      long offset, AckStatus status, boolean released, boolean deadLettered) {
    if (offset >= 0) {
      return new AckOutcome(true, null, released, deadLettered, false);
    }
    if (offset != BELOW_CURSOR) {
      return AckOutcome.refused(AckWork.UNRESOLVABLE);
    }
    return status == AckStatus.COMPLETED
        ? new AckOutcome(true, null, released, deadLettered, true)
        : AckOutcome.refused(AckWork.ALREADY_COMMITTED);
  }

  private void fileDeadLetter(Lane lane) {
    long offset = decision.deadLetter();
    var partition = cursor.partition;
    var frame = ColdReader.frameAt(poison, offset);
    var producer = frame.producer();
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
                reason(offset),
                cursor.retries,
                poison.createdAtMicros(),
                frame.traceId(),
                producer == null ? null : producer.toBytes()));
    partition.addDeadLetters(1);
    lane.history.deadLettered(partition.queue);
  }

  private String reason(long offset) {
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

  /** Why all of it was refused; after such a {@link #prepare}. */
  String refusal() {
    return refusal;
  }

  /** Where the ids were found, or one of the constants; after a {@link #prepare} that was ready. */
  long[] offsets() {
    return offsets;
  }

  /** A lease id as a client sent it; what is no UUID is held by nobody. */
  static UUID leaseId(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      return new UUID(0, 0);
    }
  }
}
