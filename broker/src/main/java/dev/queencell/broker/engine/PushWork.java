package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PushOutcome.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Appends the items of one request that belong to one lane.
 *
 * <p>Deduplication, exact within (partition, window), in the order of the items: against the
 * request's own earlier items always, against the window when the queue has one. A partition whose
 * window is not in memory has it read first; the whole work waits for that and then starts anew, in
 * order.
 */
final class PushWork extends Work {
  private static final int ITEM_OVERHEAD_BYTES = 128;

  final List<PushItem> items;
  final CompletableFuture<List<PushOutcome>> future = new CompletableFuture<>();
  private final PushOutcome[] outcomes;
  private final long bytes;
  private int unreadOriginals;
  private boolean committed;

  /** A key already used by this request; the same key in another partition is another message. */
  private record OwnKey(long partitionId, TransactionKey key) {}

  PushWork(UUID tenant, List<PushItem> items) {
    super(tenant);
    this.items = items;
    this.outcomes = new PushOutcome[items.size()];
    long sum = 0;
    for (var item : items) {
      sum += item.payload().length() + ITEM_OVERHEAD_BYTES;
    }
    this.bytes = sum;
  }

  @Override
  long bytes() {
    return bytes;
  }

  @Override
  void process(Lane lane) {
    if (!windowsLoaded(lane)) {
      return;
    }
    Map<OwnKey, PushOutcome> own = new HashMap<>(0);
    Partition previous = null;
    Map<Queue, Integer> others = null;
    int run = 0;
    for (int i = 0; i < outcomes.length; i++) {
      var item = items.get(i);
      var partition = lane.directory.partition(tenant, item.queue(), item.partition(), previous);
      outcomes[i] = append(lane, partition, item, own, i);
      if (previous != null && partition.queue != previous.queue) {
        others = others == null ? new HashMap<>() : others;
        others.merge(previous.queue, run, Integer::sum);
        run = 0;
      }
      run++;
      previous = partition;
    }
    count(lane, previous, run, others);
    lane.messagesAppended += items.size();
    lane.answerAfterCommit(this);
  }

  /** Counts the request once for each of its queues, which most often is one. */
  private static void count(Lane lane, Partition last, int run, Map<Queue, Integer> others) {
    if (last == null) {
      return;
    }
    if (others == null) {
      lane.history.pushed(last.queue, run);
    } else {
      others.merge(last.queue, run, Integer::sum);
      others.forEach(lane.history::pushed);
    }
  }

  /** True when every window that this push needs is in memory; else it waits for them. */
  private boolean windowsLoaded(Lane lane) {
    for (var item : items) {
      var queue = lane.directory.find(tenant, item.queue());
      var partition = queue == null ? null : queue.partitions.get(item.partition());
      if (partition != null && queue.options.dedupWindowSeconds() > 0 && partition.window == null) {
        lane.dedup.load(partition, this);
        return false;
      }
    }
    return true;
  }

  private PushOutcome append(
      Lane lane, Partition partition, PushItem item, Map<OwnKey, PushOutcome> own, int index) {
    var refusal = lane.sealing.refusal(partition.queue.options);
    if (refusal != null) {
      return PushOutcome.failed(item.transactionId(), refusal);
    }
    int windowSeconds = partition.queue.options.dedupWindowSeconds();
    TransactionKey key = null;
    OwnKey ownKey = null;
    if (item.transactionId() != null) {
      key = TransactionKey.of(item.transactionId());
      if (outcomes.length > 1) {
        ownKey = new OwnKey(partition.id, key);
        var leader = own.get(ownKey);
        if (leader != null) {
          return new PushOutcome(Status.DUPLICATE, leader.messageId(), item.transactionId());
        }
      }
      if (windowSeconds > 0) {
        long seen = partition.window.find(key, lane.createdAtMicros() - windowSeconds * 1_000_000L);
        if (seen >= 0) {
          return duplicate(lane, partition, item, seen, index);
        }
      }
    }
    var id = item.id() == null ? lane.mint() : item.id();
    lane.append(partition, id, item, key);
    var outcome = new PushOutcome(Status.QUEUED, id, item.transactionId());
    if (ownKey != null) {
      own.put(ownKey, outcome);
    }
    return outcome;
  }

  private PushOutcome duplicate(
      Lane lane, Partition partition, PushItem item, long offset, int index) {
    var id = lane.idInMemory(partition, offset);
    if (id == null) {
      unreadOriginals++;
      lane.reader.messageId(
          partition,
          offset,
          found -> {
            outcomes[index] = new PushOutcome(Status.DUPLICATE, found, item.transactionId());
            unreadOriginals--;
            completeIfReady();
          });
    }
    return new PushOutcome(
        Status.DUPLICATE, id == null ? PushOutcome.UNKNOWN_ID : id, item.transactionId());
  }

  @Override
  void answer(Lane lane) {
    committed = true;
    completeIfReady();
  }

  private void completeIfReady() {
    if (committed && unreadOriginals == 0) {
      future.complete(List.of(outcomes));
    }
  }

  @Override
  void refuse(EngineUnavailableException why) {
    future.completeExceptionally(why);
  }
}
