package dev.queencell.broker.engine;

import dev.queencell.broker.engine.AckGroup.LeaseRule;
import dev.queencell.broker.engine.AckGroup.Step;
import dev.queencell.broker.engine.CellDeadLetters.Removal;
import dev.queencell.broker.engine.Transactions.Ack;
import dev.queencell.broker.engine.Transactions.Outcome;
import dev.queencell.broker.engine.Transactions.Push;
import dev.queencell.broker.engine.Transactions.Reason;
import dev.queencell.broker.engine.Transactions.Request;
import dev.queencell.broker.engine.Transactions.Result;
import dev.queencell.broker.store.QueueCount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a transaction does on one lane. {@link #prepare} decides everything and changes nothing; it
 * is called again after each read that it asks for. {@link #apply} then does all of it, pushes
 * first. Used while the lane's thread, or whoever it stands still for, has the lane's memory.
 */
final class TransactionPart {
  private final UUID tenant;
  private final Map<Integer, Push> pushes = new LinkedHashMap<>();
  private final Map<Integer, TransactionKey> keys = new HashMap<>();

  /** Pushes whose key an earlier one of the transaction has: whose. */
  private final Map<Integer, Integer> leaders = new HashMap<>();

  private final Map<OwnKey, Integer> firstOf = new HashMap<>();
  private final List<AckIndices> acks = new ArrayList<>();
  private Removal removal;
  private Outcome refusal;

  /** A key in a partition, by names: the partition may not exist yet. */
  private record OwnKey(String queue, String partition, TransactionKey key) {}

  private record AckIndices(AckGroup group, List<Integer> indices) {}

  TransactionPart(UUID tenant) {
    this.tenant = tenant;
  }

  /** Adds the push at an index of the transaction. */
  void add(int index, Push push) {
    pushes.put(index, push);
    var item = push.item();
    if (item.transactionId() != null) {
      var key = TransactionKey.of(item.transactionId());
      var leader = firstOf.putIfAbsent(new OwnKey(item.queue(), item.partition(), key), index);
      if (leader == null) {
        keys.put(index, key);
      } else {
        leaders.put(index, leader);
      }
    }
  }

  /** Adds the acknowledgements, at some indices, of one partition and group. */
  void add(List<Integer> indices, PartitionId partitionId, LeaseRule rule, Request request) {
    var items = indices.stream().map(i -> ((Ack) request.operations().get(i)).item()).toList();
    var group = ((Ack) request.operations().get(indices.getFirst())).group();
    acks.add(new AckIndices(new AckGroup(tenant, partitionId, group, rule, items), indices));
  }

  /** Adds the removal of a dead letter. */
  void add(Removal row) {
    removal = row;
  }

  /**
   * Decides; the waiter is processed anew when what is being read has come. What deduplication
   * knows is kept for the waiter, who releases it; a refusal does that here.
   */
  Step prepare(Lane lane, Work waiter) {
    if (removal != null && !removal.isPossible(lane)) {
      refusal = Outcome.refused(Reason.GONE, "the dead letter is gone");
      return Step.REFUSED;
    }
    var step = preparePushes(lane, waiter);
    for (int i = 0; i < acks.size() && step == Step.READY; i++) {
      step = prepare(acks.get(i).group(), lane, waiter);
    }
    if (step == Step.REFUSED) {
      lane.dedup.release(waiter);
    }
    return step;
  }

  private Step preparePushes(Lane lane, Work waiter) {
    for (var push : pushes.values()) {
      var queue = lane.directory.find(tenant, push.item().queue());
      var problem = queue == null ? null : lane.sealing.refusal(queue.options);
      if (problem != null) {
        refusal = Outcome.refused(Reason.DB_ERROR, problem);
        return Step.REFUSED;
      }
    }
    for (var entry : keys.entrySet()) {
      var item = pushes.get(entry.getKey()).item();
      var partition = deduplicating(lane, item);
      long seen = DedupWindow.ABSENT;
      if (partition != null) {
        seen = lane.dedup.find(partition, entry.getValue());
        lane.dedup.pin(partition, waiter);
      }
      if (seen == DedupWindow.UNREAD) {
        lane.dedup.load(partition, keysFor(lane, partition), waiter);
        return Step.READING;
      }
      if (seen >= 0) {
        refusal =
            new Outcome(
                Reason.DUPLICATE,
                "QDUP duplicate messages in queue \"%s\" partition \"%s\"; transaction rolled back"
                    .formatted(item.queue(), item.partition()),
                List.of(new Result(false, PushOutcome.UNKNOWN_ID, true, null, false, seen)));
        return Step.REFUSED;
      }
    }
    return Step.READY;
  }

  private List<TransactionKey> keysFor(Lane lane, Partition partition) {
    var wanted = new ArrayList<TransactionKey>();
    keys.forEach(
        (index, key) -> {
          if (deduplicating(lane, pushes.get(index).item()) == partition) {
            wanted.add(key);
          }
        });
    return wanted;
  }

  private Partition deduplicating(Lane lane, PushItem item) {
    var queue = lane.directory.find(tenant, item.queue());
    return queue == null || queue.options.dedupWindowSeconds() <= 0
        ? null
        : queue.partitions.get(item.partition());
  }

  private Step prepare(AckGroup group, Lane lane, Work waiter) {
    var step = group.prepare(lane, waiter);
    if (step == Step.REFUSED) {
      refusal = rejected(group.refusal());
    } else if (step == Step.READY) {
      for (long offset : group.offsets()) {
        if (offset == AckGroup.UNKNOWN || offset == AckGroup.BEYOND_LEASE) {
          refusal =
              rejected(
                  offset == AckGroup.UNKNOWN
                      ? "ack references unknown transactionId"
                      : "ack is beyond the leased batch");
          return Step.REFUSED;
        }
      }
    }
    return step;
  }

  /** The refusal of an acknowledgement, which is that of the whole. */
  static Outcome rejected(String error) {
    return Outcome.refused(Reason.ACK_REJECTED, "QTXN " + error + "; transaction rolled back");
  }

  /** Why the whole must not happen; behind a {@link #prepare} that was refused. */
  Outcome refusal() {
    return refusal;
  }

  /** Does what was decided, with nothing between; fills in the results. */
  void apply(Lane lane, Result[] results) {
    Set<Queue> touched = new HashSet<>();
    pushes.forEach(
        (index, push) -> {
          var leader = leaders.get(index);
          if (leader != null) {
            var first = results[leader];
            results[index] = new Result(true, first.messageId(), true, null, false, first.offset());
            return;
          }
          var item = push.item();
          var partition = lane.directory.partition(tenant, item.queue(), item.partition(), null);
          var id = lane.mint();
          results[index] = new Result(true, id, false, null, false, partition.nextOffset);
          lane.append(partition, id, item, push.traceId(), keys.get(index));
          touched.add(partition.queue);
          lane.history.pushed(partition.queue, 1);
        });
    lane.messagesAppended += pushes.size();
    if (removal != null) {
      removal.apply(lane);
    }
    for (var ack : acks) {
      var outcomes = ack.group().apply(lane);
      touched.add(ack.group().queue(lane));
      lane.history.acked(ack.group().queue(lane), outcomes.length, 0);
      for (int i = 0; i < outcomes.length; i++) {
        var outcome = outcomes[i];
        results[ack.indices().get(i)] =
            new Result(outcome.success(), null, false, outcome.error(), outcome.deadLettered(), -1);
      }
    }
    touched.forEach(queue -> lane.history.add(queue, QueueCount.TRANSACTIONS, 1));
  }

  /** The lease ids that a request's acknowledgements may use without naming one themselves. */
  static Set<UUID> accepted(Request request) {
    var accepted = new HashSet<UUID>();
    for (var text : request.requiredLeases()) {
      accepted.add(AckGroup.leaseId(text));
    }
    if (!accepted.isEmpty()) {
      for (var operation : request.operations()) {
        if (operation instanceof Ack(_, var item) && names(item)) {
          accepted.add(AckGroup.leaseId(item.leaseId()));
        }
      }
    }
    return accepted;
  }

  static boolean names(AckItem item) {
    return item.leaseId() != null && !item.leaseId().isEmpty();
  }
}
