package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PushOutcome.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Appends the items of one request that belong to one lane.
 *
 * <p>Deduplication, exact within (partition, window), in the order of the items: against the
 * request's own earlier items always, against the window when the queue has one. Where memory does
 * not know a key it is read first; the whole work waits for that and then starts anew, in order.
 */
final class PushWork extends Work {
  private static final int ITEM_OVERHEAD_BYTES = 128;

  final List<PushItem> items;
  final CompletableFuture<List<PushOutcome>> future = new CompletableFuture<>();
  private final PushOutcome[] outcomes;
  private final TransactionKey[] keys;

  /** Per item: the offset of the message that has its key, as the window says. */
  private final long[] seen;

  private final long bytes;
  private int unreadOriginals;
  private boolean committed;

  /** A key already used by this request; the same key in another partition is another message. */
  private record OwnKey(long partitionId, TransactionKey key) {}

  PushWork(UUID tenant, List<PushItem> items) {
    super(tenant);
    this.items = items;
    this.outcomes = new PushOutcome[items.size()];
    this.keys = new TransactionKey[items.size()];
    this.seen = new long[items.size()];
    long sum = 0;
    for (int i = 0; i < keys.length; i++) {
      var item = items.get(i);
      sum += item.payload().length() + ITEM_OVERHEAD_BYTES;
      keys[i] = key(item);
    }
    this.bytes = sum;
  }

  /** What an item is known by; null when its id is yet to be minted, so that nobody can have it. */
  private static TransactionKey key(PushItem item) {
    if (item.transactionId() != null) {
      return TransactionKey.of(item.transactionId());
    }
    return item.id() == null ? null : TransactionKey.of(item.id());
  }

  @Override
  long bytes() {
    return bytes;
  }

  @Override
  WorkKind kind() {
    return WorkKind.PUSH;
  }

  @Override
  int messages() {
    return items.size();
  }

  @Override
  void process(Lane lane) {
    if (!isDecided(lane)) {
      return;
    }
    lane.dedup.release(this);
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

  /** True when deduplication knows every key; else the work waits for what is being read. */
  private boolean isDecided(Lane lane) {
    for (int i = 0; i < keys.length; i++) {
      seen[i] = DedupWindow.ABSENT;
      var partition = keys[i] == null ? null : deduplicating(lane, items.get(i));
      if (partition != null) {
        seen[i] = lane.dedup.find(partition, keys[i]);
        if (seen[i] == DedupWindow.UNREAD) {
          lane.dedup.load(partition, keysFor(lane, partition, i), this);
          return false;
        }
      }
    }
    return true;
  }

  /** The partition of an item, if it exists and has a window. */
  private Partition deduplicating(Lane lane, PushItem item) {
    var queue = lane.directory.find(tenant, item.queue());
    return queue == null || queue.options.dedupWindowSeconds() <= 0
        ? null
        : queue.partitions.get(item.partition());
  }

  private List<TransactionKey> keysFor(Lane lane, Partition partition, int from) {
    var wanted = new ArrayList<TransactionKey>();
    for (int i = from; i < keys.length; i++) {
      if (keys[i] != null && deduplicating(lane, items.get(i)) == partition) {
        wanted.add(keys[i]);
      }
    }
    return wanted;
  }

  private PushOutcome append(
      Lane lane, Partition partition, PushItem item, Map<OwnKey, PushOutcome> own, int index) {
    var refusal = lane.sealing.refusal(partition.queue.options);
    if (refusal != null) {
      return PushOutcome.failed(item.transactionId(), refusal);
    }
    var key = keys[index];
    OwnKey ownKey = null;
    if (key != null && keys.length > 1) {
      ownKey = new OwnKey(partition.id, key);
      var leader = own.get(ownKey);
      if (leader != null) {
        return new PushOutcome(Status.DUPLICATE, leader.messageId(), item.transactionId());
      }
    }
    if (seen[index] >= 0) {
      return duplicate(lane, partition, item, seen[index], index);
    }
    // What was promised before, with its id, is owed a place.
    if (item.id() == null && !partition.queue.size.hasRoom()) {
      return PushOutcome.failed(
          item.transactionId(),
          partition.queue.options.backPressure()
              ? PushOutcome.BACK_PRESSURE
              : PushOutcome.QUEUE_FULL);
    }
    var id = item.id() == null ? lane.mint() : item.id();
    lane.append(partition, id, item, null, key);
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
  boolean again() {
    unreadOriginals = 0;
    return true;
  }

  @Override
  void fail() {
    future.complete(
        items.stream()
            .map(item -> PushOutcome.failed(item.transactionId(), PushOutcome.REFUSED))
            .toList());
  }

  @Override
  void refuse(EngineUnavailableException why) {
    future.completeExceptionally(why);
  }
}
