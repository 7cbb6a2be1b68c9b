package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Brings ready lanes and waiting consumers of one commit lane together, once per pass: whoever
 * waits longest gets the lanes that have been ready longest. Nothing polls; a push, an
 * acknowledgement, an expired lease or a finished read makes a lane ready, a pop makes a consumer
 * wait, and the pass that follows matches them. Used by the lane's thread.
 */
final class Delivery {
  /** So many messages need not wait for the end of a window. */
  static final int WINDOW_MESSAGES = 100;

  /** Reads that one pop may set off per pass. */
  private static final int COLD_READS_PER_POP = 8;

  /** A pop whose time is over while it waits for reads is served with what there is, or ends. */
  private static final long LAST_CALL_NANOS = 2_000_000;

  private final Lane lane;
  private final Leases leases;
  private final Set<Group> touched = new LinkedHashSet<>();

  private final Discovery discovery;
  private final Gatherings gatherings = new Gatherings();

  Delivery(Lane lane) {
    this.lane = lane;
    this.leases = new Leases(lane, this);
    this.discovery = new Discovery(lane, this);
  }

  Discovery discovery() {
    return discovery;
  }

  Leases leases() {
    return leases;
  }

  Gatherings gatherings() {
    return gatherings;
  }

  /** A pop has come: it waits from here on, if only until the end of this pass. */
  void arrive(PopWork pop) {
    if (pop.isOver()) {
      return;
    }
    var request = pop.request;
    if (request.queue() == null) {
      discovery.arrive(pop, request.waitMs() > 0 ? timer(pop) : null);
    } else {
      var queue = lane.directory.queue(pop.tenant, request.queue());
      var group = lane.directory.group(queue, request.group());
      // A policy is declared by registering, on one partition too.
      if (request.partition() == null || request.conflation()) {
        Subscriptions.register(lane, group, request);
      } else {
        Subscriptions.seedPinned(lane, group, request);
      }
      pop.asks(group);
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
    if (!pop.isOver() && gatherings.lastCall(pop)) {
      lastCall(pop);
      return;
    }
    leave(pop);
    if (pop.endEmpty()) {
      countEmpty(pop);
    }
  }

  private void lastCall(PopWork pop) {
    var end = lane.timers.at(System.nanoTime() + LAST_CALL_NANOS, () -> timedOut(pop));
    if (pop.group == null) {
      discovery.rearm(pop, end);
    } else {
      pop.timer = end;
      lookAgain(pop);
    }
  }

  private void lookAgain(PopWork pop) {
    if (pop.request.partition() != null) {
      pop.group.lookAt(pop.request.partition());
    }
    touch(pop.group);
  }

  /** A pop waits no more. */
  void leave(PopWork pop) {
    gatherings.end(pop);
    if (pop.group == null) {
      if (discovery.leave(pop)) {
        lane.counters.parked.decrement();
      }
      return;
    }
    if (pop.group.unpark(pop)) {
      lane.counters.parked.decrement();
    }
    if (pop.timer != null) {
      pop.timer.cancel();
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
        if (cursor.rest != null
            && cursor.rest.why() == Rest.Why.WINDOW
            && cursor.pending() >= WINDOW_MESSAGES) {
          endRest(cursor);
        }
        ready(cursor);
      }
    }
    discovery.look(partition.queue);
  }

  void queueAppeared(Queue queue) {
    if (queue.lane == lane) {
      discovery.look(queue);
    }
  }

  /** Lets a lane take its turn in its group, if there is anything to deliver. */
  void ready(GroupCursor cursor) {
    if (cursor.isHeld() || !(cursor.hasPending() || cursor.isBehindGap())) {
      return;
    }
    if (!cursor.inReady) {
      cursor.inReady = true;
      cursor.group.ready.addLast(cursor);
    }
    touch(cursor);
  }

  private void touch(GroupCursor cursor) {
    cursor.group.lookAt(cursor.partition.name);
    touch(cursor.group);
  }

  /** Has those served who wait for a group's ready lanes. */
  void touch(Group group) {
    touched.add(group);
    discovery.look(group);
  }

  /** Has nobody look at a lane until an instant. */
  void rest(GroupCursor cursor, Rest.Why why, long untilNanos) {
    endRest(cursor);
    var timer =
        lane.timers.at(
            untilNanos,
            () -> {
              cursor.rest = null;
              ready(cursor);
            });
    cursor.rest = new Rest(why, timer);
  }

  /** Has a lane looked at again, whatever it rested for; the caller makes it ready. */
  void endRest(GroupCursor cursor) {
    if (cursor.rest != null) {
      cursor.rest.timer().cancel();
      cursor.rest = null;
    }
  }

