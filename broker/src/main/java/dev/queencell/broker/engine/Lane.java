package dev.queencell.broker.engine;

import dev.queencell.broker.journal.Commit;
import dev.queencell.broker.journal.Journal;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.broker.store.Rows.HashRow;
import dev.queencell.broker.store.Rows.SegmentRow;
import dev.queencell.broker.store.SegmentCodec;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A commit lane: one thread that owns a share of the queues, decides everything about them in
 * memory, and makes its decisions durable with one transaction at a time.
 *
 * <p>The loop: gather what waits; let each piece of work decide; seal the new segments; hand ready
 * lanes to waiting consumers; write one commit; answer everybody it carried. So a lone request
 * commits at once, while a transaction is in flight the next one fills, and a push whose consumer
 * is parked is appended and leased by the same commit. Memory runs ahead of the commit; when a
 * commit fails, the whole term's memory is dropped and loaded anew, so that it never holds what
 * PostgreSQL does not.
 */
final class Lane implements Runnable {
  private static final int COMMIT_WORKS_MAX = 4_096;
  private static final long COMMIT_BYTES_MAX = 8L * 1024 * 1024;
  private static final long CHECKPOINT_INTERVAL_NANOS = 5_000_000_000L;
  private static final int CHECKPOINT_ROWS_MAX = 10_000;
  private static final long WAIT_NANOS_MAX = 3_600_000_000_000L;

  final int number;
  final Inbox inbox;
  final Timers timers = new Timers();
  final Directory directory;
  final Delivery delivery;
  final ColdReader reader;
  final DedupWindows dedup;
  final Sealing sealing;
  final History history = new History(this);
  final Expiry expiry;
  final LaneBuckets buckets = new LaneBuckets();
  final EngineCounters counters;
  int messagesAppended;

  private final CellTerm term;
  private final Journal journal;
  private final LaneClock clock;
  private final TailCache cache;
  private final SegmentCodec codec = new SegmentCodec();
  private final IdMint mint = new IdMint();
  private final Consumer<Runnable> answering;
  private final List<Work> answers = new ArrayList<>();
  private final ArrayDeque<Work> repeated = new ArrayDeque<>();

  /** Which of the gathered works is being processed; their number when all have been. */
  private int turn;

  private final Set<Work> held = new HashSet<>();
  private final List<Partition> opened = new ArrayList<>();
  private final List<GroupCursor> dirtyCursors = new ArrayList<>();
  private final List<Partition> checkpointDue = new ArrayList<>();
  private final List<Partition> contentsChanged = new ArrayList<>();
  private Commit commit = new Commit();
  private long createdAtMicros;
  private long nextCheckpointNanos;
  private volatile boolean stopping;
  private volatile long cacheBytes;
  private volatile long partitionCount;

  Lane(int number, CellTerm term, Journal journal, LaneClock clock, EngineConfig config) {
    this.number = number;
    this.term = term;
    this.journal = journal;
    this.clock = clock;
    this.counters = term.counters;
    this.inbox = new Inbox(counters.works);
    this.sealing = new Sealing(config.cipher());
    this.directory = new Directory(this, term);
    this.answering = config.answering();
    this.cache = new TailCache(config.tailCacheBytes() / config.lanes(), directory::partitionCount);
    this.delivery = new Delivery(this);
    this.reader = new ColdReader(this, term);
    this.expiry = new Expiry(this, config.retention());
    this.dedup = new DedupWindows(this, config.dedupBytes() / config.lanes());
  }

  @Override
  public void run() {
    var works = new ArrayList<Work>();
    try {
      for (var work = repeated.poll(); work != null && !stopping; work = repeated.poll()) {
        works.add(work);
        pass(works);
        works.clear();
      }
      while (!stopping) {
        long now = System.nanoTime();
        long wait = timers.untilNextNanos(now, untilCheckpointNanos(now));
        inbox.gather(works, wait, COMMIT_WORKS_MAX, COMMIT_BYTES_MAX);
        pass(works);
        works.clear();
      }
      stopInOrder();
    } catch (SQLException | RuntimeException | InterruptedException e) {
      term.failed(this, e, works, turn, new ArrayList<>(answers), commit);
    } finally {
      codec.close();
    }
  }

  /** Decides, commits and answers once. */
  private void pass(List<Work> works) throws SQLException {
    long now = System.nanoTime();
    createdAtMicros = clock.stamp(now);
    for (turn = 0; turn < works.size(); turn++) {
      works.get(turn).process(this);
    }
    timers.fire(now);
    sealSegments();
    delivery.match(now);
    flush(now);
  }

