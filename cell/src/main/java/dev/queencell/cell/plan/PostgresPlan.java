package dev.queencell.cell.plan;

import static dev.queencell.cell.plan.Budget.GIB;
import static dev.queencell.cell.plan.Budget.MIB;

import java.util.ArrayList;
import java.util.List;

/**
 * One PostgreSQL server: its settings and what it may come to hold.
 *
 * @param sharedBytes shared buffers and the WAL buffers beside them
 * @param privateBytes what its processes hold each for themselves, together
 * @param settings in the words of {@code postgresql.conf}
 */
record PostgresPlan(long sharedBytes, long privateBytes, List<Setting> settings) {
  /** The share of the CELL's memory, whatever the machine has. */
  static final double SHARED_BUFFERS_SHARE = 0.25;

  /** The broker's sessions on one CPU: a lane, readers, retention, ownership. */
  private static final int BUSY_SESSIONS_MIN = 6;

  /** The state service's pool. */
  private static final int TENANT_STATE_SESSIONS = 8;

  private static final int VACUUM_WORKERS_MAX = 3;

  /**
   * Maintenance and parked sessions beside those that carry the load: samplers, a psql, restarts.
   */
  private static final int SPARE_CONNECTIONS = 24;

  /** Postmaster, checkpointer, writers, launcher and the shared memory's own administration. */
  private static final long FIXED_BYTES = 20 * MIB;

  private static final long SESSION_BYTES = 3 * MIB;

  /** Sessions that sort or hash at the same moment; the broker's statements do neither. */
  private static final int SORTING_SESSIONS = 2;

  /** The server that holds the messages. */
  static PostgresPlan messages(Budget budget, long pageCacheBytes) {
    long sharedBuffers = budget.share(SHARED_BUFFERS_SHARE, 64 * MIB, 1024 * GIB);
    // Each session and worker takes memory: more CPUs only help where there is some for them.
    int parallel = Math.max(1, Math.min(budget.processors(), (int) (budget.memoryBytes() / GIB)));
    int busySessions = BUSY_SESSIONS_MIN + 2 * parallel;
    long workMem = budget.share(1.0 / 256, 4 * MIB, 64 * MIB);
    long maintenanceWorkMem = budget.share(1.0 / 64, 16 * MIB, GIB);
    int vacuumWorkers = Math.min(VACUUM_WORKERS_MAX, parallel);
    long walBuffers = Math.clamp(sharedBuffers / 32 / MIB * MIB, 4 * MIB, 16 * MIB);

    var settings = new ArrayList<Setting>();
    addDurability(settings);
    add(settings, "shared_buffers", mb(sharedBuffers), "25 % of the cell's memory");
    add(
        settings,
        "effective_cache_size",
        mb(sharedBuffers + pageCacheBytes),
        "shared buffers and what the plan leaves to the page cache under the same cap");
    add(
        settings,
        "max_connections",
        Integer.toString(busySessions + SPARE_CONNECTIONS),
        "the broker's %d busy sessions, and samplers, psql and a restart's overlap beside them"
            .formatted(busySessions));
    add(settings, "work_mem", mb(workMem), "1/256 of the memory; few statements here sort");
    add(
        settings,
        "maintenance_work_mem",
        mb(maintenanceWorkMem),
        "1/64 of the memory, for index builds");
    add(
        settings,
        "autovacuum_work_mem",
        mb(maintenanceWorkMem),
        "the same for each of %d vacuum workers".formatted(vacuumWorkers));
    add(
        settings,
        "autovacuum_max_workers",
        Integer.toString(vacuumWorkers),
        "as many as can run beside the load on %s CPUs".formatted(Budget.text(budget.cpus())));
    add(
        settings,
        "autovacuum_naptime",
        "15s",
        "queue tables turn over in minutes; the default minute lets dead rows pile up");
    addWal(settings, budget, walBuffers);
    addIo(settings, budget);
    addShape(settings, budget);
    return new PostgresPlan(
        sharedBuffers + walBuffers,
        FIXED_BYTES
            + busySessions * SESSION_BYTES
            + SORTING_SESSIONS * workMem
            + vacuumWorkers * (maintenanceWorkMem / 4 + SESSION_BYTES),
        List.copyOf(settings));
  }

