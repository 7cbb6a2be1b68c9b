package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The pops of one commit lane that name no queue but a namespace or a task. Such a pop waits on
 * every lane; the first that has something takes it. Among the queues that have something for it
 * the higher {@code priority} comes first, and of equal ones that which was served longest ago.
 * Over several lanes a {@link Ranking} finds where the highest is. Used by the lane's thread.
 */
final class Discovery {
  /** When to look again for a pop that another lane is looking for at this moment. */
  private static final long LOOK_AGAIN_NANOS = 100_000;

  private static final Comparator<Group> BY_RANK =
      Comparator.<Group>comparingInt(group -> -group.queue.options.priority())
          .thenComparingLong(group -> group.queue.served);

  private final Lane lane;
  private final Delivery delivery;

  /** Who waits, by tenant, each with a timer of its own on this lane; null: without one. */
  private final Map<UUID, Map<PopWork, Timers.Timer>> waiting = new HashMap<>();

  /** What the next pass has to look after, of tenants with pops that wait. */
  private final Map<UUID, Due> due = new TreeMap<>();

  /** The priority that this lane said it has, for the ranking of those that wait. */
  private final Map<PopWork, Integer> announced = new HashMap<>();

  private long servings;

  Discovery(Lane lane, Delivery delivery) {
    this.lane = lane;
    this.delivery = delivery;
  }

  /** What may have changed for the pops of one tenant. */
  private final class Due {
    boolean everything;
    final Set<PopWork> pops = new HashSet<>();

    /** New ones, or ones that got a message. */
    final Set<Queue> queues = new LinkedHashSet<>();

    /** Some that may have ready lanes. */
    final Set<Group> groups = new LinkedHashSet<>();

    /** In plain loops: it is asked for every pop that waits. */
    boolean concerns(PopWork pop) {
      boolean concerned = everything || pops.contains(pop);
      for (var queue : queues) {
        concerned |= isNewTo(queue, pop);
      }
      for (var group : groups) {
        concerned |= mayServe(group, pop);
      }
      return concerned;
    }

    private boolean mayServe(Group group, PopWork pop) {
      if (!group.name.equals(pop.request.group())) {
        return false;
      }
      // A read that it waited for may be of a queue that has been moved elsewhere since.
      boolean waitsForReads = pop.request.waitMs() <= 0 || delivery.gatherings().isKnown(pop);
      return waitsForReads || (!group.ready.isEmpty() && group.queue.matches(pop.request));
    }

    private static boolean isNewTo(Queue queue, PopWork pop) {
      if (!queue.matches(pop.request)) {
        return false;
      }
      var group = queue.groups.get(pop.request.group());
      if (group != null && group.subscribes()) {
        pop.asks(group);
        return false;
      }
      return true;
    }
  }

  /** A pop waits from here on. */
  void arrive(PopWork pop, Timers.Timer timer) {
    waiting.computeIfAbsent(pop.tenant, key -> new LinkedHashMap<>()).put(pop, timer);
    look(pop);
  }

  boolean isWaiting(UUID tenant) {
    return waiting.containsKey(tenant);
  }

  /** Gives a pop that waits here another end. */
  void rearm(PopWork pop, Timers.Timer end) {
    var pops = waiting.get(pop.tenant);
    if (pops != null && pops.containsKey(pop)) {
      pops.put(pop, end);
      look(pop);
    }
  }

  /** True when the pop was waiting here; its timer is cancelled. */
  boolean leave(PopWork pop) {
    var pops = waiting.get(pop.tenant);
    if (pops == null || !pops.containsKey(pop)) {
      return false;
    }
    announced.remove(pop);
    var timer = pops.remove(pop);
    if (timer != null) {
      timer.cancel();
    }
    if (pops.isEmpty()) {
      waiting.remove(pop.tenant);
    }
    return true;
  }

  /** Has all pops of a tenant looked after. */
  void touch(UUID tenant) {
    if (waiting.containsKey(tenant)) {
      dueOf(tenant).everything = true;
    }
  }

