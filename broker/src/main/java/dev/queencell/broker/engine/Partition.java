package dev.queencell.broker.engine;

import dev.queencell.broker.store.Rows.Contents;
import dev.queencell.broker.store.Segment;
import dev.queencell.broker.store.SegmentReader.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * A lane of messages in memory: its watermarks, the segments of it that are cached, and the cursors
 * of the groups that read it. Touched by its queue's lane thread only.
 */
final class Partition {
  private static final GroupCursor[] NO_CURSORS = {};

  final Queue queue;
  final long id;
  final String name;
  final long createdAtMicros;

  /** Oldest kept offset and next offset to give; the latter counts messages of the open commit. */
  long firstOffset;

  long nextOffset;

  /** Messages gathered for the commit that is being filled; null when there are none. */
  OpenSegment open;

  DedupWindow window;
  boolean windowLoading;

  /** The window has been read in this term. */
  boolean windowRead;

  /** Works that need the window to stay. */
  int windowPins;

  /** Rows of {@code dead_letters} that came from here; see {@link #addDeadLetters}. */
  long deadLetters;

  boolean checkpointDue;

  /** Its row is to be written by the commit that is being filled. */
  boolean contentsChanged;

  /** Rows below {@link #firstOffset} may still be in the database. */
  boolean sweepDue;

  /** Something of it is too old, but not completed by every group. */
  boolean waitsForGroup;

  /** When a group last took or completed something, seconds since the epoch; 0 for unknown. */
  int usedAtSeconds;

  /** Sealed segments that it keeps, and their size as they are stored. */
  int segmentCount;

  long retainedBytes;

  /** Times of the oldest kept message, not younger than it is, and of the newest ever. */
  long oldestAtMicros;

  long newestAtMicros;

  /** Its place among those of which something becomes too old, or null. */
  Expiry.Entry due;

  private GroupCursor[] cursors = NO_CURSORS;

  /**
   * Cached segments by offset. Not always contiguous: groups far apart read in different places. A
   * list of its own only while there are some: most lanes of many have none.
   */
  private List<Segment> cached = Collections.emptyList();

  Partition(Queue queue, long id, String name, long createdAtMicros, Contents contents) {
    this.queue = queue;
    this.id = id;
    this.name = name;
    this.createdAtMicros = createdAtMicros;
    this.firstOffset = contents.firstOffset();
    this.nextOffset = contents.nextOffset();
    this.segmentCount = contents.segments();
    this.retainedBytes = contents.bytes();
    this.oldestAtMicros = contents.oldestAtMicros();
    this.newestAtMicros = contents.newestAtMicros();
    this.sweepDue = contents.sweepDue();
  }

  /** What its row says; true between passes, when no segment is open. */
  Contents contents() {
    return new Contents(
        firstOffset,
        nextOffset,
        segmentCount,
        retainedBytes,
        oldestAtMicros,
        newestAtMicros,
        sweepDue);
  }

  /** A segment has been sealed. */
  void sealed(long createdAt, int packedBytes) {
    if (segmentCount == 0) {
      oldestAtMicros = createdAt;
    }
    newestAtMicros = createdAt;
    segmentCount++;
    retainedBytes += packedBytes;
  }

  /** It has so many dead letters more, or less. */
  void addDeadLetters(long more) {
    deadLetters += more;
    queue.deadLetters.addAndGet(more);
  }

  /** Where its segments are. */
  Place place() {
    return new Place(id, queue.bucketMax);
  }

  /** Where its transaction keys are. */
  Place hashPlace() {
    return new Place(id, queue.hashBucketMax);
  }

  /** There is nothing in it, and nobody is at it. */
  boolean isIdle() {
    if (firstOffset < nextOffset || sweepDue || windowLoading || windowPins > 0) {
      return false;
    }
    for (var cursor : cursors) {
      if (cursor.lease != null || cursor.fetching || cursor.dirty) {
        return false;
      }
    }
    return true;
  }

  UUID uuid() {
    return new PartitionId(queue.id, id).toUuid();
  }

  /** The cursor of a group, or null. */
  GroupCursor cursor(Group group) {
    for (var cursor : cursors) {
      if (cursor.group == group) {
        return cursor;
      }
    }
    return null;
  }

  GroupCursor addCursor(Group group, long committed) {
    var cursor = new GroupCursor(group, this, committed);
    var grown = java.util.Arrays.copyOf(cursors, cursors.length + 1);
    grown[cursors.length] = cursor;
    cursors = grown;
    return cursor;
  }

  void removeCursor(GroupCursor cursor) {
    cursor.gone = true;
    cursors = java.util.Arrays.stream(cursors).filter(c -> c != cursor).toArray(GroupCursor[]::new);
  }

  GroupCursor[] cursors() {
    return cursors;
  }

  /** The cached segment that holds an offset, or null. */
  Segment cachedAt(long offset) {
    int at = indexBefore(offset + 1);
    if (at < 0) {
      return null;
    }
    var segment = cached.get(at);
    return offset < segment.end() ? segment : null;
  }

  /** Keeps a segment; false when it is there already. */
  boolean cache(Segment segment) {
    int at = indexBefore(segment.base() + 1);
    if (at >= 0 && cached.get(at).base() == segment.base()) {
      return false;
    }
    if (cached.isEmpty()) {
      cached = new ArrayList<>(1);
    }
    cached.add(at + 1, segment);
    return true;
  }

  void uncache(Segment segment) {
    int at = indexBefore(segment.base() + 1);
    if (at >= 0 && cached.get(at).base() == segment.base()) {
      cached.remove(at);
      letGoIfEmpty();
    }
  }

  /** Forgets cached segments that lie below an offset. */
  void uncacheBelow(long offset) {
    cached.removeIf(segment -> segment.end() <= offset);
    letGoIfEmpty();
  }

  private void letGoIfEmpty() {
    if (cached.isEmpty()) {
      cached = Collections.emptyList();
    }
  }

  /** Index of the last cached segment whose base is below {@code offset}; -1 for none. */
  private int indexBefore(long offset) {
    int low = 0;
    int high = cached.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (cached.get(middle).base() < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }
}
