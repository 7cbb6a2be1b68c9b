package dev.queencell.broker.engine;

import dev.queencell.broker.store.Rows.GroupRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A consumer group on a queue: which lanes are ready for it, and who waits. Touched by its queue's
 * lane thread only.
 */
final class Group {
  final Queue queue;
  final long id;
  final String name;

  final long createdAtMicros;

  /** It has a subscription: partitions without a cursor start at their beginning. */
  boolean registered;

  /** How it subscribed: {@code new}, {@code all} or {@code timestamp}. */
  String mode;

  /** It wants the messages since then; 0 for all. */
  long subscribedFromMicros;

  /** It takes only the newest message of each partition. */
  boolean conflation;

  /**
   * Its cursors have been placed. They have not when they were deleted and its subscription stayed.
   */
  boolean seeded;

  /** Where its cursors belong is being read; nothing is delivered to it meanwhile. */
  boolean seeding;

  /** How often that began in this term: a read that comes late must not pass for the newest. */
  int seedings;

  /** Lanes with something to deliver, in turn. May hold some that are not any more. */
  final ArrayDeque<GroupCursor> ready = new ArrayDeque<>();

  /** Pops on the whole queue, in order of arrival. */
  final LinkedHashSet<PopWork> parked = new LinkedHashSet<>();

  /** Pops on one partition, by its name. */
  final Map<String, Set<PopWork>> pinned = new HashMap<>();

  /** Of those partitions, the ones whose pops are to be looked at. */
  private final Set<String> pinnedDue = new LinkedHashSet<>();

  /** Pops on the whole queue that want an answer now, and wait only for a read. */
  final Set<PopWork> impatient = new LinkedHashSet<>();

  /** Holds waiting pops for fuller batches. */
  final Fill fill = new Fill();

  /** Cursors whose next segments are being read. */
  int fetching;

  Group(Queue queue, GroupRow row) {
    this.queue = queue;
    this.id = row.id();
    this.name = row.name();
    this.createdAtMicros = row.createdAtMicros();
    this.registered = row.registered();
    this.mode = row.mode();
    this.subscribedFromMicros = row.subscribedFromMicros();
    this.conflation = row.conflation();
    this.seeded = row.seeded();
  }

  GroupRow toRow() {
    return new GroupRow(
        id,
        queue.id,
        name,
        registered,
        mode,
        subscribedFromMicros,
        conflation,
        seeded,
        createdAtMicros);
  }

  /** Whether partitions that come now are its own. */
  boolean subscribes() {
    return registered && seeded;
  }

  /** Everybody who waits for it. */
  List<PopWork> waiting() {
    var all = new ArrayList<>(parked);
    pinned.values().forEach(all::addAll);
    return all;
  }

  boolean isQueueMode() {
    return name.equals(PopRequest.QUEUE_MODE);
  }

  boolean hasWaiting() {
    return !parked.isEmpty() || !pinned.isEmpty();
  }

  void park(PopWork pop) {
    if (pop.request.partition() == null) {
      parked.add(pop);
      if (pop.request.waitMs() <= 0) {
        impatient.add(pop);
      }
    } else {
      pinned.computeIfAbsent(pop.request.partition(), key -> new LinkedHashSet<>(2)).add(pop);
      pinnedDue.add(pop.request.partition());
    }
  }

  /** Has the pops looked at that wait for one partition, if there are any. */
  void lookAt(String partition) {
    if (pinned.containsKey(partition)) {
      pinnedDue.add(partition);
    }
  }

  /** Has all pops looked at that wait for one partition, whichever. */
  void lookAtAllPinned() {
    pinnedDue.addAll(pinned.keySet());
  }

  /** The partitions whose pops are to be looked at, once. */
  List<String> takePinnedDue() {
    if (pinnedDue.isEmpty()) {
      return List.of();
    }
    var due = List.copyOf(pinnedDue);
    pinnedDue.clear();
    return due;
  }

  /** True when it was waiting here. */
  boolean unpark(PopWork pop) {
    var partition = pop.request.partition();
    if (partition == null) {
      impatient.remove(pop);
      boolean waited = parked.remove(pop);
      if (parked.isEmpty()) {
        fill.end();
      }
      return waited;
    }
    var waiting = pinned.get(partition);
    boolean waited = waiting != null && waiting.remove(pop);
    if (waited && waiting.isEmpty()) {
      pinned.remove(partition);
      pinnedDue.remove(partition);
    }
    return waited;
  }
}