  /** Has a lane rest whose delivery has failed, if its queue asks for that. */
  void restAfterFailure(GroupCursor cursor) {
    long millis = cursor.partition.queue.options.retryDelayInForceMs();
    if (millis > 0) {
      rest(cursor, Rest.Why.RETRY, System.nanoTime() + millis * 1_000_000);
    }
  }

  /** A read has brought a lane's next segments: it is served before they leave the cache again. */
  void fetched(GroupCursor cursor) {
    cursor.fetching = false;
    cursor.group.fetching--;
    if (!cursor.group.hasWaiting() && !discovery.isWaiting(cursor.group.queue.key.tenant())) {
      // Whoever wanted it has left; it may be in the cache.
      cursor.fetched = List.of();
    }
    if (!cursor.isHeld() && cursor.hasPending() && !cursor.inReady) {
      cursor.inReady = true;
      cursor.group.ready.addFirst(cursor);
    }
    touch(cursor);
  }

  /** The cursors of a group have been placed: it is served from here on. */
  void seeded(Group group) {
    for (var partition : group.queue.partitions.values()) {
      var cursor = partition.cursor(group);
      if (cursor != null) {
        ready(cursor);
      }
    }
    group.lookAtAllPinned();
    touch(group);
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
    discovery.match(nanoTime);
  }

  private void matchPinned(Group group, long nanoTime) {
    for (var name : group.takePinnedDue()) {
      var partition = group.queue.partitions.get(name);
      var cursor = partition == null ? null : partition.cursor(group);
      for (var pop : new ArrayList<>(group.pinned.get(name))) {
        if (cursor != null && pop.take()) {
          var claims = new Claims(lane, pop, nanoTime);
          claims.claim(cursor);
          claims.looked();
          finish(pop, claims);
        }
        endIfImpatient(pop, cursor != null && (cursor.fetching || group.seeding));
      }
    }
  }

  private void matchParked(Group group, long nanoTime) {
    boolean held = false;
    for (int looks = group.parked.size(); looks > 0 && !held && !group.ready.isEmpty(); looks--) {
      var pop = group.parked.getFirst();
      held = group.fill.holds(lane, group, pop, nanoTime);
      if (!held) {
        serveParked(group, pop, nanoTime);
      }
    }
    for (var pop : new ArrayList<>(group.impatient)) {
      if (held && !group.ready.isEmpty()) {
        serveParked(group, pop, nanoTime);
      }
      endIfImpatient(pop, group.fetching > 0);
    }
  }

  private void serveParked(Group group, PopWork pop, long nanoTime) {
    if (gatherings.isReading(pop)) {
      moveBack(group, pop);
      return;
    }
    if (!pop.take()) {
      leave(pop);
      return;
    }
    var claims = new Claims(lane, pop, nanoTime);
    claimReady(group, claims);
    claims.looked();
    if (claims.waits()) {
      claims.leave();
    }
    finish(pop, claims);
    if (claims.isEmpty()) {
      moveBack(group, pop);
    }
  }

  /** Its lanes are being read; those behind it may find others. */
  private static void moveBack(Group group, PopWork pop) {
    if (group.parked.remove(pop)) {
      group.parked.add(pop);
    }
  }

  static void claimReady(Group group, Claims claims) {
    int partitionsMax = claims.partitionsMax(group, group.ready.size(), group.parked.size());
    // Every ready lane gets one look; those that become ready meanwhile stand behind.
    for (int looks = group.ready.size();
        looks > 0
            && claims.wantsMore()
            && claims.partitions() < partitionsMax
            && claims.reads() < COLD_READS_PER_POP;
        looks--) {
      var cursor = group.ready.remove();
      cursor.inReady = false;
      claims.claim(cursor);
    }
  }

  void finish(PopWork pop, Claims claims) {
    if (claims.isEmpty()) {
      if (!pop.untake()) {
        leave(pop);
      }
      return;
    }
    leave(pop);
    claims.take();
    pop.serve(claims.result());
    claims.countWidth();
    leases.granted(claims);
    lane.counters.popMessages.add(claims.messages());
    lane.answerAfterCommit(pop);
  }

  /**
   * A pop that does not wait is answered in the pass it came in, unless a read is under way for it.
   */
  void endIfImpatient(PopWork pop, boolean readUnderWay) {
    if (pop.request.waitMs() > 0 || readUnderWay || pop.isOver()) {
      return;
    }
    leave(pop);
    if (pop.nothingAnywhere() && pop.take()) {
      pop.serve(pop.nothing());
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
    var all = new ArrayList<>(discovery.all());
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
