package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Brings ready lanes and waiting consumers of one commit lane together, once per pass: whoever
 * waits longest gets the lanes that have been ready longest. Nothing polls; a push, an
 * acknowledgement, an expired lease or a finished read makes a lane ready, a pop makes a consumer
 * wait, and the pass that follows matches them. Used by the lane's thread.
 */
final class Delivery {
  /** Reads that one pop may set off per pass. */
  private static final int COLD_READS_PER_POP = 4;

  /** When to look again for a discovery pop that another lane is looking for at this moment. */
  private static final long LOOK_AGAIN_NANOS = 100_000;

  private final Lane lane;
  private final Leases leases;
  private final Set<Group> touched = new LinkedHashSet<>();

  /** Discovery pops wait on several lanes, on each with a timer of its own; null: without one. */
  private final Map<PopWork, Timers.Timer> discovery = new LinkedHashMap<>();

  private boolean discoveryTouched;

  Delivery(Lane lane) {
    this.lane = lane;
    this.leases = new Leases(lane, this);
  }

  Leases leases() {
    return leases;
  }

  /** A pop has come: it waits from here on, if only until the end of this pass. */
  void arrive(PopWork pop) {
    if (pop.isOver()) {
      return;
    }
    var request = pop.request;
    if (request.queue() == null) {
      discovery.put(pop, request.waitMs() > 0 ? timer(pop) : null);
      discoveryTouched = true;
    } else {
      var queue = lane.directory.queue(pop.tenant, request.queue());
      var group = lane.directory.group(queue, request.group());
      if (request.partition() == null) {
        Subscriptions.register(lane, group, request);
      } else {
        Subscriptions.seedPinned(lane, group, request);
      }
      pop.group = group;
      group.park(pop);
      touched.add(group);
      if (request.waitMs() > 0) {
        pop.timer = timer(pop);
      }
    }
    lane.counters.parked.increment();
  }

  private Timers.Timer timer(PopWork pop) {
    return lane.timers.at(pop.deadlineNanos, () -> timedOut(pop));
  }

  private void timedOut(PopWork pop) {
    leave(pop);
    if (pop.endEmpty()) {
      countEmpty(pop);
    }
  }

  /** A pop waits no more. */
  void leave(PopWork pop) {
    boolean discovers = pop.group == null;
    boolean waited = discovers ? discovery.containsKey(pop) : pop.group.unpark(pop);
    if (waited) {
      lane.counters.parked.decrement();
    }
    var timer = discovers ? discovery.remove(pop) : pop.timer;
    if (timer != null) {
      timer.cancel();
    }
  }

  /** New messages: every group that reads the partition has something to deliver. */
  void appended(Partition partition) {
    for (var group : partition.queue.groups.values()) {
      var cursor = partition.cursor(group);
      if (cursor == null && (group.subscribes() || group.pinned.containsKey(partition.name))) {
        cursor = Subscriptions.placeNew(lane, group, partition);
      }
      if (cursor != null) {
        ready(cursor);
      }
    }
    if (!discovery.isEmpty()) {
      discoveryTouched = true;
    }
  }

  void queueAppeared(Queue queue) {
    discoveryTouched |= !discovery.isEmpty() && queue.lane == lane;
  }

  /** Lets a lane take its turn in its group, if there is anything to deliver. */
  void ready(GroupCursor cursor) {
    if (cursor.lease != null
        || cursor.fetching
        || cursor.group.seeding
        || !(cursor.hasPending() || cursor.isBehindGap())) {
      return;
    }
    if (!cursor.inReady) {
      cursor.inReady = true;
      cursor.group.ready.addLast(cursor);
    }
    touched.add(cursor.group);
    discoveryTouched |= !discovery.isEmpty();
  }

  /** A read has brought a lane's next segments: it is served before they leave the cache again. */
  void fetched(GroupCursor cursor) {
    cursor.fetching = false;
    cursor.group.fetching--;
    if (cursor.lease == null && cursor.hasPending() && !cursor.inReady) {
      cursor.inReady = true;
      cursor.group.ready.addFirst(cursor);
    }
    touched.add(cursor.group);
    discoveryTouched |= !discovery.isEmpty();
  }

  /** The cursors of a group have been placed: it is served from here on. */
  void seeded(Group group) {
    for (var partition : group.queue.partitions.values()) {
      var cursor = partition.cursor(group);
      if (cursor != null) {
        ready(cursor);
      }
    }
    touched.add(group);
    discoveryTouched |= !discovery.isEmpty();
  }

  /** Serves all that can be served. */
  void match(long nanoTime) {
    if (!touched.isEmpty()) {
      var groups = new ArrayList<>(touched);
      touched.clear();
      for (var group : groups) {
        if (group.hasWaiting()) {
          matchPinned(group, nanoTime);
          matchParked(group, nanoTime);
        }
      }
    }
    if (discoveryTouched) {
      discoveryTouched = false;
      matchDiscovery(nanoTime);
    }
  }