  /** Writes the open commit, if there is anything in it, and answers what it carried. */
  void flush(long nanoTime) throws SQLException {
    sealCommit(nanoTime);
    addCheckpoint(nanoTime);
    addContents();
    if (!commit.isEmpty()) {
      long start = System.nanoTime();
      journal.write(commit);
      counters.committed(System.nanoTime() - start, messagesAppended);
      counters.works.committed(answers);
      messagesAppended = 0;
      commit = new Commit();
      // What this pass still appends is of another segment, and of a later time.
      createdAtMicros = clock.stamp(System.nanoTime());
      dedup.trim();
    }
    cacheBytes = cache.bytes();
    partitionCount = directory.partitionCount();
    reader.start();
    // An answer may add work for the next pass, never for this list.
    if (!answers.isEmpty()) {
      var answered = new ArrayList<>(answers);
      answers.clear();
      answering.accept(() -> answered.forEach(work -> work.answer(this)));
    }
  }

  /**
   * Writes, with this lane's commit, also what other lanes have decided, and answers what it
   * carried. The other lanes stand still.
   */
  void flushFor(List<Lane> lanes) throws SQLException {
    long now = System.nanoTime();
    for (var other : lanes) {
      if (other != this) {
        other.sealCommit(now);
        commit.addAll(other.commit);
        messagesAppended += other.messagesAppended;
        other.messagesAppended = 0;
        other.commit = new Commit();
      }
    }
    flush(now);
  }

  private void sealCommit(long nanoTime) {
    sealSegments();
    for (var cursor : dirtyCursors) {
      cursor.dirty = false;
      cursor.revision++;
      commit.cursor(cursor.toRow(nanoTime));
    }
    dirtyCursors.clear();
  }

  private void sealSegments() {
    for (var partition : opened) {
      var open = partition.open;
      partition.open = null;
      var segment = open.seal(createdAtMicros);
      var packed = codec.pack(segment.frames());
      commit.segment(
          new SegmentRow(
              partition.id,
              segment.base(),
              segment.count(),
              packed.codec(),
              buckets.bucket(partition.queue.segmentRing),
              createdAtMicros,
              packed.bytes()));
      var keys = open.keyBytes();
      if (keys != null) {
        commit.hashes(
            new HashRow(
                partition.id,
                segment.base(),
                buckets.bucket(partition.queue.hashRing),
                createdAtMicros,
                keys));
      }
      cache.add(partition, segment);
      partition.sealed(createdAtMicros, packed.bytes().length);
      checkpointDue(partition);
      expiry.watch(partition);
      delivery.appended(partition);
    }
    opened.clear();
  }

  /** The partition's stored next offset is behind what its segments say. */
  void checkpointDue(Partition partition) {
    if (!partition.checkpointDue) {
      partition.checkpointDue = true;
      checkpointDue.add(partition);
    }
  }

  /**
   * Appends a message to the open commit; its offset is fixed from here on.
   *
   * @param traceId null for none
   * @param key of the transaction id that the client chose, or null
   */
  void append(Partition partition, UUID id, PushItem item, UUID traceId, TransactionKey key) {
    if (partition.open == null) {
      partition.open = new OpenSegment(partition.nextOffset);
      opened.add(partition);
    }
    boolean deduplicates = key != null && partition.queue.options.dedupWindowSeconds() > 0;
    if (deduplicates) {
      dedup.add(partition, key, partition.nextOffset, createdAtMicros);
    }
    var stored = sealing.stored(item, partition.queue.options);
    partition.open.add(id, stored, traceId, deduplicates ? key : null);
    partition.nextOffset++;
    partition.queue.size.grew();
  }

  /** The id of a message whose segment is open or cached; null when it must be read. */
  UUID idInMemory(Partition partition, long offset) {
    if (partition.open != null && offset >= partition.open.base) {
      return partition.open.idAt(offset);
    }
    var segment = partition.cachedAt(offset);
    if (segment == null) {
      return null;
    }
    var frame = new Frames.Reader(segment.frames());
    frame.skip((int) (offset - segment.base()));
    frame.next();
    return frame.id();
  }