  private void look(PopWork pop) {
    if (waiting.containsKey(pop.tenant)) {
      dueOf(pop.tenant).pops.add(pop);
    }
  }

  /** A queue is new, or got a message: groups that are new to it are to know it. */
  void look(Queue queue) {
    if (waiting.containsKey(queue.key.tenant())) {
      dueOf(queue.key.tenant()).queues.add(queue);
    }
  }

  /** Something of a group may be deliverable now. */
  void look(Group group) {
    if (waiting.containsKey(group.queue.key.tenant())) {
      dueOf(group.queue.key.tenant()).groups.add(group);
    }
  }

  private Due dueOf(UUID tenant) {
    return due.computeIfAbsent(tenant, key -> new Due());
  }

  List<PopWork> all() {
    var all = new ArrayList<PopWork>();
    waiting.values().forEach(pops -> all.addAll(pops.keySet()));
    return all;
  }

  /** Serves all that can be served. */
  void match(long nanoTime) {
    if (due.isEmpty()) {
      return;
    }
    var now = new TreeMap<>(due);
    due.clear();
    now.forEach(
        (tenant, what) -> {
          for (var pop : List.copyOf(waiting.getOrDefault(tenant, Map.of()).keySet())) {
            if (!delivery.gatherings().isReading(pop) && what.concerns(pop)) {
              look(pop, nanoTime);
            }
          }
        });
  }

  private void look(PopWork pop, long nanoTime) {
    if (pop.take()) {
      serve(pop, nanoTime);
    } else if (pop.isOver()) {
      delivery.leave(pop);
    } else {
      // Another lane is looking, or was a moment ago.
      lane.timers.at(nanoTime + LOOK_AGAIN_NANOS, () -> look(pop));
    }
  }

  private void serve(PopWork pop, long nanoTime) {
    var claims = new Claims(lane, pop, nanoTime);
    boolean fetching = false;
    var candidates = new ArrayList<Group>();
    for (var queue : List.copyOf(lane.directory.queuesOf(pop.tenant))) {
      if (queue.matches(pop.request)) {
        var group = lane.directory.group(queue, pop.request.group());
        Subscriptions.register(lane, group, pop.request);
        pop.asks(group);
        fetching |= group.fetching > 0;
        if (!group.ready.isEmpty()) {
          candidates.add(group);
        }
      }
    }
    candidates.sort(BY_RANK);
    if (!mayServe(pop, candidates)) {
      if (!pop.untake()) {
        delivery.leave(pop);
      }
      return;
    }
    var serving = new ArrayList<Queue>();
    for (var group : candidates) {
      int before = claims.messages();
      Delivery.claimReady(group, claims);
      fetching |= group.fetching > 0;
      if (claims.messages() > before) {
        serving.add(group.queue);
      }
    }
    claims.looked();
    if (claims.waits()) {
      claims.leave();
      if (!pop.untake()) {
        delivery.leave(pop);
      }
      return;
    }
    for (var queue : serving) {
      queue.served = ++servings;
    }
    delivery.finish(pop, claims);
    delivery.endIfImpatient(pop, fetching);
    if (pop.ranking != null && !pop.ranking.wasTried()) {
      pop.ranking.tried();
      pop.lookAgain();
    }
  }

  /** Whether no other lane has something of a higher priority, as far as its ranking says. */
  private boolean mayServe(PopWork pop, List<Group> candidates) {
    if (pop.ranking == null || pop.ranking.wasTried()) {
      return true;
    }
    int priority =
        candidates.isEmpty() ? Ranking.NOTHING : candidates.getFirst().queue.options.priority();
    var said = announced.putIfAbsent(pop, priority);
    if (said == null && pop.ranking.announce(priority)) {
      pop.lookAgain();
    }
    if (said != null && priority < said && pop.ranking.isBest(said)) {
      // Others have taken what made it the best.
      pop.ranking.tried();
      pop.lookAgain();
    }
    return pop.ranking.lets(priority);
  }
}
