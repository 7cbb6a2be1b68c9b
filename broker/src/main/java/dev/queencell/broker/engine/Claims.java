package dev.queencell.broker.engine;

import dev.queencell.broker.engine.PopResult.Claim;
import dev.queencell.broker.engine.PopResult.Run;
import dev.queencell.broker.store.Segment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What one pop gets: spans of lanes, from the cursors on, without gaps, within the pop's budget of
 * messages and the answer's budget of bytes. First they are only offered, so that a pop that has to
 * wait for a read leaves them to others. Taking leases them (or, with auto-ack, completes them) in
 * memory and marks the cursors for the open commit. Used by the lane's thread, for one pop.
 */
final class Claims {
  /** An answer is closed behind the message that passes this. */
  private static final long ANSWER_BYTES_MAX = 32L * 1024 * 1024;

  /** Hidden segments that are passed in memory on the way to the newest that may be seen. */
  private static final int NEWEST_LOOKS_MAX = 64;

  /** How long a lane rests at most whose newest messages are all hidden. */
  private static final long NEWEST_REST_MICROS_MAX = 1_000_000;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  enum Result {
    CLAIMED,
    /** Nothing to deliver now. */
    NOTHING,
    /** Its next segments are being read. */
    COLD
  }

  private final Lane lane;
  private final PopWork pop;
  private final long nanoTime;
  private final UUID leaseId;
  private final List<Offer> offers = new ArrayList<>(1);
  private final Set<GroupCursor> reading = new LinkedHashSet<>(0);
  private final List<Claim> claims = new ArrayList<>(1);
  private final List<GroupCursor> cursors = new ArrayList<>(1);
  private final boolean patient;
  private int wanted;

  /** Of those wanted, what the reads under way are for. */
  private int coming;

  private int width;
  private int messages;
  private long bytes;

  /** A span that may be taken. */
  private record Offer(GroupCursor cursor, List<Run> runs, int count, long last) {}

  Claims(Lane lane, PopWork pop, long nanoTime) {
    this.lane = lane;
    this.pop = pop;
    this.nanoTime = nanoTime;
    this.wanted = pop.request.batch();
    this.patient = lane.delivery.gatherings().goesOn(pop);
    this.leaseId = pop.request.autoAck() ? null : lane.mint();
  }

  boolean wantsMore() {
    return wanted - coming > 0 && bytes < ANSWER_BYTES_MAX;
  }

  boolean isEmpty() {
    return offers.isEmpty();
  }

  /** Lanes that it has, or waits for. */
  int partitions() {
    return offers.size() + (patient ? reading.size() : 0);
  }

  int reads() {
    return reading.size();
  }

  /** Whether it takes nothing until reads that are under way bring more. */
  boolean waits() {
    return patient && !reading.isEmpty();
  }

  /** Leaves the lanes to whoever comes, in their turn. */
  void leave() {
    for (var offer : offers.reversed()) {
      var cursor = offer.cursor();
      if (!cursor.inReady) {
        cursor.inReady = true;
        cursor.group.ready.addFirst(cursor);
      }
    }
    offers.clear();
  }

  /** Remembers the reads that it has set off, after all lanes were looked at. */
  void looked() {
    if (!reading.isEmpty()) {
      lane.delivery.gatherings().round(pop, reading);
    }
  }

  int messages() {
    return messages;
  }

  List<GroupCursor> cursors() {
    return cursors;
  }

  PopResult result() {
    return new PopResult(leaseId, claims, pop.policy(), isShadow() ? 0 : width);
  }

  private boolean isShadow() {
    return pop.request.width() == PopRequest.Width.SHADOW;
  }

  /** Counts what autopilot has chosen, or would have, for a pop that is served. */
  void countWidth() {
    if (width > 0) {
      (isShadow() ? lane.counters.autopilotShadow : lane.counters.autopilotOn).chose(width);
    }
  }

  /**
   * Partitions that may be claimed in all, when this group is asked.
   *
   * @param ready lanes of the group that have something
   * @param waiting consumers that wait for them
   */
  int partitionsMax(Group group, int ready, int waiting) {
    var request = pop.request;
    int sent = request.partitions() <= 0 ? Integer.MAX_VALUE : request.partitions();
    if (group.conflation) {
      // A batch of one message per partition.
      int wide = request.width() == PopRequest.Width.SENT ? sent : request.batch();
      return Math.min(wide, Limits.CONFLATED_PARTITIONS_MAX);
    }
    if (request.width() != PopRequest.Width.AUTOPILOT
        && request.width() != PopRequest.Width.SHADOW) {
      return sent;
    }
    int share = Math.ceilDiv(ready, Math.max(1, waiting));
    width = Math.clamp(share, 1, request.batch());
    return isShadow() ? sent : width;
  }

