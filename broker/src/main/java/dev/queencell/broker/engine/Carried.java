package dev.queencell.broker.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Requests that outlive a term which ended because PostgreSQL refused a commit for what was in it.
 * Nothing of that commit is written, so that they may be done anew: those that it carried are
 * repeated one by one, each with a commit of its own, and so the one that is at fault fails alone;
 * those that only waited go on waiting. Thread-safe.
 */
final class Carried {
  /** A waiting pop that was in this many refused commits is let go. */
  private static final int STRIKES_MAX = 3;

  private final Set<Place> repeated = new LinkedHashSet<>();
  private final Set<Place> waiting = new LinkedHashSet<>();

  private record Place(int lane, Work work) {}

  /**
   * A lane's commit was refused.
   *
   * @param inCommit whose work was in it
   * @param behind who had not had their turn yet
   */
  synchronized void refused(Lane lane, List<Work> inCommit, List<Work> behind) {
    if (inCommit.size() == 1 && inCommit.getFirst().strikes > 0) {
      // It was alone with itself, and has had its second try.
      inCommit.getFirst().fail();
    } else {
      for (var work : inCommit) {
        work.strikes++;
        if (work instanceof PopWork) {
          // Alone it would only wait: it follows when the others are done.
          waits(lane, work);
        } else if (work.again()) {
          repeated.add(new Place(lane.number, work));
        } else {
          work.fail();
        }
      }
    }
    behind.forEach(work -> waits(lane, work));
  }

  /** A work waited in a term that ends. */
  synchronized void waits(Lane lane, Work work) {
    if (work.strikes < STRIKES_MAX && work.again()) {
      waiting.add(new Place(lane.number, work));
    } else {
      work.refuse(CellTerm.over());
    }
  }

  /** Gives each lane of a new term what is its own; before their threads are started. */
  synchronized void handOver(CellTerm term) {
    for (var place : repeated) {
      term.lanes().get(place.lane()).repeat(place.work());
    }
    for (var place : waiting) {
      term.post(term.lanes().get(place.lane()), place.work());
    }
    repeated.clear();
    waiting.clear();
  }

  /** There is no term to go on in. */
  synchronized void refuse() {
    var all = new ArrayList<>(repeated);
    all.addAll(waiting);
    repeated.clear();
    waiting.clear();
    all.forEach(place -> place.work().refuse(CellTerm.over()));
  }
}
