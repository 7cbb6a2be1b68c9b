package dev.queencell.broker.engine;

import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Segment;
import dev.queencell.broker.store.SegmentReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Reads for a lane what is not in its memory, beside it: the lane goes on, and the result comes
 * back as work of its own. A read begins only after the commit that was open when it was asked for,
 * so that it sees everything the lane's memory knew then: what is not found is truly gone.
 *
 * <p>Asked by the lane's thread; one session and one thread per lane, one read at a time.
 */
final class ColdReader {
  private static final int FETCH_SEGMENTS_MAX = 256;
  private static final long FETCH_BYTES_MAX = 4L * 1024 * 1024;

  /** An acknowledgement's message is looked for in no more segments than this. */
  private static final int LOOKUP_SEGMENTS_MAX = 5_000;

  private static final int LOOKUP_STEP_SEGMENTS = 100;

  private final Lane lane;
  private final CellTerm term;
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final ExecutorService executor;
  private volatile Connection connection;

  ColdReader(Lane lane, CellTerm term) {
    this.lane = lane;
    this.term = term;
    this.executor =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("reader-" + lane.number).factory());
  }

  /** A read; runs on the reader's thread. */
  interface Question<T> {
    T ask(Connection connection) throws SQLException;
  }

  private interface Reading<T> {
    T read(SegmentReader reader) throws SQLException;
  }

  /**
   * Brings the segments from an offset on into the cache, adds them to what was fetched for the
   * cursor, and makes it ready.
   */
  void fetch(GroupCursor cursor, long from, int messages) {
    var partition = cursor.partition;
    var place = partition.place();
    long to = Math.min(partition.nextOffset, from + messages);
    cursor.fetching = true;
    cursor.group.fetching++;
    int moves = cursor.moves;
    read(
        reader -> reader.forward(place, from, to, FETCH_SEGMENTS_MAX, FETCH_BYTES_MAX),
        segments -> {
          segments.forEach(segment -> lane.cache().add(partition, segment));
          long found = segments.isEmpty() ? to : segments.getFirst().base();
          if (cursor.moves == moves) {
            var fetched = new ArrayList<>(cursor.fetched);
            fetched.addAll(segments);
            cursor.fetched = fetched;
          }
          if (cursor.moves == moves && found > from) {
            // Retention has taken what was between: it is stepped over.
            cursor.skipTo = Math.max(cursor.skipTo, found);
          }
          lane.delivery.fetched(cursor);
        });
  }

  /**
   * Brings the newest segment below an offset that is not younger than an instant, for a group that
   * wants only the newest message, and makes its cursor ready.
   */
  void newest(GroupCursor cursor, long before, long notAfterMicros) {
    var partition = cursor.partition;
    cursor.fetching = true;
    cursor.group.fetching++;
    int moves = cursor.moves;
    read(
        reader -> reader.newest(partition.id, before, notAfterMicros),
        found -> {
          if (cursor.moves == moves) {
            // An empty segment says that nothing was found.
            cursor.fetched = List.of(found.orElse(new Segment(0, 0, Long.MAX_VALUE, new byte[0])));
          }
          lane.delivery.fetched(cursor);
        });
  }

  /** Reads whatever a part of the lane wants to know, on this reader's session. */
  <T> void ask(Question<T> question, Consumer<T> then) {
    afterCommit.add(() -> executor.execute(() -> run(question, then)));
  }

  /** Finds the id of one message; the zero id when it is gone. */
  void messageId(Partition partition, long offset, Consumer<UUID> then) {
    var place = partition.place();
    read(
        reader -> {
          var segments = reader.forward(place, offset, offset + 1, 1, FETCH_BYTES_MAX);
          if (segments.isEmpty() || segments.getFirst().base() > offset) {
            return PushOutcome.UNKNOWN_ID;
          }
          return frameAt(segments.getFirst(), offset).id();
        },
        then);
  }

  /** Reads the span {@code (after, end]} into the cache, for an acknowledgement. */
  void span(Partition partition, long after, long end, Consumer<List<Segment>> then) {
    var place = partition.place();
    read(
        reader -> reader.forward(place, after + 1, end + 1, Limits.BATCH_MAX, Long.MAX_VALUE),
        then);
  }

  /**
   * Looks for transaction keys in a partition's segments, newest first, until all have been seen at
   * or below {@code committed}, or nothing is left that is young enough.
   */
  void lookup(
      Partition partition,
      Set<TransactionKey> keys,
      long committed,
      long sinceMicros,
      Consumer<Map<TransactionKey, AckLookup.Found>> then) {
    var place = partition.place();
    long first = partition.firstOffset;
    long before = partition.nextOffset;
    read(
        reader -> {
          var lookup = new AckLookup(keys, committed);
          long below = before;
          for (int seen = 0; seen < LOOKUP_SEGMENTS_MAX && !lookup.isDone(below); ) {
            var step = reader.backward(place, first, below, sinceMicros, LOOKUP_STEP_SEGMENTS);
            if (step.isEmpty()) {
              break;
            }
            step.forEach(lookup::scan);
            seen += step.size();
            below = step.getLast().base();
          }
          return new HashMap<>(lookup.found());
        },
        then::accept);
  }

  /** Finds for each partition of a queue the first offset written since an instant, if any. */
  void startsSince(Queue queue, long sinceMicros, Consumer<Map<Long, Long>> then) {
    read(reader -> reader.firstOffsetsSince(queue.id, sinceMicros), then);
  }

  /** Finds the first offset at or after {@code from} written since an instant; or the end. */
  void startSince(Partition partition, long from, long sinceMicros, Consumer<Long> then) {
    var place = partition.place();
    long to = partition.nextOffset;
    read(reader -> reader.firstSince(place, from, to, sinceMicros), then);
  }

  static Frames.Reader frameAt(Segment segment, long offset) {
    var frame = new Frames.Reader(segment.frames());
    frame.skip((int) (offset - segment.base()));
    frame.next();
    return frame;
  }

  private <T> void read(Reading<T> reading, Consumer<T> then) {
    ask(connection -> reading.read(new SegmentReader(connection)), then);
  }

  /** Starts what was asked for during the pass; its commit is durable. */
  void start() {
    if (!afterCommit.isEmpty()) {
      afterCommit.forEach(Runnable::run);
      afterCommit.clear();
    }
  }

  private <T> void run(Question<T> question, Consumer<T> then) {
    try {
      if (connection == null) {
        connection = term.openReader(lane.number);
      }
      lane.counters.coldReads.increment();
      var value = question.ask(connection);
      lane.inbox.put(
          new LaneTask<>(
              null,
              l -> {
                then.accept(value);
                return null;
              }));
    } catch (SQLException | RuntimeException e) {
      term.readFailed(lane, e);
    }
  }

  /** Whether it has opened its session, which it does when it is first needed. */
  boolean isOpen() {
    return connection != null;
  }

  void close() {
    executor.execute(
        () -> {
          try {
            if (connection != null) {
              connection.close();
            }
          } catch (SQLException e) {
            // It is gone, which is what was wanted.
          }
        });
    executor.shutdown();
  }
}
