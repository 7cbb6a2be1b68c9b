package dev.queencell.broker.engine;

import dev.queencell.broker.journal.Journal;
import dev.queencell.broker.store.Database;
import dev.queencell.broker.store.Rows.CursorRow;
import dev.queencell.broker.store.Rows.PartitionRow;
import dev.queencell.broker.store.Rows.QueueRow;
import dev.queencell.broker.store.StateLoader;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Builds a term's memory from PostgreSQL, after the fence has been cleared and before anybody is
 * served. Leases that are still alive stay with their holders, for what is left of them.
 */
final class TermLoader {
  private final Database database;
  private final EngineConfig config;
  private final Carried carried;
  private final Map<Long, Group> groups = new HashMap<>();
  private final Map<Long, Partition> partitions = new HashMap<>();
  private CellTerm term;

  TermLoader(Database database, EngineConfig config, Carried carried) {
    this.carried = carried;
    this.database = database;
    this.config = config;
  }

  /** Loads; the lanes' threads are not started yet. */
  CellTerm load(long epoch, EngineCounters counters) throws SQLException {
    try (var connection = database.open("loader")) {
      var loader = new StateLoader(connection);
      var ids = loader.highestIds();
      term = new CellTerm(epoch, database, counters, ids, carried);
      openLanes(epoch, ids.createdAtMicros());
      term.setRetention(
          Retention.open(term, database, config.retention(), clock(ids.createdAtMicros())));
      loader.queues(this::add);
      loader.groups(
          row -> {
            var queue = term.queue(row.queueId());
            if (queue != null) {
              var group = new Group(queue, row);
              queue.groups.put(row.name(), group);
              groups.put(row.id(), group);
            }
          });
      loader.partitions(config.lanes(), this::add);
      loader.cursors(Limits.LEASE_SECONDS_MAX * 1_000L, this::add);
      loader.deadLetters(
          row -> {
            var partition = partitions.get(row.partitionId());
            if (partition != null) {
              partition.addDeadLetters(row.count());
            }
          });
      loader.end();
      placeMissingCursors();
      return term;
    } catch (SQLException | RuntimeException e) {
      if (term != null) {
        term.lanes().forEach(lane -> lane.journal().close());
        term.closeRetention();
      }
      throw e;
    }
  }

  private void openLanes(long epoch, long newestMicros) throws SQLException {
    var lanes = new ArrayList<Lane>();
    // One instant for all: lanes that read the time apart would differ by what opening them takes.
    long wallMicros = wallMicros();
    long nanoTime = System.nanoTime();
    for (int number = 0; number < config.lanes(); number++) {
      var clock = new LaneClock(wallMicros, newestMicros, nanoTime);
      var journal = Journal.open(database, number, epoch, config.watch());
      lanes.add(new Lane(number, term, journal, clock, config));
      term.setLanes(lanes);
    }
  }

  private static LaneClock clock(long newestMicros) {
    return new LaneClock(wallMicros(), newestMicros, System.nanoTime());
  }

  private static long wallMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private void add(QueueRow row) {
    var lane = term.laneOf(row.tenant(), row.name());
    var queue =
        new Queue(
            row.id(),
            new Queue.Key(row.tenant(), row.name()),
            row.namespace(),
            row.task(),
            OptionsJson.read(row.optionsJson()),
            row.createdAtMicros(),
            lane);
    queue.mayBeIn(row.bucketMax(), row.hashBucketMax());
    lane.directory.add(queue);
  }

  private void add(PartitionRow row) {
    var queue = term.queue(row.queueId());
    if (queue != null) {
      var partition =
          new Partition(queue, row.id(), row.name(), row.createdAtMicros(), row.contents());
      queue.lane.directory.add(queue, partition);
      queue.lane.expiry.watch(partition);
      partitions.put(row.id(), partition);
      if (row.rolledForward()) {
        // Its next offset came from segments that the next checkpoint's mark will cover.
        queue.lane.checkpointDue(partition);
      }
    }
  }

  private void add(CursorRow row) {
    var group = groups.get(row.groupId());
    var partition = partitions.get(row.partitionId());
    if (group == null || partition == null) {
      return;
    }
    var cursor = partition.addCursor(group, row.committed());
    cursor.revision = row.revision();
    cursor.attempts = row.attempts();
    cursor.attemptBase = row.attemptBase();
    cursor.retries = row.retries();
    if (row.leaseMs() > 0) {
      cursor.lease =
          new Lease(
              new UUID(row.leaseHigh(), row.leaseLow()),
              row.leaseEnd(),
              System.nanoTime() + row.leaseMs() * 1_000_000);
      group.queue.lane.delivery.leases().watch(cursor);
    }
  }

  /** A registered group without a row on a partition is at its beginning there. */
  private void placeMissingCursors() {
    for (var group : groups.values()) {
      for (var partition : group.queue.partitions.values()) {
        var cursor = partition.cursor(group);
        if (cursor == null && group.registered && group.seeded) {
          cursor = partition.addCursor(group, partition.firstOffset - 1);
        }
        if (cursor != null) {
          group.queue.lane.delivery.ready(cursor);
        }
      }
    }
  }
}
