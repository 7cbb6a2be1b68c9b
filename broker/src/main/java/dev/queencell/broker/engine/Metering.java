package dev.queencell.broker.engine;

import dev.queencell.broker.store.QueueCounts;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the metrics pages show beside {@link EngineStats}. Thread-safe; never waits for a lane. */
public interface Metering {
  /** A tenant's counters since the start of the process. */
  record TenantCounts(
      long pushRequests,
      long pushMessages,
      long popMessages,
      long acksSucceeded,
      long acksFailed,
      long deadLetters) {}

  /** A queue in the newest minute that its lane has written. */
  record QueueMinute(UUID tenant, String queue, QueueCounts counts) {}

  /**
   * The newest minutes of all lanes.
   *
   * @param ageSeconds since the end of the oldest of them; -1 when there is none
   */
  record LastMinute(long ageSeconds, List<QueueMinute> queues) {}

  /**
   * Sessions to the database.
   *
   * @param idle open and waiting for somebody who reads
   */
  record Sessions(int open, int idle) {}

  /** What serves: its version, and the settings that decide how it performs. */
  record Server(String version, Map<String, String> settings) {}

  /**
   * How works of one kind came in and shared commits, since the start of the process.
   *
   * @param waiting for their lane, now
   * @param admitted taken up by their lane
   * @param waitNanos what those waited in all
   * @param commits that carried at least one
   * @param requests that were carried
   * @param messages of those
   */
  record Works(
      long waiting, long admitted, long waitNanos, long commits, long requests, long messages) {}

  /** Dead letters of a queue that has some. */
  record QueueDepth(UUID tenant, String queue, long deadLetters) {}

  Works works(WorkKind kind);

  /** The queues that have dead letters, by the counts that are kept with every change. */
  List<QueueDepth> deadLetters();

  /**
   * What autopilot chose since the start of the process.
   *
   * @param pops for which it chose how many partitions
   * @param partitions the sum of what it chose
   */
  record Autopilot(long pops, long partitions) {}

  /**
   * What autopilot chose.
   *
   * @param applied whether pops were served by it, else what it would have chosen
   */
  Autopilot autopilot(boolean applied);

  /** Counters per tenant, of those beyond the limit under one name. */
  Map<String, TenantCounts> tenants();

  /** Queues to which something happened in the newest minute that is over. */
  LastMinute lastMinute();

  Sessions sessions();

  /** PostgreSQL as it was a few minutes ago at most; null while it does not answer. */
  Server server();
}
