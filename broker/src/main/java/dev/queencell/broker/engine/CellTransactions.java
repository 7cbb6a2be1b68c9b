package dev.queencell.broker.engine;

import dev.queencell.broker.engine.AckGroup.LeaseRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Executes transactions. One that concerns a single lane is a work like any other: the lane decides
 * all of it, then does all of it, and one commit carries it, with whatever else waits. One over
 * several lanes has each lane read what it needs first; then the lanes meet, see {@link
 * MeetingWork}. One such meeting at a time per term, so that no two can wait for each other.
 */
final class CellTransactions implements Transactions {
  /** Each attempt finds what the one before had to read; more are lost to a changing cell. */
  private static final int ATTEMPTS_MAX = 20;

  private static final long TURN_MS_MAX = 15_000;
  private static final Outcome NOTHING_TO_DO = new Outcome(null, null, List.of());

  private final LaneCalls calls;
  private final EngineCounters counters;

  CellTransactions(LaneCalls calls, EngineCounters counters) {
    this.calls = calls;
    this.counters = counters;
  }

  private record AckKey(String partitionId, String group) {}

  @Override
  public Outcome execute(Request request) {
    return execute(request, null, calls.term());
  }

  /**
   * The same, in a term.
   *
   * @param removal of a dead letter, to happen with it; null for none
   */
  Outcome execute(Request request, CellDeadLetters.Removal removal, CellTerm term) {
    var parts = new TreeMap<Integer, TransactionPart>();
    var refusal = split(request, term, parts);
    if (removal != null) {
      var queue = term.queue(removal.queueId());
      if (queue == null) {
        return Outcome.refused(Reason.GONE, "the dead letter is gone");
      }
      part(parts, queue.lane, request.tenant()).add(removal);
    }
    if (refusal != null) {
      return refusal;
    }
    if (parts.isEmpty()) {
      return NOTHING_TO_DO;
    }
    int operations = request.operations().size();
    Outcome outcome;
    if (parts.size() == 1) {
      var number = parts.firstKey();
      var work = new TransactionWork(request.tenant(), parts.get(number), operations, true);
      term.post(term.lanes().get(number), work);
      outcome = LaneCalls.joined(work.future);
    } else {
      outcome = overLanes(request.tenant(), term, parts, operations);
    }
    count(request, outcome);
    return outcome;
  }

  private void count(Request request, Outcome outcome) {
    if (outcome.reason() == null) {
      long pushes = request.operations().stream().filter(Push.class::isInstance).count();
      counters.pushMessages.add(pushes);
      counters.ackMessages.add(request.operations().size() - pushes);
    }
  }

  /** Gives every operation to its lane's part; the refusal of one that has none, else null. */
  private static Outcome split(
      Request request, CellTerm term, SortedMap<Integer, TransactionPart> parts) {
    Map<AckKey, List<Integer>> acks = new LinkedHashMap<>();
    for (int i = 0; i < request.operations().size(); i++) {
      switch (request.operations().get(i)) {
        case Push push -> {
          var lane = term.laneOf(request.tenant(), push.item().queue());
          part(parts, lane, request.tenant()).add(i, push);
        }
        case Ack(var group, var item) ->
            acks.computeIfAbsent(new AckKey(item.partitionId(), group), key -> new ArrayList<>())
                .add(i);
      }
    }
    boolean anyLease = !request.requiredLeases().isEmpty();
    for (var operation : request.operations()) {
      anyLease |= operation instanceof Ack(_, var item) && TransactionPart.names(item);
    }
    var accepted = TransactionPart.accepted(request);
    for (var entry : acks.entrySet()) {
      var text = entry.getKey().partitionId();
      var partitionId = PartitionId.parse(text);
      var queue = partitionId == null ? null : term.queue(partitionId.queue());
      if (queue == null || !queue.key.tenant().equals(request.tenant())) {
        return TransactionPart.rejected(
            partitionId == null
                ? "invalid input syntax for type uuid: \"" + text + "\""
                : AckWork.NOT_OWNED);
      }
      var own = ownLeases(request, entry.getValue());
      if (own.size() > 1) {
        // A span has one holder.
        return TransactionPart.rejected(AckWork.LEASE_INVALID);
      }
      var rule =
          own.isEmpty()
              ? new LeaseRule(null, accepted, anyLease)
              : LeaseRule.of(own.iterator().next());
      part(parts, queue.lane, request.tenant()).add(entry.getValue(), partitionId, rule, request);
    }
    return null;
  }

  private static Set<String> ownLeases(Request request, List<Integer> indices) {
    var own = new HashSet<String>();
    for (int index : indices) {
      if (request.operations().get(index) instanceof Ack(_, var item)
          && TransactionPart.names(item)) {
        own.add(item.leaseId());
      }
    }
    return own;
  }

  private static TransactionPart part(
      SortedMap<Integer, TransactionPart> parts, Lane lane, UUID tenant) {
    return parts.computeIfAbsent(lane.number, key -> new TransactionPart(tenant));
  }

  private static Outcome overLanes(
      UUID tenant, CellTerm term, SortedMap<Integer, TransactionPart> parts, int operations) {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      var works = new TreeMap<Integer, TransactionWork>();
      parts.forEach(
          (number, part) ->
              works.put(number, new TransactionWork(tenant, part, operations, false)));
      works.forEach((number, work) -> term.post(term.lanes().get(number), work));
      try {
        Outcome refusal = null;
        for (var work : works.values()) {
          var outcome = LaneCalls.joined(work.future);
          refusal = refusal == null || isFirst(outcome, refusal) ? outcome : refusal;
        }
        if (refusal != null) {
          return refusal;
        }
        var outcome = meet(tenant, term, parts, operations);
        if (outcome != null) {
          return outcome;
        }
      } finally {
        works.forEach((number, work) -> release(term, term.lanes().get(number), work));
      }
    }
    throw new EngineUnavailableException("the transaction's reads do not settle", null);
  }

  /** Pushes come before acknowledgements, and so do their refusals. */
  private static boolean isFirst(Outcome outcome, Outcome before) {
    return outcome != null
        && outcome.reason() == Reason.DUPLICATE
        && before.reason() != Reason.DUPLICATE;
  }

  private static void release(CellTerm term, Lane lane, TransactionWork work) {
    term.post(
        lane,
        new LaneTask<>(
            work.tenant,
            l -> {
              l.dedup.release(work);
              return true;
            }));
  }

  /** Has the lanes meet; null when something must be read before they can decide. */
  private static Outcome meet(
      UUID tenant, CellTerm term, SortedMap<Integer, TransactionPart> parts, int operations) {
    var meeting = new MeetingWork.Meeting(parts, operations);
    try {
      if (!term.meetings().tryAcquire(TURN_MS_MAX, TimeUnit.MILLISECONDS)) {
        throw new EngineUnavailableException("too many transactions over several lanes", null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineUnavailableException("interrupted", null);
    }
    try {
      term.begin(meeting.place);
      for (var number : parts.keySet()) {
        var lane = term.lanes().get(number);
        term.post(lane, new MeetingWork(tenant, meeting, lane));
      }
      return LaneCalls.joined(meeting.future);
    } finally {
      // Who has not come by now finds nobody.
      meeting.place.callOff();
      term.meetings().release();
    }
  }
}
