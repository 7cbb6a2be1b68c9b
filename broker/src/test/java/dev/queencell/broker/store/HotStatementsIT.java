package dev.queencell.broker.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.journal.Journal;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * What each hot statement touches follows its batch, not the backlog: run on the very texts that
 * the broker runs, with the generic plans of its sessions, over backlogs of none, ten thousand and
 * a million segments. Half of the backlog is in one partition, half spread over a thousand.
 */
@Timeout(300)
class HotStatementsIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final int[] BACKLOGS = {0, 10_000, 1_000_000};
  private static final int BATCH = 10;

  /** Blocks that a deeper tree and an append may add from one backlog to the next. */
  private static final int BLOCKS_GROWTH_MAX = 6 * BATCH;

  private static final int BLOCKS_MAX = 40 * BATCH;

  /** The transaction key of the n-th row. */
  private static final String KEY = "decode(md5(n::text), 'hex')";

  private static final Pattern PARAMETER = Pattern.compile("\\?");

  /** Touched at each backlog, by statement. */
  private static final Map<String, List<Touched>> TOUCHED = new LinkedHashMap<>();

  private record Touched(long rows, long blocks, String plan) {}

  private static Connection session;

  @BeforeAll
  static void measure() throws SQLException {
    new Database(DATABASE.jdbcUrl(), DATABASE.user(), DATABASE.password()).migrate();
    session = DATABASE.connect();
    try (var statement = session.createStatement()) {
      statement.execute(
          "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off;"
              + " SET plan_cache_mode = force_generic_plan; SET jit = off");
      prepareAll(statement);
      int before = 0;
      for (int backlog : BACKLOGS) {
        grow(statement, before, backlog);
        before = backlog;
        explainAll(statement, backlog);
      }
    }
    TOUCHED.forEach(
        (name, at) ->
            System.out.printf(
                "%-22s blocks %s rows %s%n",
                name,
                at.stream().map(Touched::blocks).toList(),
                at.stream().map(Touched::rows).toList()));
  }

  @AfterAll
  static void close() throws SQLException {
    session.close();
  }

  private static void grow(Statement statement, int from, int to) throws SQLException {
    // Offsets of two: partition 1 has one half, partitions 2 to 1001 the other.
    statement.execute(
        """
        INSERT INTO queen.segments (partition_id, base_offset, message_count, codec, bucket, created_at_micros, frames)
        SELECT CASE WHEN n %% 2 = 0 THEN 1 ELSE 2 + n / 2 %% 1000 END, n / 2 * 2, 2, 0, 0, 1000000 + n, '\\x00'
        FROM generate_series(%1$d, %2$d - 1) AS n;
        INSERT INTO queen.transaction_hashes (partition_id, base_offset, bucket, created_at_micros, hashes)
        SELECT CASE WHEN n %% 2 = 0 THEN 1 ELSE 2 + n / 2 %% 1000 END, n / 2 * 2, 1, 1000000 + n, %3$s
        FROM generate_series(%1$d, %2$d - 1) AS n;
        INSERT INTO queen.transaction_keys (partition_id, key, bucket, message_offset, created_at_micros)
        SELECT CASE WHEN n %% 2 = 0 THEN 1 ELSE 2 + n / 2 %% 1000 END, %3$s, 1, n / 2 * 2, 1000000 + n
        FROM generate_series(%1$d, %2$d - 1) AS n;
        INSERT INTO queen.key_marks (partition_id, next_offset, newest_at_micros)
        SELECT n, %2$d, 0 FROM generate_series(1, 1001) AS n ON CONFLICT DO NOTHING;
        INSERT INTO queen.partitions (id, queue_id, name, created_at_micros, next_offset)
        SELECT n, 1, 'p' || n, 0, %2$d FROM generate_series(1, 1001 + %2$d / 10) AS n
        ON CONFLICT (id) DO UPDATE SET next_offset = excluded.next_offset;
        INSERT INTO queen.cursors (partition_id, group_id, revision, committed, lease_high, lease_low, lease_end,
          attempts, attempt_base, retries)
        SELECT n, 1, 1, -1, 0, 0, -1, 0, -1, 0 FROM generate_series(1, 1001 + %2$d / 10) AS n
        ON CONFLICT DO NOTHING;
        """
            .formatted(from, to, KEY));
    statement.execute("VACUUM ANALYZE");
  }

  /** The broker's statements; what stands behind the name is how its parameters are numbered. */
  private static void prepareAll(Statement statement) throws SQLException {
    prepare(statement, SegmentReader.class, "read_segments", "");
    prepare(statement, SegmentReader.class, "read_segments_back", "");
    prepare(statement, SegmentReader.class, "segment_at", "");
    prepare(statement, ExpiryStore.class, "expiry_heads", "");
    prepare(statement, ExpiryStore.class, "expiry_sweep", "");
    prepare(statement, KeyReader.class, "read_hashes", "");
    prepare(statement, KeyReader.class, "key_count", "");
    prepare(statement, KeyReader.class, "key_mark", "");
    prepare(statement, KeyReader.class, "hashes_at", "");
    prepare(statement, KeyReader.class, "probe_keys", "");
    prepare(statement, KeyReader.class, "index_keys", "");
    prepare(statement, Journal.class, "insert_segments", "(?, ?, ?, ?, ?, ?, ?)");
    prepare(statement, Journal.class, "insert_hashes", "");
    prepare(statement, Journal.class, "insert_cursors", "");
    prepare(statement, Journal.class, "update_cursors", "");
    prepare(statement, Journal.class, "checkpoint_partitions", "");
  }

  private static void prepare(Statement statement, Class<?> owner, String name, String behind)
      throws SQLException {
    var sql = new StringBuilder();
    Sql.read(owner, name)
        .lines()
        .filter(line -> !line.stripLeading().startsWith("--"))
        .forEach(line -> sql.append(line).append('\n'));
    sql.append(behind);
    var numbered = new StringBuilder();
    var matcher = PARAMETER.matcher(sql);
    for (int n = 1; matcher.find(); n++) {
      matcher.appendReplacement(numbered, "\\$" + n);
    }
    matcher.appendTail(numbered);
    statement.execute("PREPARE " + name + " AS " + numbered);
  }

  private static void explainAll(Statement statement, int backlog) throws SQLException {
    int middle = backlog / 2 / 2 * 2;
    explain(
        statement,
        "read_segments",
        "1, 0, 1, 0, %d, %d, 10, 1000000".formatted(middle, middle + 20));
    explain(statement, "read_segments_back", "1, 0, 0, %d, 0, 10".formatted(middle));
    explain(statement, "segment_at", "1, 0, 0, " + middle);
    explain(
        statement,
        "expiry_heads",
        "%s, array_fill(%d::bigint, ARRAY[10]), array_fill(0::smallint, ARRAY[10]), 2"
            .formatted(ids(), middle));
    explain(statement, "expiry_sweep", ids() + ", array_fill(2::bigint, ARRAY[10]), 10, 10");
    explainKeys(statement, backlog);
    explain(statement, "insert_segments", "2000001, 0, 1, 0, 0, 5, '\\x00'");
    explain(
        statement,
        "insert_hashes",
        ids()
            + ", array_fill(90000000::bigint, ARRAY[10]), array_fill(1::smallint, ARRAY[10]), "
            + ids()
            + ", array_fill('\\x00'::bytea, ARRAY[10])");
    var zeros = "array_fill(0::bigint, ARRAY[10])";
    var ones = "array_fill(1, ARRAY[10])";
    explain(
        statement,
        "insert_cursors",
        String.join(
            ", ",
            ids(),
            "array_fill(9::bigint, ARRAY[10])",
            ones,
            zeros,
            zeros,
            zeros,
            zeros,
            zeros,
            ones,
            zeros,
            ones));
    explain(
        statement,
        "update_cursors",
        String.join(
            ", ",
            ids(),
            "array_fill(1::bigint, ARRAY[10])",
            "array_fill(2, ARRAY[10])",
            zeros,
            zeros,
            zeros,
            zeros,
            zeros,
            ones,
            zeros,
            ones,
            "10"));
    explain(
        statement,
        "checkpoint_partitions",
        String.join(
            ", ", ids(), zeros, zeros, ones, zeros, zeros, zeros, "array_fill(false, ARRAY[10])"));
  }

  /** A window with ten keys behind its index, and ten keys of which half are in it. */
  private static void explainKeys(Statement statement, int backlog) throws SQLException {
    int end = (backlog + 1) / 2 * 2;
    int tail = Math.max(0, end - 2 * BATCH);
    explain(statement, "read_hashes", "1, 1, " + tail);
    explain(statement, "key_count", "1, 1, 0, " + BATCH);
    explain(statement, "key_mark", "1");
    explain(statement, "hashes_at", "1, 1, 0, " + end / 2);
    var keys = new ArrayList<String>();
    for (int i = 0; i < BATCH; i++) {
      keys.add("decode(md5('%d'), 'hex')".formatted(i * (backlog / BATCH) + i));
    }
    explain(statement, "probe_keys", "ARRAY[" + String.join(", ", keys) + "], 1, 1, 0");
    // Each of its keys is looked for and written: a few stand for many.
    explain(statement, "index_keys", "1, 1, 0, 3, 1000, 1, 1");
  }

  private static String ids() {
    return "ARRAY[2,3,4,5,6,7,8,9,10,11]::bigint[]";
  }

  private static void explain(Statement statement, String name, String parameters)
      throws SQLException {
    session.setAutoCommit(false);
    try (var row =
        statement.executeQuery(
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE %s(%s)".formatted(name, parameters))) {
      row.next();
      var text = row.getString(1);
      var wrapped = Json.readObject(("{\"p\":" + text + "}").getBytes(StandardCharsets.UTF_8));
      var plan = wrapped.get("p").get(0).get("Plan");
      long blocks =
          plan.get("Shared Hit Blocks").longValue() + plan.get("Shared Read Blocks").longValue();
      TOUCHED
          .computeIfAbsent(name, key -> new ArrayList<>())
          .add(new Touched(rows(plan), blocks, text));
    } finally {
      session.rollback();
      session.setAutoCommit(true);
    }
  }

  /** Rows that scans of tables and indexes looked at, those that a filter dropped included. */
  private static long rows(JsonNode plan) {
    long rows = 0;
    if (plan.get("Node Type").stringValue().contains("Scan") && plan.has("Relation Name")) {
      double each = plan.get("Actual Rows").doubleValue();
      if (plan.has("Rows Removed by Filter")) {
        each += plan.get("Rows Removed by Filter").doubleValue();
      }
      rows = Math.round(each * plan.get("Actual Loops").doubleValue());
    }
    if (plan.has("Plans")) {
      for (var part : plan.get("Plans")) {
        rows += rows(part);
      }
    }
    return rows;
  }

  @Test
  void rowsTouchedFollowTheBatchNotTheBacklog() {
    assertEquals(16, TOUCHED.size());
    TOUCHED.forEach(
        (name, at) -> {
          for (int i = 0; i < BACKLOGS.length; i++) {
            var touched = at.get(i);
            assertTrue(
                touched.rows() <= 3 * BATCH,
                "%s over %d: %d rows\n%s"
                    .formatted(name, BACKLOGS[i], touched.rows(), touched.plan()));
          }
        });
  }

  @Test
  void blocksTouchedGrowWithTheTreesOnly() {
    TOUCHED.forEach(
        (name, at) -> {
          for (int i = 1; i < BACKLOGS.length; i++) {
            long grown = at.get(i).blocks() - at.get(i - 1).blocks();
            assertTrue(
                grown <= BLOCKS_GROWTH_MAX && at.get(i).blocks() <= BLOCKS_MAX,
                "%s over %d: %d blocks, %d more\n%s"
                    .formatted(name, BACKLOGS[i], at.get(i).blocks(), grown, at.get(i).plan()));
          }
        });
  }
}
