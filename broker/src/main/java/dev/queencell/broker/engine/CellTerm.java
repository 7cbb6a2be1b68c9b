package dev.queencell.broker.engine;

import dev.queencell.broker.journal.Commit;
import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.FencedSession;
import dev.queencell.broker.store.StateLoader.HighestIds;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One uninterrupted ownership of the database: an epoch, its lanes and all that they hold in
 * memory. Begins with a load, ends with a stop in order or with the first failure; nothing of its
 * memory outlives it but the commits whose outcome is in doubt. Thread-safe.
 */
final class CellTerm {
  private static final Logger LOG = LoggerFactory.getLogger(CellTerm.class);
  private static final long JOIN_MS = 3_000;

  final long epoch;
  final EngineCounters counters;
  private final Database database;
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Long, Queue> queuesById = new ConcurrentHashMap<>();
  private final Set<UUID> ranked = ConcurrentHashMap.newKeySet();
  private final AtomicLong queueIds;
  private final AtomicLong partitionIds;
  private final AtomicLong groupIds;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<Doubt> doubts = new ArrayList<>();
  private final Semaphore meetings = new Semaphore(1, true);
  private final Semaphore deadLetterTurns = new Semaphore(1, true);
  private final Carried carried;
  private volatile boolean refusal;
  private LaneMeeting meeting;
  private final CellSampler sampler = new CellSampler(this);
  private final HistoryPruner pruner;
  private List<Lane> lanes = List.of();
  private Retention retention;

  /**
   * A commit that may or may not have happened, and who waits for the answer.
   *
   * @param sinceNanos when it was sent, at the latest
   */
  record Doubt(Commit commit, List<Work> answers, long sinceNanos) {}

  CellTerm(
      long epoch, Database database, EngineCounters counters, HighestIds ids, Carried carried) {
    this.carried = carried;
    this.epoch = epoch;
    this.database = database;
    this.counters = counters;
    this.pruner = new HistoryPruner(database);
    this.queueIds = new AtomicLong(ids.queueId());
    this.partitionIds = new AtomicLong(ids.partitionId());
    this.groupIds = new AtomicLong(ids.groupId());
  }

  void setLanes(List<Lane> all) {
    lanes = List.copyOf(all);
  }

  void setRetention(Retention ofTerm) {
    retention = ofTerm;
  }

  Retention retention() {
    return retention;
  }

  void closeRetention() {
    if (retention != null) {
      retention.close();
    }
  }

  void start() {
    retention.start();
    for (var lane : lanes) {
      threads.add(Thread.ofPlatform().name("lane-" + lane.number).start(lane));
    }
  }

  List<Lane> lanes() {
    return lanes;
  }

  /** The lane of a queue, whether it exists or not. */
  Lane laneOf(UUID tenant, String queueName) {
    return lanes.get(Math.floorMod(31 * tenant.hashCode() + queueName.hashCode(), lanes.size()));
  }

  /** Gives a lane work; refused at once when the term is over. */
  void post(Lane lane, Work work) {
    if (!lane.inbox.put(work)) {
      work.refuse(over());
    }
  }

  /** A queue by number, or null. */
  Queue queue(long id) {
    return queuesById.get(id);
  }

  /** All queues; what is fixed or atomic of them may be read anywhere. */
  Collection<Queue> queues() {
    return queuesById.values();
  }

  int queueCount() {
    return queuesById.size();
  }

  /** Whether queues of a tenant may differ in priority. */
  boolean ranks(UUID tenant) {
    return ranked.contains(tenant);
  }

  /** A queue has these options from here on. */
  void rank(Queue queue) {
    if (queue.options.priority() != 0) {
      ranked.add(queue.key.tenant());
    }
  }

  void register(Queue queue) {
    queuesById.put(queue.id, queue);
  }

  void unregister(Queue queue) {
    queuesById.remove(queue.id);
  }

  long nextQueueId() {
    return queueIds.incrementAndGet();
  }

  long nextPartitionId() {
    return partitionIds.incrementAndGet();
  }

  long nextGroupId() {
    return groupIds.incrementAndGet();
  }

  /** A session inside the fence: what is read may be written down again in another form. */
  Connection openReader(int lane) throws SQLException {
    return FencedSession.enter(database, "reader-" + lane, epoch);
  }

