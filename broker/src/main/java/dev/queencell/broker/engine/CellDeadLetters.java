package dev.queencell.broker.engine;

import dev.queencell.broker.engine.Transactions.Push;
import dev.queencell.broker.engine.Transactions.Reason;
import dev.queencell.broker.engine.Transactions.Request;
import dev.queencell.broker.store.DeadLetterReader;
import dev.queencell.broker.store.DeadLetterReader.Place;
import dev.queencell.broker.store.DeadLetterReader.Stored;
import dev.queencell.broker.store.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reads dead letters beside the lanes, and removes them through the lane of their queue. One
 * removal at a time per term: so what was read of a row is still true when its lane decides, and no
 * row is moved twice.
 */
final class CellDeadLetters implements DeadLetters {
  /** Payloads of one page; it ends behind the one that passes this. */
  private static final long PAGE_BYTES_MAX = 16L * 1024 * 1024;

  private static final int PURGE_ROWS = 1_000;
  private static final long TURN_MS_MAX = 15_000;

  private final LaneCalls calls;
  private final CellReads reads;
  private final CellTransactions transactions;

  CellDeadLetters(LaneCalls calls, CellReads reads, CellTransactions transactions) {
    this.calls = calls;
    this.reads = reads;
    this.transactions = transactions;
  }

  @Override
  public List<DeadLetter> list(UUID tenant, String queue, String group, int limit, int offset) {
    calls.term();
    var rows =
        reads.read(
            session ->
                new DeadLetterReader(session)
                    .page(tenant, queue, group, limit, offset, PAGE_BYTES_MAX));
    var letters = new ArrayList<DeadLetter>(rows.size());
    for (var row : rows) {
      letters.add(
          new DeadLetter(
              row.id(),
              Slice.of(row.transactionId()).text(),
              new PartitionId(row.queueId(), row.partitionId()).toUuid(),
              row.queue(),
              row.partition(),
              row.group(),
              row.error(),
              row.retryCount(),
              Slice.of(row.payload()),
              row.failedAtMicros()));
    }
    return letters;
  }

  @Override
  public int delete(UUID tenant, String partitionId, Slice transactionId) {
    var id = PartitionId.parse(partitionId);
    var term = calls.term();
    var queue = id == null ? null : term.queue(id.queue());
    if (queue == null) {
      return 0;
    }
    return inTurn(
        term,
        tenant,
        () -> {
          var places = ofAddress(tenant, id, transactionId);
          return places.isEmpty() ? 0 : remove(term, queue, places);
        });
  }

  @Override
  public Optional<UUID> newest(UUID tenant, String partitionId, Slice transactionId) {
    calls.term();
    var id = PartitionId.parse(partitionId);
    return id == null
        ? Optional.empty()
        : ofAddress(tenant, id, transactionId).stream().findFirst().map(Place::id);
  }

  private List<Place> ofAddress(UUID tenant, PartitionId id, Slice transactionId) {
    return reads.read(
        session ->
            new DeadLetterReader(session)
                .ofAddress(tenant, id.queue(), id.partition(), transactionId.toBytes()));
  }

  @Override
  public Optional<Replay> replay(UUID tenant, UUID id, String queue, String partition) {
    var term = calls.term();
    return inTurn(
        term,
        tenant,
        () -> {
          var found = reads.read(session -> new DeadLetterReader(session).byId(tenant, id));
          return found.flatMap(
              row ->
                  move(
                      tenant,
                      row,
                      queue == null ? row.queue() : queue,
                      partition == null ? row.partition() : partition,
                      term));
        });
  }

