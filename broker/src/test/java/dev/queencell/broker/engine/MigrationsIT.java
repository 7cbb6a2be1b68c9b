package dev.queencell.broker.engine;

import static dev.queencell.broker.engine.EngineFixture.TENANT;
import static dev.queencell.broker.engine.EngineFixture.request;
import static dev.queencell.broker.engine.EngineFixture.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.EngineFixture.Got;
import dev.queencell.broker.engine.PushOutcome.Status;
import dev.queencell.broker.store.Database;
import dev.queencell.service.Json;
import dev.queencell.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A broker of today on a database that an earlier version has filled. A database is migrated to
 * each earlier version, gets rows as that version kept them (those of a running broker, less the
 * tables and columns that came later), and is opened: what was stored, leased, completed,
 * configured and remembered for deduplication is as it was, for two tenants with the same names.
 */
@Timeout(180)
class MigrationsIT {
  private static final String G = "g";
  private static final String KEPT = "kept";
  private static final String AGED = "aged";

  @RegisterExtension static final TestDatabase FILLED = TestDatabase.empty();
  @RegisterExtension static final TestDatabase OLD = TestDatabase.empty();

  private static EngineFixture cell;

  /** Delivered under a lease that lives, and not yet acknowledged. */
  private static Got held;

  private static PushOutcome keyed;

  @BeforeAll
  static void fill() throws Exception {
    cell = new EngineFixture(FILLED, 1);
    configure(KEPT, "{\"retryLimit\":7,\"leaseTime\":900,\"dedupWindowSeconds\":7200}");
    // Its segments are in a bucket of a ring, where there are rings.
    configure(AGED, "{\"retentionEnabled\":true,\"retentionSeconds\":3600}");
    cell.push(KEPT, "p", "1", "2");
    cell.push(KEPT, "p", "3");
    cell.push(KEPT, "q", "4");
    keyed = cell.pushWithId(KEPT, "p", "key", "5");
    cell.push(AGED, "p", "6", "7");
    cell.push("dead", "p", "8", "9");
    var got = cell.pop(request(KEPT, "p", PopRequest.QUEUE_MODE, 2));
    assertTrue(cell.ack(got.getFirst(), AckStatus.COMPLETED).success());
    held = got.getLast();
    var inGroup = cell.pop(request(KEPT, "q", G, 1));
    cell.engine.ack(TENANT, G, completed(inGroup));
    cell.ack(cell.pop("dead", 1).getFirst(), AckStatus.DLQ);
  }

  @AfterAll
  static void close() {
    cell.close();
  }

  private static void configure(String queue, String options) {
    var node = (tools.jackson.databind.node.ObjectNode) Json.mapper().readTree(options);
    cell.engine.configure(TENANT, queue, null, null, node, false);
  }

  private static List<AckItem> completed(List<Got> messages) {
    return messages.stream()
        .map(m -> EngineFixture.item(m, AckStatus.COMPLETED, m.leaseId()))
        .toList();
  }

  private static Flyway migrations(String target) {
    return Flyway.configure(Database.class.getClassLoader())
        .dataSource(OLD.jdbcUrl(), OLD.user(), OLD.password())
        .schemas("queen")
        .defaultSchema("queen")
        .locations("classpath:db/queen")
        .target(target)
        .load();
  }

  /** Every version but the newest. */
  static Stream<String> earlierVersions() {
    var all =
        Arrays.stream(migrations("latest").info().all())
            .map(migration -> migration.getVersion().getVersion())
            .toList();
    return all.subList(0, all.size() - 1).stream();
  }

  @ParameterizedTest
  @MethodSource("earlierVersions")
  void whatAnEarlierVersionStoredIsAsItWas(String version) throws Exception {
    OLD.reset();
    migrations(version).migrate();
    copyRows();
    try (var now = new EngineFixture(OLD, 1)) {
      // The neighbour goes on where it was, and is checked at the end.
      now.neighbour = cell.neighbour.at(() -> now.engine);
      assertSame(now);
      assertLeasesAndCursors(now);
      assertEquals(List.of("6", "7"), texts(now.pop(AGED, 10)));
      now.restart();
      assertEquals(List.of("9"), texts(now.pop("dead", 10)));
    }
  }

  /** What the queues' documents tell. */
  private static void assertSame(EngineFixture now) {
    for (var tenant : List.of(TENANT, Neighbour.TENANT)) {
      for (var queue : List.of(KEPT, AGED, "dead")) {
        var before = cell.engine.queue(tenant, queue, null).orElseThrow();
        var after = now.engine.queue(tenant, queue, null).orElseThrow();
        assertEquals(before.options(), after.options(), queue);
        assertEquals(before.createdAt(), after.createdAt(), queue);
        assertEquals(before.retained(), after.retained(), queue);
        assertEquals(before.segments(), after.segments(), queue);
        assertEquals(before.retainedBytes(), after.retainedBytes(), queue);
        assertEquals(before.pending(), after.pending(), queue);
        assertEquals(before.deadLetters(), after.deadLetters(), queue);
      }
    }
  }

  private static void assertLeasesAndCursors(EngineFixture now) throws Exception {
    var duplicate = now.pushWithId(KEPT, "p", "key", "again");
    assertEquals(Status.DUPLICATE, duplicate.status());
    assertEquals(keyed.messageId(), duplicate.messageId());
    assertEquals(List.of(), now.pop(request(KEPT, "p", PopRequest.QUEUE_MODE, 10)), "leased");
    assertTrue(now.ack(held, AckStatus.COMPLETED).leaseReleased());
    now.push(KEPT, "p", "new");
    var rest = now.pop(request(KEPT, "p", PopRequest.QUEUE_MODE, 10));
    assertEquals(List.of("3", "5", "new"), texts(rest));
    assertEquals(List.of(2L, 3L, 4L), rest.stream().map(Got::offset).toList());
    assertEquals(List.of(), now.pop(request(KEPT, "q", G, 10)), "completed");
    assertEquals(List.of("1", "2", "3", "5", "new"), texts(now.pop(request(KEPT, "p", G, 10))));
  }

  /** The filled database's rows, in the tables and columns that the old one has. */
  private static void copyRows() throws SQLException {
    try (var from = FILLED.connect();
        var to = OLD.connect()) {
      to.setAutoCommit(false);
      var known = tables(from);
      for (var table : tables(to)) {
        if (known.contains(table)) {
          copy(from, to, table);
        }
      }
      to.commit();
    }
  }

  private static void copy(Connection from, Connection to, String table) throws SQLException {
    try (var clear = to.createStatement();
        var read = from.createStatement();
        var rows = read.executeQuery("SELECT to_jsonb(t)::text FROM queen.%s t".formatted(table));
        var write =
            to.prepareStatement(
                "INSERT INTO queen.%1$s SELECT * FROM jsonb_populate_record(NULL::queen.%1$s, ?::jsonb)"
                    .formatted(table))) {
      clear.execute("TRUNCATE queen." + table);
      while (rows.next()) {
        write.setString(1, rows.getString(1));
        write.executeUpdate();
      }
    }
  }

  private static List<String> tables(Connection session) throws SQLException {
    var tables = new ArrayList<String>();
    try (var query = session.createStatement();
        var row =
            query.executeQuery(
                "SELECT relname FROM pg_class WHERE relnamespace = 'queen'::regnamespace"
                    + " AND relkind IN ('r', 'p') AND NOT relispartition"
                    + " AND relname <> 'flyway_schema_history' ORDER BY relname")) {
      while (row.next()) {
        tables.add(row.getString(1));
      }
    }
    return tables;
  }
}
