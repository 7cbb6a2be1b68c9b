package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/**
 * Brings the items of a push to the lanes of their queues and joins what they answer. A push that
 * no lane has taken is refused; of one that some have, every item says what became of it.
 */
final class CellPushes {
  private final EngineCounters counters;

  CellPushes(EngineCounters counters) {
    this.counters = counters;
  }

  /** What one lane was given, and the places of its items in the request. */
  private record Share(PushWork work, List<Integer> places) {}

  /** What became of a share; with a refusal, of none of its items. */
  private record Part(List<PushOutcome> outcomes, EngineUnavailableException refusal) {}

  CompletableFuture<List<PushOutcome>> start(CellTerm term, UUID tenant, List<PushItem> items) {
    counters.pushRequests.increment();
    if (term.lanes().size() == 1) {
      var work = new PushWork(tenant, items);
      term.post(term.lanes().getFirst(), work);
      return LaneCalls.later(work.future)
          .thenApply(
              outcomes -> {
                counters.pushMessages.add(items.size());
                return outcomes == null ? failed(items, PushOutcome.IN_DOUBT) : outcomes;
              });
    }
    return startOnLanes(term, tenant, items);
  }

  private CompletableFuture<List<PushOutcome>> startOnLanes(
      CellTerm term, UUID tenant, List<PushItem> items) {
    Map<Lane, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < items.size(); i++) {
      var lane = term.laneOf(tenant, items.get(i).queue());
      places.computeIfAbsent(lane, key -> new ArrayList<>()).add(i);
    }
    List<Share> shares = new ArrayList<>();
    places.forEach(
        (lane, own) -> {
          var work = new PushWork(tenant, own.stream().map(items::get).toList());
          shares.add(new Share(work, own));
          term.post(lane, work);
        });
    var parts =
        shares.stream()
            .map(share -> LaneCalls.later(share.work.future).handle((o, e) -> part(share, o, e)))
            .toList();
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(done -> joined(items.size(), shares, parts));
  }

  private static Part part(Share share, List<PushOutcome> outcomes, Throwable failure) {
    if (failure == null) {
      return new Part(
          outcomes == null ? failed(share.work.items, PushOutcome.IN_DOUBT) : outcomes, null);
    }
    if (!(failure.getCause() instanceof EngineUnavailableException refusal)) {
      throw new CompletionException(failure.getCause());
    }
    var reason = refusal.inDoubt() ? PushOutcome.IN_DOUBT : PushOutcome.NOT_COMMITTED;
    return new Part(failed(share.work.items, reason), refusal);
  }

  private List<PushOutcome> joined(
      int count, List<Share> shares, List<CompletableFuture<Part>> parts) {
    var refusals =
        parts.stream()
            .map(part -> part.join().refusal)
            .filter(refusal -> refusal != null && !refusal.inDoubt())
            .toList();
    if (refusals.size() == parts.size() && !refusals.isEmpty()) {
      throw refusals.getLast();
    }
    var outcomes = new PushOutcome[count];
    IntStream.range(0, parts.size())
        .forEach(
            i -> {
              var own = parts.get(i).join().outcomes;
              for (int at = 0; at < own.size(); at++) {
                outcomes[shares.get(i).places.get(at)] = own.get(at);
              }
            });
    counters.pushMessages.add(count);
    return Arrays.asList(outcomes);
  }

  private static List<PushOutcome> failed(List<PushItem> items, String reason) {
    return items.stream().map(item -> PushOutcome.failed(item.transactionId(), reason)).toList();
  }
}