  private Optional<Replay> move(
      UUID tenant, Stored row, String queue, String partition, CellTerm term) {
    if (partition == null) {
      throw new NotMovedException("its partition is gone; name a destination");
    }
    var transactionId = "dlq:" + row.id();
    var payload = term.lanes().getFirst().sealing.opened(Slice.of(row.payload()));
    var producer = row.producer() == null ? null : Slice.of(row.producer());
    var item = new PushItem(queue, partition, Slice.utf8(transactionId), producer, payload);
    var request = new Request(tenant, List.of(new Push(item, row.traceId())), List.of());
    var outcome =
        transactions.execute(
            request, new Removal(row.queueId(), row.partitionId(), row.id()), term);
    if (outcome.reason() == Reason.GONE) {
      return Optional.empty();
    }
    if (outcome.reason() == Reason.DB_ERROR) {
      throw new NotMovedException(outcome.error());
    }
    boolean moved = outcome.reason() == null;
    var result = outcome.results().getFirst();
    return Optional.of(
        new Replay(
            moved,
            queue,
            partition,
            row.group(),
            row.id(),
            Slice.of(row.transactionId()).text(),
            moved ? result.messageId() : PushOutcome.UNKNOWN_ID,
            transactionId,
            result.offset()));
  }

  @Override
  public long purge(UUID tenant, String queueName, String group) {
    var term = calls.term();
    var until = reads.read(session -> new DeadLetterReader(session).now());
    long removed = 0;
    while (true) {
      long more =
          inTurn(
              term,
              tenant,
              () -> {
                var places =
                    reads.read(
                        session ->
                            new DeadLetterReader(session)
                                .toPurge(tenant, queueName, group, until, PURGE_ROWS));
                return places.isEmpty() ? 0 : purge(term, tenant, queueName, places);
              });
      removed += more;
      if (more == 0) {
        return removed;
      }
    }
  }

  private static int purge(CellTerm term, UUID tenant, String name, List<Place> places) {
    var task =
        new LaneTask<>(
            tenant,
            lane -> {
              var queue = lane.directory.find(tenant, name);
              return queue == null ? 0 : remove(lane, queue, places);
            });
    term.post(term.laneOf(tenant, name), task);
    return LaneCalls.required(task.future);
  }

  private static int remove(CellTerm term, Queue queue, List<Place> places) {
    var task =
        new LaneTask<>(
            queue.key.tenant(),
            lane -> lane.term().queue(queue.id) == null ? 0 : remove(lane, queue, places));
    term.post(queue.lane, task);
    return LaneCalls.required(task.future);
  }

  private static int remove(Lane lane, Queue queue, List<Place> places) {
    for (var place : places) {
      lane.commit().removeDeadLetter(place.id());
      var partition = queue.partitionsById.get(place.partitionId());
      if (partition != null) {
        partition.addDeadLetters(-1);
      }
    }
    return places.size();
  }

  /** A row that goes with the transaction that moves its message. */
  record Removal(long queueId, long partitionId, UUID id) {
    /** Whether its queue is still there, with all its rows. */
    boolean isPossible(Lane lane) {
      var queue = lane.term().queue(queueId);
      return queue != null && queue.lane == lane;
    }

    void apply(Lane lane) {
      CellDeadLetters.remove(lane, lane.term().queue(queueId), List.of(new Place(id, partitionId)));
    }
  }

  private interface Turn<T> {
    T take();
  }

  private static <T> T inTurn(CellTerm term, UUID tenant, Turn<T> turn) {
    var turns = term.deadLetterTurns();
    try {
      if (!turns.tryAcquire(TURN_MS_MAX, TimeUnit.MILLISECONDS)) {
        throw new EngineUnavailableException("too many dead letters are being moved", null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineUnavailableException("interrupted", null);
    }
    boolean settled = false;
    try {
      var value = turn.take();
      settled = true;
      return value;
    } catch (NotMovedException e) {
      settled = true;
      throw e;
    } finally {
      if (settled) {
        turns.release();
      } else {
        // Nobody knows whether it will still happen: whoever comes next comes behind it.
        var behind = LaneCalls.post(term, tenant, lane -> true);
        var _ =
            CompletableFuture.allOf(behind.toArray(CompletableFuture[]::new))
                .whenComplete((done, failure) -> turns.release());
      }
    }
  }
}