  /** Looks what this lane has for the pop. */
  Result claim(GroupCursor cursor) {
    var result = look(cursor);
    if (result == Result.COLD) {
      reading.add(cursor);
      if (patient) {
        long there = cursor.group.conflation ? 1 : Math.max(1, cursor.pending());
        coming += (int) Math.min(wanted - coming, there);
      }
    }
    return result;
  }

  private Result look(GroupCursor cursor) {
    if (cursor.isHeld()) {
      return Result.NOTHING;
    }
    if (!cursor.hasPending()) {
      sealGap(cursor);
      return Result.NOTHING;
    }
    var options = cursor.partition.queue.options;
    var visible = Visibility.of(options, lane.createdAtMicros());
    if (visible.aliveFromMicros() > 0) {
      var result = Expired.stepOver(lane, cursor, visible);
      if (result != Result.CLAIMED) {
        return result;
      }
    }
    return cursor.group.conflation ? claimNewest(cursor, visible) : claimSpan(cursor, visible);
  }

  private Result claimSpan(GroupCursor cursor, Visibility visible) {
    var partition = cursor.partition;
    var runs = new ArrayList<Run>(1);
    long start = cursor.nextWanted();
    long offset = start;
    int left = wanted - coming;
    int most = left;
    var seen = new ArrayList<Segment>(1);
    long bytesBefore = bytes;
    boolean missing = false;
    boolean hidden = false;
    while (!hidden && left > 0 && bytes < ANSWER_BYTES_MAX && offset < partition.nextOffset) {
      var segment = cursor.segmentAt(offset);
      if (segment == null) {
        missing = true;
        break;
      }
      seen.add(segment);
      int skip = (int) (offset - segment.base());
      if (offset == start && rests(cursor, segment, skip, visible)) {
        return Result.NOTHING;
      }
      int there = Math.min(left, segment.count() - skip);
      int count =
          visible.untilVisibleMicros(segment) > 0 ? 0 : visible.dueCount(segment, skip, there);
      hidden = count < there;
      if (count > 0) {
        runs.add(new Run(offset, segment.createdAtMicros(), segment.frames(), skip, count));
        left -= count;
        bytes += (long) segment.frames().length * count / segment.count();
        offset += count;
      }
    }
    if (missing && (runs.isEmpty() || patient)) {
      bytes = bytesBefore;
      // What is in memory must still be there when the rest comes.
      cursor.fetched = seen;
      lane.reader.fetch(cursor, offset, left);
      return Result.COLD;
    }
    wanted -= most - left;
    offer(new Offer(cursor, runs, (int) (offset - start), offset - 1));
    return Result.CLAIMED;
  }

  /** What the cursor still wanted is gone for good; it says so from here on. */
  private void sealGap(GroupCursor cursor) {
    if (cursor.isBehindGap()) {
      cursor.committed = cursor.partition.nextOffset - 1;
      cursor.attempts = 0;
      cursor.retries = 0;
      lane.dirty(cursor);
    }
  }

  /** Whether the lane's head is not to be seen yet; then it rests until it is. */
  private boolean rests(GroupCursor cursor, Segment head, int index, Visibility visible) {
    long delay = Math.max(visible.untilVisibleMicros(head), visible.untilDueMicros(head, index));
    if (delay > 0) {
      rest(cursor, Rest.Why.DELAY, delay);
      return true;
    }
    long gathering = visible.untilGatheredMicros(head);
    if (gathering > 0 && cursor.pending() < Delivery.WINDOW_MESSAGES) {
      rest(cursor, Rest.Why.WINDOW, gathering);
      return true;
    }
    return false;
  }

  private void rest(GroupCursor cursor, Rest.Why why, long micros) {
    // One more: what is due within a microsecond must not be looked at within the same one.
    lane.delivery.rest(cursor, why, nanoTime + (micros + 1) * 1_000);
  }

