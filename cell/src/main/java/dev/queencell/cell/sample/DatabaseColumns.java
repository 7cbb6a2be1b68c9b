package dev.queencell.cell.sample;

import java.util.List;

/** The columns of {@code .pg.csv}, named as the SQL resources name them. */
final class DatabaseColumns {
  static final List<String> COUNTERS =
      List.of(
          "commits",
          "rollbacks",
          "blocksRead",
          "blocksHit",
          "tuplesReturned",
          "tuplesFetched",
          "tuplesInserted",
          "tuplesUpdated",
          "tuplesDeleted",
          "tempBytes",
          "walRecords",
          "walFullPageImages",
          "walBytes",
          "walBuffersFull",
          "walWrites",
          "walWriteMicros",
          "walFsyncs",
          "walFsyncMicros",
          "checkpointsTimed",
          "checkpointsRequested",
          "checkpointWriteMs",
          "checkpointSyncMs",
          "checkpointBuffers",
          "autovacuums",
          "autoanalyzes");

  /** Read more rarely than the counters, so that most lines lack them. */
  static final List<String> STATES = List.of("databaseBytes", "liveTuples", "deadTuples");

  private DatabaseColumns() {}
}