  private void matchPinned(Group group, long nanoTime) {
    if (group.pinned.isEmpty()) {
      return;
    }
    for (var name : new ArrayList<>(group.pinned.keySet())) {
      var partition = group.queue.partitions.get(name);
      var cursor = partition == null ? null : partition.cursor(group);
      for (var pop : new ArrayList<>(group.pinned.get(name))) {
        var claims = new Claims(lane, pop, nanoTime);
        if (cursor != null && pop.take()) {
          claims.claim(cursor);
          finish(pop, claims);
        }
        endIfImpatient(pop, cursor != null && (cursor.fetching || group.seeding));
      }
    }
  }

  private void matchParked(Group group, long nanoTime) {
    for (int looks = group.parked.size(); looks > 0 && !group.ready.isEmpty(); looks--) {
      var pop = group.parked.getFirst();
      if (!pop.take()) {
        leave(pop);
        continue;
      }
      var claims = new Claims(lane, pop, nanoTime);
      claimReady(group, pop, claims);
      finish(pop, claims);
      if (claims.isEmpty() && group.parked.remove(pop)) {
        // Its lanes are being read; those behind it may find others.
        group.parked.add(pop);
      }
    }
    for (var pop : new ArrayList<>(group.impatient)) {
      endIfImpatient(pop, group.fetching > 0);
    }
  }

  private static void claimReady(Group group, PopWork pop, Claims claims) {
    int partitionsMax =
        pop.request.partitions() <= 0 ? Integer.MAX_VALUE : pop.request.partitions();
    int coldReads = 0;
    // Every ready lane gets one look; those that become ready meanwhile stand behind.
    for (int looks = group.ready.size();
        looks > 0
            && claims.wantsMore()
            && claims.partitions() < partitionsMax
            && coldReads < COLD_READS_PER_POP;
        looks--) {
      var cursor = group.ready.remove();
      cursor.inReady = false;
      if (claims.claim(cursor) == Claims.Result.COLD) {
        coldReads++;
      }
    }
  }

  private void matchDiscovery(long nanoTime) {
    for (var pop : new ArrayList<>(discovery.keySet())) {
      if (!pop.take()) {
        if (pop.isTaken()) {
          lane.timers.at(nanoTime + LOOK_AGAIN_NANOS, () -> discoveryTouched = true);
        } else {
          leave(pop);
        }
        continue;
      }
      var claims = new Claims(lane, pop, nanoTime);
      boolean fetching = false;
      for (var queue : new ArrayList<>(lane.directory.queues())) {
        if (queue.key.tenant().equals(pop.tenant) && queue.matches(pop.request)) {
          var group = lane.directory.group(queue, pop.request.group());
          Subscriptions.register(lane, group, pop.request);
          claimReady(group, pop, claims);
          fetching |= group.fetching > 0;
        }
      }
      finish(pop, claims);
      endIfImpatient(pop, fetching);
    }
  }

  private void finish(PopWork pop, Claims claims) {
    if (claims.isEmpty()) {
      if (!pop.untake()) {
        leave(pop);
      }
      return;
    }
    leave(pop);
    pop.serve(claims.result());
    leases.granted(claims);
    lane.counters.popMessages.add(claims.messages());
    lane.answerAfterCommit(pop);
  }

  /**
   * A pop that does not wait is answered in the pass it came in, unless a read is under way for it.
   */
  private void endIfImpatient(PopWork pop, boolean readUnderWay) {
    if (pop.request.waitMs() > 0 || readUnderWay || pop.isOver()) {
      return;
    }
    leave(pop);
    if (pop.nothingAnywhere() && pop.take()) {
      pop.serve(PopResult.EMPTY);
      countEmpty(pop);
      lane.answerAfterCommit(pop);
    }
  }

  private void countEmpty(PopWork pop) {
    lane.counters.popEmpty.increment();
    if (pop.group != null) {
      lane.history.poppedEmpty(pop.group.queue);
    }
  }

  /** Takes back what was leased but never reached its consumer. */
  void giveBack(UUID tenant, UUID leaseId) {
    for (var cursor : leases.held(tenant, leaseId)) {
      leases.release(cursor);
      // The consumer never saw it, so that this was no attempt.
      cursor.attempts = Math.max(0, cursor.attempts - 1);
      lane.dirty(cursor);
      ready(cursor);
    }
  }

  /** Answers everybody who waits; for the end of a term in order. */
  void endAllParked() {
    for (var pop : allParked()) {
      leave(pop);
      pop.endEmpty();
    }
  }

  /** Everybody who waits on this lane. */
  List<PopWork> allParked() {
    var all = new ArrayList<>(discovery.keySet());
    for (var queue : lane.directory.queues()) {
      all.addAll(parkedOn(queue));
    }
    return all;
  }

  static List<PopWork> parkedOn(Queue queue) {
    var all = new ArrayList<PopWork>();
    queue.groups.values().forEach(group -> all.addAll(group.waiting()));
    return all;
  }
}
