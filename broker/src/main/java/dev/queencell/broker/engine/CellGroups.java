package dev.queencell.broker.engine;

import dev.queencell.broker.engine.GroupTasks.Place;
import dev.queencell.broker.engine.GroupTasks.State;
import dev.queencell.broker.store.SegmentReader;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Asks the lanes about groups and has them moved. What a lane does not have in memory, the age of
 * an old message or where an instant lies in a partition, is read on the request's thread, so that
 * no lane waits for it. Thread-safe.
 */
final class CellGroups implements Groups {
  /** Ages that one statement reads. */
  private static final int TIMES_PER_READ = 10_000;

  private static final long MICROS_PER_SECOND = 1_000_000L;

  private final LaneCalls calls;
  private final CellReads reads;

  CellGroups(LaneCalls calls, CellReads reads) {
    this.calls = calls;
    this.reads = reads;
  }

  @Override
  public List<GroupView> list(UUID tenant) {
    var views = new ArrayList<GroupView>();
    var states = states(tenant, null);
    var times = oldestTimes(states);
    for (var state : states) {
      views.add(view(state, times));
    }
    views.sort(Comparator.comparing(GroupView::name).thenComparing(GroupView::queue));
    return views;
  }

  @Override
  public List<CursorView> places(UUID tenant, String group) {
    var places = cursorViews(states(tenant, group));
    places.sort(Comparator.comparing(CursorView::queue).thenComparing(CursorView::partition));
    return places;
  }

  @Override
  public List<CursorView> lagging(UUID tenant, long minLagSeconds) {
    var places = cursorViews(states(tenant, null));
    places.removeIf(place -> place.lag() == 0 || place.lagSeconds() < minLagSeconds);
    places.sort(Comparator.comparingLong(CursorView::lagSeconds).reversed());
    return places.size() <= Limits.LAGGING_PLACES_MAX
        ? places
        : places.subList(0, Limits.LAGGING_PLACES_MAX);
  }

  private List<State> states(UUID tenant, String group) {
    var states = new ArrayList<State>();
    calls.onEvery(tenant, lane -> GroupTasks.states(lane, tenant, group)).forEach(states::addAll);
    return states;
  }

  private static GroupView view(State state, Map<Place, Long> times) {
    long lag = 0;
    long lagSeconds = 0;
    int lagging = 0;
    boolean consumed = false;
    for (var place : state.places()) {
      lag += place.lag();
      lagging += place.lag() > 0 ? 1 : 0;
      lagSeconds = Math.max(lagSeconds, lagSeconds(place, times));
      consumed |= place.delivered() && place.committed() >= 0;
    }
    boolean subscribed = state.mode() != null;
    return new GroupView(
        state.name(),
        state.queue(),
        state.places().size(),
        lagging,
        lag,
        lagSeconds,
        consumed,
        state.mode(),
        subscribed ? instant(state.subscribedFromMicros()) : null,
        instant(state.createdAtMicros()),
        state.conflation());
  }

  private List<CursorView> cursorViews(List<State> states) {
    var times = oldestTimes(states);
    var views = new ArrayList<CursorView>();
    for (var state : states) {
      for (var place : state.places()) {
        var oldest = times.get(place);
        views.add(
            new CursorView(
                state.name(),
                state.queue(),
                state.conflation(),
                place.partitionName(),
                place.partitionId(),
                place.leaseId(),
                place.committed() + 1,
                place.lag(),
                lagSeconds(place, times),
                oldest == null ? null : instant(oldest)));
      }
    }
    return views;
  }

  private static long lagSeconds(Place place, Map<Place, Long> times) {
    var oldest = times.get(place);
    return oldest == null ? 0 : Math.max(0, (place.nowMicros() - oldest) / MICROS_PER_SECOND);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** When the oldest message left of each place was written. */
  private Map<Place, Long> oldestTimes(List<State> states) {
    var times = new HashMap<Place, Long>();
    for (var state : states) {
      // A partition has one place per group, so that its number names the place.
      Map<Long, Place> unknown = new HashMap<>();
      for (var place : state.places()) {
        if (place.oldestMicros() > 0) {
          times.put(place, place.oldestMicros());
        } else if (place.lag() > 0) {
          unknown.put(place.partition(), place);
        }
        if (unknown.size() == TIMES_PER_READ) {
          readTimes(unknown, times);
        }
      }
      readTimes(unknown, times);
    }
    return times;
  }

  private void readTimes(Map<Long, Place> unknown, Map<Place, Long> into) {
    if (unknown.isEmpty()) {
      return;
    }
    Map<Long, Long> offsets = HashMap.newHashMap(unknown.size());
    unknown.forEach((partition, place) -> offsets.put(partition, place.nextWanted()));
    read(reader -> reader.times(offsets))
        .forEach((partition, micros) -> into.put(unknown.get(partition), micros));
    unknown.clear();
  }

  @Override
  public int resubscribe(UUID tenant, String group, Instant from) {
    return sum(calls.onEvery(tenant, lane -> GroupTasks.resubscribe(lane, tenant, group, from)));
  }

  @Override
  public OptionalInt seek(UUID tenant, String group, String queue, Instant from) {
    Map<Long, Long> starts = null;
    if (from != null) {
      var ends = calls.onQueue(tenant, queue, lane -> GroupTasks.ends(lane, tenant, queue, null));
      if (ends.nextOffsets().isEmpty()) {
        return OptionalInt.empty();
      }
      starts = new HashMap<>(ends.nextOffsets());
      starts.putAll(
          read(reader -> reader.firstOffsetsSince(ends.queue(), Subscriptions.micros(from))));
    }
    int moved = move(tenant, group, queue, null, starts);
    return moved == 0 ? OptionalInt.empty() : OptionalInt.of(moved);
  }

  @Override
  public boolean seekPartition(
      UUID tenant, String group, String queue, String partition, Instant from) {
    Map<Long, Long> starts = null;
    if (from != null) {
      var ends =
          calls.onQueue(tenant, queue, lane -> GroupTasks.ends(lane, tenant, queue, partition));
      if (ends.nextOffsets().isEmpty()) {
        return false;
      }
      var only = ends.nextOffsets().entrySet().iterator().next();
      long id = only.getKey();
      starts =
          Map.of(
              id,
              read(
                  reader ->
                      reader.firstSince(
                          SegmentReader.Place.of(id),
                          ends.firstOffsets().get(id),
                          only.getValue(),
                          Subscriptions.micros(from))));
    }
    return move(tenant, group, queue, partition, starts) > 0;
  }

  private int move(
      UUID tenant, String group, String queue, String partition, Map<Long, Long> starts) {
    return calls.onQueue(
        tenant, queue, lane -> GroupTasks.seek(lane, tenant, queue, group, partition, starts));
  }

  @Override
  public int delete(UUID tenant, String group, String queue, boolean deleteMetadata) {
    LaneTask.Body<Integer> task =
        lane -> GroupTasks.delete(lane, tenant, group, queue, deleteMetadata);
    return queue == null ? sum(calls.onEvery(tenant, task)) : calls.onQueue(tenant, queue, task);
  }

  private static int sum(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).sum();
  }

  private <T> T read(Reading<T> reading) {
    return reads.read(connection -> reading.read(new SegmentReader(connection)));
  }

  private interface Reading<T> {
    T read(SegmentReader reader) throws SQLException;
  }
}