  /**
   * A lane's thread ends with a failure; the term ends with it.
   *
   * @param turn which of the works was being processed, if not all had been
   */
  void failed(
      Lane lane, Exception cause, List<Work> works, int turn, List<Work> answers, Commit commit) {
    if (ended.getCount() > 0) {
      LOG.warn("lane {} of epoch {} failed, reloading: {}", lane.number, epoch, text(cause));
      LOG.debug("cause", cause);
    }
    if (cause instanceof SQLException e && Database.rowsRefused(e)) {
      var inCommit = new ArrayList<>(answers);
      if (turn < works.size() && !inCommit.contains(works.get(turn))) {
        inCommit.add(works.get(turn));
      }
      int next = Math.min(turn + 1, works.size());
      carried.refused(lane, inCommit, works.subList(next, works.size()));
      refusal = true;
    } else {
      boolean inDoubt =
          cause instanceof SQLException e && Database.sessionLost(e) && !answers.isEmpty();
      if (inDoubt) {
        synchronized (doubts) {
          doubts.add(new Doubt(commit, answers, System.nanoTime()));
        }
      } else {
        answers.forEach(work -> work.refuse(over()));
      }
      for (var work : works) {
        if (!answers.contains(work)) {
          work.refuse(over());
        }
      }
    }
    finish();
  }

  /** A refused row is a tenant's data, which PostgreSQL's text would quote. */
  private static String text(Exception cause) {
    return cause instanceof SQLException e && Database.rowsRefused(e)
        ? "PostgreSQL refused a row, SQLSTATE " + e.getSQLState()
        : cause.toString();
  }

  void readFailed(Lane lane, Exception cause) {
    if (ended.getCount() > 0) {
      LOG.warn("a read of lane {} failed, reloading: {}", lane.number, cause.toString());
    }
    finish();
  }

  /** The ownership was lost. */
  void lost() {
    finish();
  }

  private void finish() {
    synchronized (meetings) {
      ended.countDown();
      if (meeting != null) {
        meeting.callOff();
      }
    }
  }

  /** The turn of transactions over several lanes: one at a time. */
  Semaphore meetings() {
    return meetings;
  }

  /** The turn of those who remove dead letters: one at a time. */
  Semaphore deadLetterTurns() {
    return deadLetterTurns;
  }

  /** A meeting of lanes begins; it is called off should the term end before all are there. */
  void begin(LaneMeeting next) {
    synchronized (meetings) {
      meeting = next;
      if (ended.getCount() == 0) {
        next.callOff();
      }
    }
  }

  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  /**
   * Ends the term: lanes finish the commit they are at; everybody else is refused, or carried over
   * when it ends for a commit that PostgreSQL refused.
   *
   * @return the commits in doubt
   */
  List<Doubt> end() throws InterruptedException {
    finish();
    for (var lane : lanes) {
      lane.stop();
    }
    join();
    // A lane that still waits for its commit waits for a server that does not answer.
    lanes.forEach(lane -> lane.journal().close());
    join();
    retention.close();
    for (var lane : lanes) {
      lane.reader.close();
      var left = new ArrayList<>(lane.notRepeated());
      left.addAll(lane.waiting());
      left.addAll(lane.inbox.close());
      for (var work : left) {
        if (refusal) {
          carried.waits(lane, work);
        } else {
          work.refuse(over());
        }
      }
    }
    synchronized (doubts) {
      return List.copyOf(doubts);
    }
  }

  private void join() throws InterruptedException {
    for (var thread : threads) {
      thread.join(JOIN_MS);
    }
  }

  static EngineUnavailableException over() {
    return new EngineUnavailableException("the broker is reloading its state", null);
  }

  static EngineUnavailableException inDoubt() {
    return EngineUnavailableException.inDoubt("the database went away during the commit");
  }

  CellSampler sampler() {
    return sampler;
  }

  HistoryPruner pruner() {
    return pruner;
  }

  /** Sessions to the database that are open for the lanes and the ownership. */
  int sessions() {
    int open = 1;
    for (var lane : lanes) {
      open += lane.reader.isOpen() ? 2 : 1;
    }
    return open;
  }

  long inboxBytes() {
    return lanes.stream().mapToLong(lane -> lane.inbox.bytes()).sum();
  }

  long cacheBytes() {
    return lanes.stream().mapToLong(Lane::cacheBytes).sum();
  }

  /** As of the moment; the lanes go on. */
  long partitionCount() {
    return lanes.stream().mapToLong(Lane::partitionCount).sum();
  }
}
