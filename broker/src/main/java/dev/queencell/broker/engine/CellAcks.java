package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Brings the acknowledgements of a call to the lanes that hold their leases and joins what they
 * answer. Those of one partition and lease are decided together; each of the others for itself.
 */
final class CellAcks {
  private final EngineCounters counters;

  CellAcks(EngineCounters counters) {
    this.counters = counters;
  }

  private record Key(String partitionId, String leaseId) {}

  CompletableFuture<List<AckOutcome>> start(
      CellTerm term, UUID tenant, String group, List<AckItem> items) {
    counters.ackRequests.increment();
    counters.ackMessages.add(items.size());
    var outcomes = new AckOutcome[items.size()];
    var parts = new ArrayList<CompletableFuture<Void>>();
    for (var places : together(items)) {
      var own = new ArrayList<AckItem>(places.size());
      for (int place : places) {
        own.add(items.get(place));
      }
      var part = part(term, tenant, group, own, places, outcomes);
      if (part != null) {
        parts.add(part);
      }
    }
    var all =
        parts.size() == 1
            ? parts.getFirst()
            : CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    return all.thenApply(done -> Arrays.asList(outcomes));
  }

  /** The places of those that are decided together. */
  private static Collection<List<Integer>> together(List<AckItem> items) {
    if (items.size() == 1) {
      return List.of(List.of(0));
    }
    Map<Key, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < items.size(); i++) {
      var item = items.get(i);
      var lease = item.leaseId() == null ? "" : item.leaseId();
      places.computeIfAbsent(new Key(item.partitionId(), lease), key -> new ArrayList<>()).add(i);
    }
    return places.values();
  }

  /** Starts the items of one partition and lease; null when there is no place for them. */
  private CompletableFuture<Void> part(
      CellTerm term,
      UUID tenant,
      String group,
      List<AckItem> items,
      List<Integer> places,
      AckOutcome[] outcomes) {
    var partitionText = items.getFirst().partitionId();
    var partitionId = PartitionId.parse(partitionText);
    if (partitionId == null) {
      refuse(places, "invalid input syntax for type uuid: \"" + partitionText + "\"", outcomes);
      return null;
    }
    var queue = term.queue(partitionId.queue());
    if (queue == null || !queue.key.tenant().equals(tenant)) {
      refuse(places, AckWork.NOT_OWNED, outcomes);
      return null;
    }
    var work = new AckWork(tenant, group, partitionId, items);
    term.post(queue.lane, work);
    return LaneCalls.later(work.future)
        .handle(
            (known, refusal) -> {
              place(places, known, refusal, outcomes);
              return null;
            });
  }

  private void place(
      List<Integer> places, AckOutcome[] known, Throwable refusal, AckOutcome[] outcomes) {
    if (refusal != null && !(refusal.getCause() instanceof EngineUnavailableException)) {
      throw new IllegalStateException(refusal.getCause());
    }
    if (refusal != null) {
      counters.ackFailed.add(places.size());
    }
    for (int i = 0; i < places.size(); i++) {
      outcomes[places.get(i)] = known == null ? AckOutcome.refused(AckWork.FLUSH_FAILED) : known[i];
    }
  }

  private void refuse(List<Integer> places, String why, AckOutcome[] outcomes) {
    places.forEach(i -> outcomes[i] = AckOutcome.refused(why));
    counters.ackFailed.add(places.size());
  }
}
