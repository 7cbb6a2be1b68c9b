package dev.queencell.broker.engine;

import dev.queencell.broker.engine.BrowseTasks.Candidate;
import dev.queencell.broker.store.BrowseReader;
import dev.queencell.broker.store.BrowseReader.Head;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Walks over the segments of several partitions, newest first over all of them, from an instant
 * back to an instant. Merges the partitions by their next segment, so that it reads little more
 * than what is asked of it; where the instant lies in the past, each partition is entered by a
 * search, since time grows with the offset. Reads no frames. For one thread and one session.
 */
final class BrowseWalk {
  /** Segments that are read of a partition at once when its turn comes again. */
  private static final int STEP_SEGMENTS = 64;

  private final BrowseReader reader;
  private final long fromMicros;
  private final PriorityQueue<Strand> strands =
      new PriorityQueue<>(
          Comparator.<Strand>comparingLong(strand -> strand.next().createdAtMicros())
              .thenComparingLong(strand -> strand.candidate.partitionId())
              .reversed());

  /** A partition and what is known of the way back in it. */
  private static final class Strand {
    private final Candidate candidate;
    private final Deque<Head> known = new ArrayDeque<>();

    Strand(Candidate candidate, Head first) {
      this.candidate = candidate;
      known.add(first);
    }

    Head next() {
      return known.getFirst();
    }
  }

  /** A segment of a candidate. */
  record Step(Candidate candidate, Head head) {}

  BrowseWalk(BrowseReader reader, List<Candidate> candidates, long fromMicros, long toMicros)
      throws SQLException {
    this.reader = reader;
    this.fromMicros = fromMicros;
    var newest = newestBefore(candidates, toMicros);
    for (var candidate : candidates) {
      var head = newest.get(candidate.partitionId());
      if (head != null) {
        add(new Strand(candidate, head));
      }
    }
  }

  private void add(Strand strand) {
    var head = strand.next();
    if (head.createdAtMicros() >= fromMicros && head.end() > strand.candidate.firstOffset()) {
      strands.add(strand);
    }
  }

  /** The next segment; null at the end. */
  Step next() throws SQLException {
    var strand = strands.poll();
    if (strand == null) {
      return null;
    }
    var head = strand.known.removeFirst();
    if (strand.known.isEmpty() && head.base() > strand.candidate.firstOffset()) {
      strand.known.addAll(
          reader.headsBelow(strand.candidate.partitionId(), head.base(), STEP_SEGMENTS));
    }
    if (!strand.known.isEmpty()) {
      add(strand);
    }
    return new Step(strand.candidate, head);
  }

  /** One partition's span in the search for its newest segment before an instant. */
  private static final class Search {
    private final long partitionId;
    private long low;
    private long high;
    private Head found;

    Search(Candidate candidate) {
      this.partitionId = candidate.partitionId();
      this.low = candidate.firstOffset();
      this.high = candidate.nextOffset() - 1;
    }

    /** The end is looked at first: most often nothing is newer than the instant. */
    long probe(boolean first) {
      return first ? high : low + (high - low) / 2;
    }

    void see(Head head, long at, long toMicros) {
      if (head == null) {
        low = at + 1;
      } else if (head.createdAtMicros() < toMicros) {
        found = head;
        low = Math.max(at + 1, head.end());
      } else {
        high = Math.min(at, head.base()) - 1;
      }
    }
  }

  private Map<Long, Head> newestBefore(List<Candidate> candidates, long toMicros)
      throws SQLException {
    var searches = candidates.stream().map(Search::new).toList();
    var open = new ArrayList<>(searches);
    for (boolean first = true; !open.isEmpty(); first = false) {
      var ids = new long[open.size()];
      var offsets = new long[open.size()];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = open.get(i).partitionId;
        offsets[i] = open.get(i).probe(first);
      }
      var heads = reader.headsAt(ids, offsets);
      for (int i = 0; i < ids.length; i++) {
        open.get(i).see(heads.get(ids[i]), offsets[i], toMicros);
      }
      open.removeIf(search -> search.low > search.high);
    }
    var found = new HashMap<Long, Head>();
    searches.forEach(search -> found.put(search.partitionId, search.found));
    return found;
  }
}
