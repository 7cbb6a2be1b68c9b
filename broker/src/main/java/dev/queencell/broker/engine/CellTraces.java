package dev.queencell.broker.engine;

import dev.queencell.broker.store.Rows.TraceRow;
import dev.queencell.broker.store.Slice;
import dev.queencell.broker.store.TraceReader;
import dev.queencell.broker.store.TraceReader.Place;
import dev.queencell.broker.store.TraceReader.StoredTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes traces with the shared commit of their queue's lane, or of the first lane when no queue is
 * known; reads them beside the lanes.
 */
final class CellTraces implements Traces {
  private final LaneCalls calls;
  private final CellReads reads;

  CellTraces(LaneCalls calls, CellReads reads) {
    this.calls = calls;
    this.reads = reads;
  }

  @Override
  public Optional<UUID> record(UUID tenant, NewTrace trace, boolean owned) {
    var term = calls.term();
    var place = PartitionId.parse(trace.partitionId().toString());
    var queue = term.queue(place.queue());
    boolean known = queue != null && queue.key.tenant().equals(tenant);
    if (owned && !known) {
      return Optional.empty();
    }
    var lane = known ? queue.lane : term.lanes().getFirst();
    var task =
        new LaneTask<Optional<UUID>>(
            tenant,
            l -> {
              if (owned && !queue.partitionsById.containsKey(place.partition())) {
                return Optional.empty();
              }
              return Optional.of(write(l, tenant, trace, known ? queue.id : 0));
            });
    term.post(lane, task);
    return LaneCalls.required(task.future);
  }

  private static UUID write(Lane lane, UUID tenant, NewTrace trace, long queueId) {
    var id = lane.mint();
    lane.commit()
        .trace(
            new TraceRow(
                id,
                tenant,
                queueId,
                trace.partitionId(),
                key(trace.transactionId()),
                trace.transactionId().toBytes(),
                trace.group(),
                trace.eventType(),
                trace.data(),
                trace.names(),
                lane.createdAtMicros()));
    return id;
  }

  private static UUID key(Slice transactionId) {
    var key = TransactionKey.of(transactionId);
    return new UUID(key.high(), key.low());
  }

  @Override
  public List<Trace> ofMessage(UUID tenant, UUID partitionId, Slice transactionId) {
    calls.term();
    var stored =
        reads.read(
            session ->
                new TraceReader(session)
                    .ofMessage(
                        tenant,
                        partitionId,
                        key(transactionId),
                        transactionId.toBytes(),
                        OF_MESSAGE_MAX));
    return traces(stored, Map.of());
  }

  @Override
  public Page<Trace> byName(UUID tenant, String name, int limit, int offset) {
    calls.term();
    return reads.read(
        session -> {
          var reader = new TraceReader(session);
          var stored = reader.byName(tenant, name, limit, offset);
          var ids =
              stored.stream()
                  .map(trace -> PartitionId.parse(trace.partitionId().toString()).partition())
                  .distinct()
                  .toList();
          var places = ids.isEmpty() ? Map.<Long, Place>of() : reader.places(tenant, ids);
          return new Page<>(traces(stored, places), reader.countByName(tenant, name));
        });
  }

  @Override
  public Page<Name> names(UUID tenant, int limit, int offset) {
    calls.term();
    return reads.read(
        session -> {
          var reader = new TraceReader(session);
          var names =
              reader.names(tenant, limit, offset).stream()
                  .map(n -> new Name(n.name(), n.traces(), n.messages(), n.lastMicros()))
                  .toList();
          return new Page<>(names, reader.countNames(tenant));
        });
  }

  private static List<Trace> traces(List<StoredTrace> stored, Map<Long, Place> places) {
    var traces = new ArrayList<Trace>(stored.size());
    for (var row : stored) {
      var id = PartitionId.parse(row.partitionId().toString());
      var place = places.get(id.partition());
      boolean there = place != null && place.queueId() == id.queue();
      traces.add(
          new Trace(
              row.id(),
              row.partitionId(),
              Slice.of(row.transactionId()).text(),
              row.group(),
              row.eventType(),
              row.data(),
              row.names(),
              row.createdAtMicros(),
              there ? place.queue() : null,
              there ? place.partition() : null));
    }
    return traces;
  }
}