  /** Takes the newest message that may be seen; what is below is completed with it. */
  private Result claimNewest(GroupCursor cursor, Visibility visible) {
    long start = cursor.nextWanted();
    var head = cursor.partition.cachedAt(start);
    if (head != null
        && visible.untilGatheredMicros(head) > 0
        && cursor.pending() < Delivery.WINDOW_MESSAGES) {
      rest(cursor, Rest.Why.WINDOW, visible.untilGatheredMicros(head));
      return Result.NOTHING;
    }
    long soonest = Long.MAX_VALUE;
    long end = cursor.partition.nextOffset;
    for (int looks = 0; end > start; looks++) {
      var segment = looks < NEWEST_LOOKS_MAX ? cursor.partition.cachedAt(end - 1) : null;
      boolean read = segment == null && !cursor.fetched.isEmpty();
      if (read) {
        segment = cursor.fetched.getLast();
      }
      if (segment == null || segment.base() >= end) {
        lane.reader.newest(cursor, end, visible.nowMicros() - visible.delayMicros());
        return Result.COLD;
      }
      if (visible.isExpired(segment)) {
        Expired.complete(lane, cursor, Math.max(start, segment.end()));
        break;
      }
      long hidden = visible.untilVisibleMicros(segment);
      int from = (int) Math.max(0, start - segment.base());
      int to = (int) Math.min(segment.count(), end - segment.base());
      if (from >= to) {
        // It lies below what is wanted: all that is wanted is hidden.
        break;
      }
      int at = hidden > 0 ? -1 : visible.lastDue(segment, from, to);
      if (at >= 0) {
        offer(cursor, segment, at);
        return Result.CLAIMED;
      }
      soonest = Math.min(soonest, hidden > 0 ? hidden : visible.untilDueMicros(segment, from));
      end = read ? start : segment.base();
    }
    cursor.fetched = List.of();
    if (cursor.hasPending()) {
      rest(cursor, Rest.Why.DELAY, Math.min(soonest, NEWEST_REST_MICROS_MAX));
    }
    return Result.NOTHING;
  }

  private void offer(GroupCursor cursor, Segment segment, int index) {
    long offset = segment.base() + index;
    bytes += segment.frames().length / segment.count();
    wanted--;
    var run = new Run(offset, segment.createdAtMicros(), segment.frames(), index, 1);
    offer(new Offer(cursor, List.of(run), 1, offset));
  }

  private void offer(Offer offer) {
    offers.add(offer);
    messages += offer.count();
  }

  /** Takes what was offered. */
  void take() {
    for (var offer : offers) {
      take(offer.cursor(), offer.runs(), offer.count(), offer.last());
    }
  }

  private void take(GroupCursor cursor, List<Run> runs, int count, long last) {
    cursor.fetched = List.of();
    boolean durable = true;
    long start = cursor.nextWanted();
    int attempt = 1;
    if (pop.request.autoAck()) {
      cursor.committed = last;
      cursor.attemptBase = start;
      cursor.attempts = 0;
      cursor.retries = 0;
    } else {
      attempt = cursor.attemptBase == start ? cursor.attempts + 1 : 1;
      cursor.attempts = attempt;
      cursor.attemptBase = start;
      cursor.lease = new Lease(leaseId, last, nanoTime + leaseSeconds(cursor) * NANOS_PER_SECOND);
      cursor.lease.index(runs);
      durable = !cursor.partition.queue.options.relaxesLeases();
      cursor.lease.unwritten = !durable;
      if (attempt > 1) {
        lane.counters.redeliveries.add(count);
      }
    }
    lane.history.popped(
        cursor.partition.queue, count, lane.createdAtMicros() - runs.getFirst().createdAtMicros());
    if (durable) {
      lane.dirty(cursor);
    }
    cursors.add(cursor);
    claims.add(
        new Claim(
            cursor.partition.queue.key.name(),
            cursor.partition.name,
            cursor.partition.uuid(),
            attempt,
            count,
            runs));
    // Auto-acknowledged, it may have more; leased, this does nothing.
    lane.delivery.ready(cursor);
  }

  private long leaseSeconds(GroupCursor cursor) {
    int wished = pop.request.leaseSeconds();
    int own = cursor.partition.queue.options.leaseTime();
    return Math.clamp(wished > 0 ? wished : own, 1, Limits.LEASE_SECONDS_MAX);
  }
}
