package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import dev.queencell.broker.store.Slice;
import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.testsupport.Await;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand queues to which nothing happens cost next to nothing. */
@Timeout(300)
class IdleCellIT {
  private static final UUID NEIGHBOUR = Neighbour.TENANT;
  private static final List<UUID> TENANTS = List.of(TENANT, NEIGHBOUR);
  private static final int QUEUES_PER_TENANT = 5_000;
  private static final int QUEUES = QUEUES_PER_TENANT * TENANTS.size();
  private static final int IDLE_SECONDS = 15;
  private static final Duration SETTLED_MAX = Duration.ofMinutes(3);

  /** Of one core; a bound for a busy test machine, far above what is printed on a quiet one. */
  private static final double CORE_SHARE_MAX = 0.05;

  @Test
  void anIdleCellOfTenThousandQueuesWritesNothing() throws Exception {
    try (var postgres = PostgresServer.disposable();
        var engine =
            CellEngine.open(
                new EngineConfig(
                    postgres.jdbcUrl("postgres"),
                    PostgresServer.USER,
                    postgres.password(),
                    "http://127.0.0.1:1",
                    1,
                    1 << 20,
                    1 << 20))) {
      Await.until("the engine owns", () -> engine.role() == Engine.Role.OWNER);
      fill(engine);
      try (var connection = postgres.dataSource("postgres").getConnection()) {
        Await.until(
            "the checkpoint and the minute are written", SETTLED_MAX, () -> isSettled(connection));
        var before = Reading.of(connection);
        // Nothing is waited for but time: this is what idling means.
        new CountDownLatch(1).await(IDLE_SECONDS, TimeUnit.SECONDS);
        var after = Reading.of(connection);
        double share = (after.cpuNanos - before.cpuNanos) / 1e9 / IDLE_SECONDS;
        System.out.printf(
            "%d idle queues, %d s: %d bytes of WAL, %d rows written, %.2f %% of a core in the"
                + " broker%n",
            QUEUES,
            IDLE_SECONDS,
            after.walBytes - before.walBytes,
            after.rowsWritten - before.rowsWritten,
            100 * share);
        assertEquals(before.rowsWritten, after.rowsWritten);
        assertEquals(before.walBytes, after.walBytes);
        assertTrue(share < CORE_SHARE_MAX, "share of a core: " + share);
      }
    }
  }

  private static void fill(CellEngine engine) {
    for (var tenant : TENANTS) {
      fill(engine, tenant);
      assertEquals(QUEUES_PER_TENANT, engine.queues(tenant).size());
    }
  }

  private static void fill(CellEngine engine, UUID tenant) {
    for (int from = 0; from < QUEUES_PER_TENANT; from += 1_000) {
      var items = new ArrayList<PushItem>();
      for (int i = from; i < from + 1_000; i++) {
        items.add(new PushItem("q" + i, "p", null, null, Slice.utf8("1")));
      }
      assertTrue(
          engine.push(tenant, items).stream()
              .allMatch(outcome -> outcome.status() == PushOutcome.Status.QUEUED));
    }
  }

  /**
   * All lanes' checkpoints cover what was pushed, the history of the minute of the pushes is
   * written when that minute is over, and PostgreSQL counts both: a session that has just written
   * tells so up to ten seconds later.
   */
  private static boolean isSettled(Connection connection) {
    try (var statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT (SELECT count(*) FROM queen.partitions WHERE next_offset = 1),"
                    + " (SELECT n_tup_upd FROM pg_stat_user_tables"
                    + " WHERE schemaname = 'queen' AND relname = 'partitions'),"
                    + " (SELECT n_tup_ins FROM pg_stat_user_tables"
                    + " WHERE schemaname = 'queen' AND relname = 'queue_minutes')")) {
      row.next();
      return row.getLong(1) == QUEUES && row.getLong(2) >= QUEUES && row.getLong(3) >= QUEUES;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the broker and its sessions have used up to now. */
  private record Reading(long walBytes, long rowsWritten, long cpuNanos) {
    static Reading of(Connection connection) throws SQLException {
      try (var statement = connection.createStatement()) {
        try (var row =
            statement.executeQuery(
                "SELECT (SELECT sum(w.wal_bytes) FROM pg_stat_activity a,"
                    + " LATERAL pg_stat_get_backend_wal(a.pid) w"
                    + " WHERE a.application_name LIKE 'queencell-%'),"
                    + " (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"
                    + " WHERE schemaname = 'queen')")) {
          row.next();
          var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
          return new Reading(row.getLong(1), row.getLong(2), os.getProcessCpuTime());
        }
      }
    }
  }
}