  private void addCheckpoint(long nanoTime) {
    if (checkpointDue.isEmpty() || nanoTime - nextCheckpointNanos < 0) {
      return;
    }
    boolean all = checkpointDue.size() <= CHECKPOINT_ROWS_MAX;
    var rows = all ? checkpointDue : checkpointDue.subList(0, CHECKPOINT_ROWS_MAX);
    for (var partition : rows) {
      partition.checkpointDue = false;
      if (!partition.contentsChanged) {
        commit.contents(partition.id, partition.contents());
      }
    }
    rows.clear();
    if (all) {
      commit.checkpoint(createdAtMicros + 1);
      nextCheckpointNanos = nanoTime + CHECKPOINT_INTERVAL_NANOS;
    }
  }

  private void addContents() {
    for (var partition : contentsChanged) {
      partition.contentsChanged = false;
      commit.contents(partition.id, partition.contents());
    }
    contentsChanged.clear();
  }

  /** Has a partition's row written with the open commit. */
  void contentsChanged(Partition partition) {
    if (!partition.contentsChanged) {
      partition.contentsChanged = true;
      contentsChanged.add(partition);
    }
  }

  /** Forgets the cached messages of a queue that goes. */
  void dropFromCache(Queue queue) {
    cache.drop(queue);
  }

  /** Removes a partition in which nothing is and at which nobody is. */
  void removePartition(Partition partition) {
    for (var cursor : partition.cursors()) {
      // Its place in a ready list may outlive it.
      cursor.committed = partition.nextOffset - 1;
    }
    directory.remove(partition);
    dedup.forget(partition);
    if (partition.checkpointDue) {
      checkpointDue.remove(partition);
    }
    history.add(partition.queue, QueueCount.PARTITIONS_DELETED, 1);
    commit.deletePartition(partition.id);
    term.retention().reclaim();
  }

  private long untilCheckpointNanos(long nanoTime) {
    return checkpointDue.isEmpty()
        ? WAIT_NANOS_MAX
        : Math.clamp(nextCheckpointNanos - nanoTime, 0, WAIT_NANOS_MAX);
  }

  private void stopInOrder() throws SQLException {
    long now = System.nanoTime();
    history.flush();
    delivery.endAllParked();
    delivery.leases().writeAll();
    nextCheckpointNanos = now;
    createdAtMicros = clock.stamp(now);
    flush(now);
  }

  /** Has the loop end after its pass; parked pops are answered, what is decided is committed. */
  void stop() {
    stopping = true;
    inbox.wake();
  }

  /** Remembers work that waits for a read, so that it can be refused if the term ends before. */
  void hold(Work work) {
    held.add(work);
  }

  /** Processes work anew whose read has come back. */
  void resume(Work work) {
    held.remove(work);
    try {
      work.process(this);
    } catch (SQLException e) {
      throw new LaneReadException(e);
    }
  }

  /** All that waits on this lane, for a read or for messages; after its thread has ended. */
  List<Work> waiting() {
    var waiting = new ArrayList<Work>(held);
    for (var pop : delivery.allParked()) {
      delivery.leave(pop);
      waiting.add(pop);
    }
    return waiting;
  }

  /** Work of a term before, to be done alone and first; before the thread is started. */
  void repeat(Work work) {
    repeated.add(work);
  }

  /** What was to be repeated and has not been; after the thread has ended. */
  List<Work> notRepeated() {
    return List.copyOf(repeated);
  }

  /** Puts work aside until the commit that carries it is durable. */
  void answerAfterCommit(Work work) {
    answers.add(work);
  }

  void dirty(GroupCursor cursor) {
    cursor.partition.usedAtSeconds = (int) (createdAtMicros / 1_000_000);
    expiry.completed(cursor.partition);
    if (cursor.lease != null) {
      cursor.lease.unwritten = false;
    }
    if (!cursor.dirty) {
      cursor.dirty = true;
      dirtyCursors.add(cursor);
    }
  }

  /** A queue is going: nothing of it may be written any more. */
  void dropFromCheckpoint(Queue queue) {
    checkpointDue.removeIf(partition -> partition.queue == queue);
  }

  CellTerm term() {
    return term;
  }

  Commit commit() {
    return commit;
  }

  Journal journal() {
    return journal;
  }

  TailCache cache() {
    return cache;
  }

  UUID mint() {
    return mint.next(createdAtMicros);
  }

  /** The message time of the commit that is being filled. */
  long createdAtMicros() {
    return createdAtMicros;
  }

  long partitionCount() {
    return partitionCount;
  }

  long cacheBytes() {
    return cacheBytes;
  }
}
