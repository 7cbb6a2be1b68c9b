package dev.queencell.broker.engine;

import dev.queencell.broker.store.BucketStore;
import dev.queencell.broker.store.BucketStore.Holding;
import dev.queencell.broker.store.BucketStore.Slot;
import dev.queencell.broker.store.Ring;
import dev.queencell.broker.store.Ring.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the rings: has the lanes write to the next slot when the current one has had its period,
 * and empties those in which nothing is wanted any more. A slot is emptied only when the database
 * says of every partition in it that it is gone or begins behind it; a slot of transaction keys,
 * when it is older than any window that its ring is for. What must outlive its slot is moved on,
 * some rows at a time.
 *
 * <p>Used by retention's thread.
 */
final class Slots {
  private static final Logger LOG = LoggerFactory.getLogger(Slots.class);
  private static final long MICROS = 1_000_000L;
  private static final int SCAN_PARTITIONS_MAX = 1_000;
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final CellTerm term;
  private final LaneClock clock;
  private final int batchSize;
  private final Map<Ring, Slot> open = new EnumMap<>(Ring.class);
  private final Map<Ring, List<Closed>> closed = new EnumMap<>(Ring.class);

  /** A slot that waits for its end; what is wanted of it begins at a partition, not before. */
  private static final class Closed {
    final short bucket;
    final long newestMicros;
    long wantedFrom = Long.MIN_VALUE;

    Closed(short bucket, long newestMicros) {
      this.bucket = bucket;
      this.newestMicros = newestMicros;
    }
  }

  Slots(CellTerm term, LaneClock clock, int batchSize) {
    this.term = term;
    this.clock = clock;
    this.batchSize = batchSize;
  }

  /** Now, by a clock like that of messages. */
  long nowMicros() {
    return clock.stamp(System.nanoTime());
  }

  /** Finds out which slots are in use, and tells the lanes, which do not run yet. */
  void load(Connection connection) throws SQLException {
    var store = new BucketStore(connection);
    for (var kind : Kind.values()) {
      var stored = store.load(kind);
      for (var ring : Ring.values()) {
        if (ring.kind() == kind) {
          load(store, ring, stored);
        }
      }
    }
  }

  private void load(BucketStore store, Ring ring, List<Slot> stored) throws SQLException {
    var waiting = new ArrayList<Closed>();
    closed.put(ring, waiting);
    for (var slot : stored) {
      if (slot.bucket() < ring.firstBucket() || slot.bucket() > ring.lastBucket()) {
        continue;
      }
      if (slot.closedAtMicros() != null) {
        // Of one whose turn was cut short it is only known that nobody writes to it any more.
        long newest = Math.min(slot.closedAtMicros(), nowMicros());
        if (newest != slot.closedAtMicros()) {
          store.close(ring.kind(), slot.bucket(), newest);
        }
        waiting.add(new Closed(slot.bucket(), newest));
      } else if (open.put(ring, slot) != null) {
        throw new IllegalStateException("two open slots in ring " + ring);
      }
    }
    if (!open.containsKey(ring)) {
      open(store, ring);
    }
    short current = open.get(ring).bucket();
    boolean used = store.isUsed(ring.kind(), current);
    for (var lane : term.lanes()) {
      lane.buckets.moveOn(ring, current);
      if (used) {
        lane.buckets.bucket(ring);
      }
    }
  }

  private short free(Ring ring) {
    for (short bucket = ring.firstBucket(); bucket <= ring.lastBucket(); bucket++) {
      short candidate = bucket;
      boolean inUse =
          (open.containsKey(ring) && open.get(ring).bucket() == candidate)
              || closed.get(ring).stream().anyMatch(slot -> slot.bucket == candidate);
      if (!inUse) {
        return bucket;
      }
    }
    return 0;
  }

  private void open(BucketStore store, Ring ring) throws SQLException {
    short bucket = free(ring);
    long now = nowMicros();
    store.open(ring.kind(), bucket, now);
    open.put(ring, new Slot(bucket, now, null));
  }

  /** Does what is due; most often nothing. */
  void tend(Connection connection) throws SQLException {
    var store = new BucketStore(connection);
    long now = nowMicros();
    for (var ring : Ring.values()) {
      empty(store, ring, now);
      if (now - open.get(ring).openedAtMicros() >= ring.periodSeconds() * MICROS) {
        turn(store, ring);
      }
    }
  }

  private void turn(BucketStore store, Ring ring) throws SQLException {
    if (free(ring) == 0 || !isWritten(ring)) {
      return;
    }
    var before = open.get(ring);
    // Until every lane has moved on, nobody knows how new what is in it may be.
    var waiting = new Closed(before.bucket(), Long.MAX_VALUE);
    closed.get(ring).add(waiting);
    store.close(ring.kind(), before.bucket(), Long.MAX_VALUE);
    open(store, ring);
    short next = open.get(ring).bucket();
    long newest = 0;
    for (var lane : term.lanes()) {
      // What went to the slot before is durable when this returns, and older than what it returns.
      newest =
          Math.max(
              newest,
              Retention.on(
                  term,
                  lane,
                  l -> {
                    l.buckets.moveOn(ring, next);
                    return l.createdAtMicros();
                  }));
    }
    store.close(ring.kind(), before.bucket(), newest);
    closed.get(ring).remove(waiting);
    closed.get(ring).add(new Closed(before.bucket(), newest));
  }

  private boolean isWritten(Ring ring) {
    for (var lane : term.lanes()) {
      if (Retention.on(term, lane, l -> l.buckets.isWritten(ring))) {
        return true;
      }
    }
    return false;
  }

  private void empty(BucketStore store, Ring ring, long now) throws SQLException {
    for (var slot : List.copyOf(closed.get(ring))) {
      long age = now - slot.newestMicros;
      boolean dead =
          ring.kind() == Kind.HASHES
              ? age > ring.longestLifeSeconds() * MICROS
              : age > ring.periodSeconds() * MICROS / 2 && isDead(store, ring, slot, age);
      if (dead && truncate(store, ring, slot)) {
        closed.get(ring).remove(slot);
      }
    }
  }

  /** Whether nothing in a slot is wanted; moves on what has outlived it. */
  private boolean isDead(BucketStore store, Ring ring, Closed slot, long age) throws SQLException {
    boolean overdue = age > (ring.longestLifeSeconds() + ring.periodSeconds()) * MICROS;
    int moved = 0;
    while (true) {
      var holdings = store.scan(slot.bucket, slot.wantedFrom, SCAN_PARTITIONS_MAX);
      for (var holding : holdings) {
        if (holding.isWanted()) {
          // What is before it stays dead.
          slot.wantedFrom = holding.partitionId();
          moved += overdue ? store.move(slot.bucket, holding, batchSize - moved) : 0;
          if (!overdue || moved >= batchSize || stays(store, slot, holding)) {
            return false;
          }
        }
      }
      if (holdings.size() < SCAN_PARTITIONS_MAX) {
        return true;
      }
      slot.wantedFrom = holdings.getLast().partitionId() + 1;
    }
  }

  private static boolean stays(BucketStore store, Closed slot, Holding holding)
      throws SQLException {
    return store.scan(slot.bucket, holding.partitionId(), 1).stream()
        .anyMatch(now -> now.partitionId() == holding.partitionId() && now.isWanted());
  }

  private static boolean truncate(BucketStore store, Ring ring, Closed slot) throws SQLException {
    try {
      store.truncate(ring.kind(), slot.bucket);
      LOG.debug("emptied slot {} of ring {}", slot.bucket, ring);
      return true;
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }
}
