package dev.queencell.broker.engine;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The pops of one commit lane that wait for reads, so that they are not answered with less than
 * they asked for while there is more: a pop that meets lanes whose next segments are not in memory
 * takes nothing until they are, then all of it at once. Bounded by rounds of reading and by the
 * pop's own time; after that it takes what is there. Used by the lane's thread.
 */
final class Gatherings {
  /** A pop has lanes read for it so many times. */
  private static final int ROUNDS_MAX = 64;

  private final Map<PopWork, Gathering> byPop = new HashMap<>();

  private static final class Gathering {
    /** All that were read for it, and those of the newest round. */
    final Set<GroupCursor> cursors = new HashSet<>();

    Set<GroupCursor> awaited = Set.of();
    int rounds;
    boolean over;
  }

  /** Whether a pop may wait for more reads. */
  boolean goesOn(PopWork pop) {
    var gathering = byPop.get(pop);
    return gathering == null || (gathering.rounds < ROUNDS_MAX && !gathering.over);
  }

  /** Whether a pop has had lanes read for it. */
  boolean isKnown(PopWork pop) {
    return byPop.containsKey(pop);
  }

  /** Whether reads are under way that a pop waits for. */
  boolean isReading(PopWork pop) {
    var gathering = byPop.get(pop);
    return gathering != null
        && !gathering.over
        && gathering.awaited.stream().anyMatch(cursor -> cursor.fetching);
  }

  /** A round has set off reads. */
  void round(PopWork pop, Set<GroupCursor> cursors) {
    var gathering = byPop.computeIfAbsent(pop, key -> new Gathering());
    gathering.cursors.addAll(cursors);
    gathering.awaited = Set.copyOf(cursors);
    gathering.rounds++;
  }

  /** Has a pop take what is there from here on; true when it was waiting for more. */
  boolean lastCall(PopWork pop) {
    var gathering = byPop.get(pop);
    boolean waited = gathering != null && !gathering.over;
    if (waited) {
      gathering.over = true;
    }
    return waited;
  }

  /** A pop is served or gone; what was read for it and not taken stays in the cache only. */
  void end(PopWork pop) {
    var gathering = byPop.remove(pop);
    if (gathering != null) {
      for (var cursor : gathering.cursors) {
        if (!cursor.fetching) {
          cursor.fetched = List.of();
        }
      }
    }
  }
}