  /** The small server that holds tenants, plans and usage. */
  static PostgresPlan tenantState(Budget budget) {
    long sharedBuffers = budget.share(1.0 / 64, 16 * MIB, 256 * MIB);
    var settings = new ArrayList<Setting>();
    addDurability(settings);
    add(
        settings,
        "shared_buffers",
        mb(sharedBuffers),
        "tenants, keys and usage are small: 1/64 of the memory, 16 to 256 MB");
    add(settings, "effective_cache_size", mb(2 * sharedBuffers), "small, as the data is");
    add(settings, "max_connections", "24", "the state service's pool, samplers and psql");
    add(settings, "work_mem", "2MB", "reads by key only");
    add(settings, "maintenance_work_mem", "16MB", "small tables");
    add(settings, "autovacuum_max_workers", "1", "small tables");
    add(settings, "max_wal_size", "256MB", "few writes");
    add(settings, "min_wal_size", "64MB", "few writes");
    add(settings, "checkpoint_timeout", "30min", "few writes");
    add(settings, "io_method", "sync", "everything is in memory: no workers to pay for");
    addShape(settings, budget);
    return new PostgresPlan(
        sharedBuffers + MIB,
        12 * MIB + TENANT_STATE_SESSIONS * SESSION_BYTES,
        List.copyOf(settings));
  }

  long ceilingBytes() {
    return sharedBytes + privateBytes;
  }

  private static void addDurability(List<Setting> settings) {
    var reason = "what was confirmed survives a crash: never tuned away";
    add(settings, "fsync", "on", reason);
    add(settings, "synchronous_commit", "on", reason);
    add(settings, "full_page_writes", "on", reason);
  }

  private static void addWal(List<Setting> settings, Budget budget, long walBuffers) {
    long maxWal = budget.share(0.5, GIB, 16 * GIB);
    add(
        settings,
        "wal_buffers",
        mb(walBuffers),
        "1/32 of shared buffers, 16 MB at most: one shared commit fits");
    add(
        settings,
        "max_wal_size",
        mb(maxWal),
        "half the memory, 1 to 16 GB on disk: checkpoints come by time, not by volume");
    add(settings, "min_wal_size", mb(maxWal / 4), "segments are recycled, not created under load");
    add(
        settings,
        "checkpoint_timeout",
        "15min",
        "a page changed again costs a full image once per checkpoint; recovery stays in minutes");
    add(settings, "checkpoint_completion_target", "0.9", "writes back evenly");
  }

  private static void addIo(List<Setting> settings, Budget budget) {
    boolean isSmall = budget.cpus() <= 2;
    add(
        settings,
        "io_method",
        isSmall ? "sync" : "worker",
        isSmall
            ? "on few CPUs a read by the backend itself is cheaper than a switch to a worker"
            : "reads ahead in workers of its own");
    if (!isSmall) {
      add(
          settings,
          "io_workers",
          Integer.toString(Math.clamp(budget.processors() / 4, 2, 8)),
          "a quarter of the CPUs");
    }
  }

  private static void addShape(List<Setting> settings, Budget budget) {
    add(settings, "jit", "off", "short statements: compiling one costs more than running it");
    add(
        settings,
        "max_parallel_workers_per_gather",
        budget.cpus() <= 2 ? "0" : "2",
        "no statement on the hot path gains; a report must not take the cell's CPUs");
    add(
        settings,
        "huge_pages",
        "off",
        "they come from a pool of the machine's that the cap is not charged for");
    add(settings, "random_page_cost", "1.1", "solid-state disks");
    add(settings, "update_process_title", "off", "saves a write per statement");
    add(settings, "track_io_timing", "on", "read and write times for the samplers");
    add(
        settings,
        "track_wal_io_timing",
        "on",
        "the measured sync time goes with every result; one clock reading per sync");
  }

  private static void add(List<Setting> settings, String name, String value, String reason) {
    settings.add(new Setting(name, value, reason));
  }

  private static String mb(long bytes) {
    return bytes / MIB + "MB";
  }
}
