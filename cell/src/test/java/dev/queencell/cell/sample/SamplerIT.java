package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.cell.home.CellHome;
import dev.queencell.cell.output.Json;
import dev.queencell.cell.postgres.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sampler against a real PostgreSQL. */
class SamplerIT {
  private static final String DATABASE = "queencell";
  private static final long DEADLINE_MS = 60_000;
  private static PostgresServer server;

  @TempDir private Path folder;
  private long instantMs;

  @BeforeAll
  static void start() throws SQLException {
    server =
        PostgresServer.durable(
            Map.of("shared_preload_libraries", "pg_stat_statements", "track_wal_io_timing", "on"));
    run("postgres", "create database " + DATABASE);
    run(DATABASE, "create extension pg_stat_statements", "create table t (n int)");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void theBrokersCommitsAreCountedAndTheSamplersOwnAreNot() throws Exception {
    try (var probe = probe()) {
      sample(probe);
      for (int i = 0; i < 30; i++) {
        sample(probe);
      }
      assertTrue(commits() <= 5, () -> "commits of an idle database: " + commits());
      long before = commits();
      var inserts = new String[200];
      Arrays.fill(inserts, "insert into t values (1)");
      run(DATABASE, inserts);
      await("200 commits are shown", probe, () -> commits() - before >= 200);
      assertTrue(commits() - before <= 210, () -> "200 commits became " + (commits() - before));
      var lines = SampleFile.DATABASE.read(folder, "r1");
      assertTrue(sum(lines, "walBytes") > 200 * 50, "WAL bytes");
      assertTrue(sum(lines, "walFsyncs") > 0, "WAL syncs");
      assertTrue(sum(lines, "walFsyncMicros") > 0, "time of WAL syncs");
      assertTrue(lines.getFirst().value("databaseBytes") > 1_000_000, "database size");
      assertEquals(200, sum(lines, "tuplesInserted"));
    }
  }

  @Test
  void waitsOfOthersAreSeenAndTheSamplersOwnAreNot() throws Exception {
    try (var probe = probe();
        var holder = server.dataSource(DATABASE).getConnection();
        var waiter = server.dataSource(DATABASE).getConnection();
        var held = holder.createStatement();
        var waiting = waiter.createStatement()) {
      holder.setAutoCommit(false);
      held.execute("lock table t in access exclusive mode");
      var blocked = Thread.ofPlatform().start(() -> quietly(waiting, "insert into t values (2)"));
      await(
          "a backend waits for the lock",
          probe,
          () ->
              SampleFile.WAITS.read(folder, "r1").stream()
                  .anyMatch(
                      line ->
                          line.label("waitEventType").equals("Lock")
                              && line.label("waitEvent").equals("relation")
                              && line.label("database").equals(DATABASE)));
      holder.rollback();
      blocked.join();
      assertTrue(
          SampleFile.WAITS.read(folder, "r1").stream()
              .noneMatch(
                  line ->
                      line.label("database").equals("postgres")
                          && line.label("backendType").equals("client backend")));
    }
  }

  @Test
  void aServerThatCrashedIsSampledAgainAndItsCountersAreNeverNegative() throws Exception {
    try (var probe = probe()) {
      sample(probe);
      server.kill9();
      assertThrows(SQLException.class, () -> sample(probe));
      server.restart();
      run(DATABASE, "insert into t values (3)");
      await(
          "a line after the crash",
          probe,
          () -> sum(SampleFile.DATABASE.read(folder, "r1"), "tuplesInserted") > 0);
      for (var line : SampleFile.DATABASE.read(folder, "r1")) {
        line.values().forEach((column, value) -> assertTrue(value >= 0, column));
      }
    }
  }

  @Test
  void aWholeRunLeavesEveryFileAndSaysHowItWent() throws Exception {
    var sampler = sampler();
    sampler.start(folder.resolve("loader.pid"));
    Files.writeString(folder.resolve("loader.pid"), ProcessHandle.current().pid() + "\n");
    run(DATABASE, "select count(*) from t /* something to find */");
    await("the loader is sampled twice", null, () -> loaderCpuMicros() > 0);
    await("both sessions are sampled", null, () -> sessions() == 2);
    sampler.stop();

    var report = Json.mapper().readTree(Files.readString(folder.resolve("r1.sample.json")));
    assertTrue(report.path("postgres").asString().startsWith("1"), report::toString);
    assertTrue(report.path("samples").path("database").path("taken").asLong() > 1);
    assertEquals(0, report.path("samples").path("usage").path("failed").asLong());
    assertFalse(report.path("capped").asBoolean());
    assertTrue(report.path("endedEpochMs").isNumber());
    var shape = Files.readString(folder.resolve("r1.shape.txt"));
    assertTrue(shape.contains("load average before: "), shape);
    assertTrue(shape.contains("load average after: "), shape);
    assertTrue(shape.contains("neighbours before: quiet: nobody is here"), shape);
    assertTrue(report.path("neighbours").path("quiet").asBoolean(), report::toString);
    assertTrue(shape.contains("track_wal_io_timing: on"), shape);
    assertFalse(shape.contains(server.password()), "the password is in the record");
    var statements = Files.readString(folder.resolve("r1.statements.csv"));
    assertTrue(statements.contains("select count(*) from t"), statements);
    assertFalse(statements.contains("pg_"), () -> "the sampler's own: " + statements);
  }

  private long loaderCpuMicros() throws IOException {
    return SampleFile.USAGE.read(folder, "r1").stream()
        .filter(line -> line.label("unit").equals("loader"))
        .mapToLong(line -> line.value("cpuMicros"))
        .max()
        .orElse(0);
  }

  /** How many of this sampler's sessions its last sample saw among the server's processes. */
  private long sessions() throws IOException {
    return SampleFile.USAGE.read(folder, "r1").stream()
        .filter(line -> line.label("unit").equals(UsageProbe.SAMPLER_SESSIONS))
        .mapToLong(line -> line.value("processes"))
        .reduce(0, (before, last) -> last);
  }

  private Sampler sampler() throws IOException, SQLException {
    Files.writeString(folder.resolve("password"), server.password());
    Files.writeString(Files.createDirectory(folder.resolve("run")).resolve("pg.pid"), postmaster());
    Files.writeString(
        folder.resolve("cell.env"),
        """
        QUEENCELL_CAP='none'
        QUEENCELL_PG_JDBC_URL='%s'
        QUEENCELL_PG_USER='%s'
        QUEENCELL_PG_PASSWORD_FILE='%s'
        """
            .formatted(server.jdbcUrl(DATABASE), PostgresServer.USER, folder.resolve("password")));
    return new Sampler(
        new SampledCell(CellHome.read(folder)),
        Groups.NONE,
        folder,
        "r1",
        50,
        Json.object().put("quiet", true).put("text", "quiet: nobody is here"));
  }

  private DatabaseProbe probe() throws IOException {
    return new DatabaseProbe(
        new Postgres(server.jdbcUrl(DATABASE), PostgresServer.USER, server.password()),
        folder,
        "r1");
  }

  private void sample(DatabaseProbe probe) throws SQLException, IOException {
    instantMs += 1_000;
    probe.sample(new Clock.Instant(instantMs, instantMs));
  }

  private long commits() {
    try {
      return sum(SampleFile.DATABASE.read(folder, "r1"), "commits");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long sum(List<Sample> lines, String column) {
    return lines.stream().mapToLong(line -> Math.max(0, line.value(column))).sum();
  }

  /** Samples (where there is a probe to sample with) until the condition holds. */
  private void await(String what, DatabaseProbe probe, Callable<Boolean> condition)
      throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < deadline, "not in time: " + what);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      if (probe != null) {
        sample(probe);
      }
    }
  }

  private static String postmaster() throws SQLException {
    try (var connection = server.dataSource("postgres").getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("select pg_read_file('postmaster.pid')")) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void run(String database, String... statements) throws SQLException {
    try (var connection = server.dataSource(database).getConnection();
        var statement = connection.createStatement()) {
      for (var sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static void quietly(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
