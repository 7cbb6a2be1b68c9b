package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.state.control.Ledger;
import dev.queencell.state.store.Database;
import dev.queencell.state.usage.MonthlyQuotas;
import dev.queencell.state.usage.RollUp;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.node.ObjectNode;

class MeteringIT {
  private static final String MSGS = "SELECT coalesce(sum(msgs), 0) FROM queen_proxy.";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private RunningState state;

  @BeforeEach
  void start() throws Exception {
    state = RunningState.start(DATABASE, Map.of());
  }

  @AfterEach
  void stop() {
    state.close();
  }

  @Test
  void aBatchSentAgainCountsOnce() throws Exception {
    var cluster = state.tenant("acme");
    var id = UUID.randomUUID();
    var rows = List.of(RunningState.row(cluster, minute(0), "push", 7));
    var first = state.usage(id, rows);
    assertEquals(200, first.status(), first::toString);
    assertTrue(first.body().get("applied").booleanValue());
    assertFalse(state.usage(id, rows).body().get("applied").booleanValue());
    state.restart();
    assertFalse(state.usage(id, rows).body().get("applied").booleanValue());
    assertEquals(7, state.count(MSGS + "usage_minutes"));
    assertEquals(7, state.count(MSGS + "usage_months"));

    state.usage(UUID.randomUUID(), rows);
    assertEquals(14, state.count(MSGS + "usage_minutes"), "another batch adds");
  }

  @Test
  void anIdWithOtherRowsIsAConflictAndCountsNothing() throws Exception {
    var cluster = state.tenant("acme");
    var id = UUID.randomUUID();
    state.usage(id, List.of(RunningState.row(cluster, minute(0), "push", 7)));
    var other = state.usage(id, List.of(RunningState.row(cluster, minute(0), "push", 8)));
    assertEquals(409, other.status());
    assertEquals(7, state.count(MSGS + "usage_minutes"));
  }

  @Test
  void batchesFromManySendersAtOnceWithRepetitionsAddUpExactly() throws Exception {
    long seed = System.nanoTime();
    var random = new Random(seed);
    var clusters = List.of(state.tenant("a"), state.tenant("b"), state.tenant("c"));
    var calls = new ArrayList<Callable<StateClient.Answer>>();
    long expected = 0;
    for (int i = 0; i < 40; i++) {
      var rows = new ArrayList<ObjectNode>();
      for (var cluster : clusters) {
        for (int back = 0; back < 3; back++) {
          int msgs = random.nextInt(100);
          expected += msgs;
          rows.add(
              random.nextInt(rows.size() + 1),
              RunningState.row(cluster, minute(back), "push", msgs));
        }
      }
      var id = UUID.randomUUID();
      for (int copies = random.nextInt(3); copies >= 0; copies--) {
        calls.add(() -> state.usage(id, rows));
      }
    }
    java.util.Collections.shuffle(calls, random);
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (var answer : threads.invokeAll(calls)) {
        assertEquals(200, answer.get().status(), () -> "seed " + seed + ": " + answer);
      }
    }
    assertEquals(expected, state.count(MSGS + "usage_minutes"), "seed " + seed);
    assertEquals(expected, state.count(MSGS + "usage_months"), "seed " + seed);
  }

  @Test
  void minutesOutOfTimeAndBadRowsAreRefusedWhole() throws Exception {
    var cluster = state.tenant("acme");
    var good = RunningState.row(cluster, minute(0), "push", 7);
    var old = Instant.now().minus(46, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MINUTES).toString();
    assertEquals("too_old", refused(good, RunningState.row(cluster, old, "push", 1)).code());
    assertEquals(
        "too_new", refused(good, RunningState.row(cluster, minute(-30), "push", 1)).code());
    var tenSeconds = minute(0).replace(":00Z", ":10Z");
    assertTrue(
        refused(RunningState.row(cluster, tenSeconds, "push", 1))
            .error()
            .contains("rows[0].minute"));
    assertTrue(
        refused(good, RunningState.row(cluster, minute(0), "ack", 1))
            .error()
            .contains("rows[1].op_class"));
    assertTrue(refused(good, good).error().contains("repeats the key"));
    assertTrue(refused(good.deepCopy().put("msgs", -1)).error().contains("rows[0].msgs"));
    assertTrue(refused().error().contains("rows is empty"));
    assertEquals(0, state.count("SELECT count(*) FROM queen_proxy.usage_minutes"));
    assertEquals(0, state.count("SELECT count(*) FROM queen_proxy.usage_batches"));
  }

  @Test
  void aDayIsAddedUpAgainAfterALateBatchAndPruningLosesNothing() throws Exception {
    var cluster = state.tenant("acme");
    var yesterday = Instant.now().minus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS).toString();
    var longAgo = Instant.now().minus(44, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS).toString();
    state.usage(
        UUID.randomUUID(),
        List.of(
            RunningState.row(cluster, yesterday, "push", 3),
            RunningState.row(cluster, longAgo, "delivery", 11),
            RunningState.row(cluster, minute(0), "push", 100)));
    assertEquals(2, rollUp());
    assertEquals(14, state.count(MSGS + "usage_days"));
    assertEquals(0, rollUp());
    assertEquals(14, state.count(MSGS + "usage_days"), "adding up twice changes nothing");

    state.usage(UUID.randomUUID(), List.of(RunningState.row(cluster, yesterday, "push", 4)));
    assertEquals(1, rollUp());
    assertEquals(18, state.count(MSGS + "usage_days"));

    state.execute(
        """
        UPDATE queen_proxy.usage_minutes SET minute = minute - interval '50 days'
        WHERE op_class = 'delivery'""");
    assertEquals(0, rollUp());
    assertEquals(
        0,
        state.count("SELECT count(*) FROM queen_proxy.usage_minutes WHERE op_class = 'delivery'"));
    assertEquals(18, state.count(MSGS + "usage_days"), "days are kept");
    assertEquals(107, state.count(MSGS + "usage_minutes"), "young minutes are kept");
  }

  @Test
  void theMonthlyQuotaWarnsOnceBlocksOnceAndEndsWithTheMonthOrTheQuota() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"monthly_msgs_quota\": 10}");
    push(cluster, 7);
    assertEquals(List.of(), kinds());
    push(cluster, 1);
    push(cluster, 1);
    assertEquals(List.of("cluster_monthly_quota_warning"), kinds());
    assertFalse(state.view(cluster).at("/blocks/monthly").booleanValue());

    var feed = state.feedStart();
    push(cluster, 1);
    push(cluster, 5);
    assertEquals(
        List.of("cluster_monthly_quota_warning", "cluster_monthly_quota_blocked"), kinds());
    assertEquals(List.of("cluster"), state.changesAfter(feed), "announced once");
    assertTrue(state.view(cluster).at("/blocks/monthly").booleanValue());
    assertEquals(1, audited("monthly_quota_blocked"));
    state.restart();
    assertTrue(state.view(cluster).at("/blocks/monthly").booleanValue(), "a restart keeps it");

    state.override(cluster, "{\"monthly_msgs_quota\": 1000}");
    assertFalse(state.view(cluster).at("/blocks/monthly").booleanValue());
    push(cluster, 1);
    assertEquals(1, audited("monthly_quota_released"));
    assertEquals(2, kinds().size(), "levels only rise within a month");
  }

  @Test
  void aQuotaThatIsLoweredBelowWhatWasUsedIsAnnouncedAtOnce() throws Exception {
    var cluster = state.tenant("acme");
    push(cluster, 8);
    state.override(cluster, "{\"monthly_msgs_quota\": 10}");
    assertEquals(List.of("cluster_monthly_quota_warning"), kinds());
    state.override(cluster, "{\"monthly_msgs_quota\": 5}");
    assertEquals(
        List.of("cluster_monthly_quota_warning", "cluster_monthly_quota_blocked"), kinds());
    assertEquals(1, audited("monthly_quota_blocked"));
    assertTrue(state.view(cluster).at("/blocks/monthly").booleanValue());
    state.override(cluster, "{\"monthly_msgs_quota\": null}");
    assertEquals(1, audited("monthly_quota_released"));
  }

  @Test
  void theOutboxIsReadOldestFirstAndTickedOff() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"monthly_msgs_quota\": 10}");
    push(cluster, 9);
    push(cluster, 1);
    var open = state.client().get("/api/cp/outbox").body().get("messages");
    assertEquals("cluster_monthly_quota_warning", open.at("/0/kind").stringValue());
    assertEquals(10, open.at("/1/payload/msgs").intValue());
    var path = "/api/cp/outbox/" + open.at("/0/id").stringValue();
    assertFalse(state.client().delete(path).body().get("already_consumed").booleanValue());
    assertTrue(state.client().delete(path).body().get("already_consumed").booleanValue());
    assertEquals(1, state.client().get("/api/cp/outbox").body().get("messages").size());
  }

  @Test
  void theBlockOfAPastMonthEndsByItselfAndIsAnnounced() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"monthly_msgs_quota\": 10}");
    push(cluster, 10);
    state.execute("UPDATE queen_proxy.usage_months SET month = (month - interval '1 month')::date");
    assertFalse(state.view(cluster).at("/blocks/monthly").booleanValue());
    var feed = state.feedStart();
    judgeAll();
    judgeAll();
    assertEquals(List.of("cluster"), state.changesAfter(feed));
    assertEquals(1, audited("monthly_quota_released"));
  }

  @Test
  void aQuotaLoweredToTheCountBlocksAtOnceAndTheNextLookAnnouncesNothingMore() throws Exception {
    var cluster = state.tenant("acme");
    push(cluster, 50);
    state.override(cluster, "{\"monthly_msgs_quota\": 50}");
    assertTrue(state.view(cluster).at("/blocks/monthly").booleanValue());
    judgeAll();
    assertEquals(List.of("cluster_monthly_quota_blocked"), kinds());
  }

  private StateClient.Answer refused(ObjectNode... rows) {
    var answer = state.usage(UUID.randomUUID(), List.of(rows));
    assertEquals(400, answer.status(), answer::toString);
    return answer;
  }

  private void push(String cluster, long msgs) {
    var answer =
        state.usage(UUID.randomUUID(), List.of(RunningState.row(cluster, minute(0), "push", msgs)));
    assertEquals(200, answer.status(), answer::toString);
  }

  private List<String> kinds() throws Exception {
    var kinds =
        state.text("SELECT string_agg(kind, ' ' ORDER BY created_at) FROM queen_proxy.outbox");
    return kinds == null ? List.of() : List.of(kinds.split(" "));
  }

  private long audited(String action) throws Exception {
    return state.count(
        "SELECT count(*) FROM queen_proxy.operations WHERE actor = 'system' AND action = '%s'"
            .formatted(action));
  }

  private static int rollUp() {
    try (var database = open()) {
      return new RollUp(database, RollUp.KEEP_DAYS_MIN).run();
    }
  }

  private static void judgeAll() {
    try (var database = open()) {
      new MonthlyQuotas(new Ledger(database, () -> {}), 80).judgeAll();
    }
  }

  private static Database open() {
    return Database.open(
        new Database.Address(
            DATABASE.host(),
            DATABASE.port(),
            DATABASE.database(),
            DATABASE.user(),
            DATABASE.password()));
  }

  /** A full minute so many minutes ago, but in this month. */
  private static String minute(int ago) {
    var now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    var then = now.minus(ago, ChronoUnit.MINUTES);
    boolean sameMonth =
        then.atOffset(ZoneOffset.UTC).getMonth() == now.atOffset(ZoneOffset.UTC).getMonth();
    return (sameMonth ? then : now).toString();
  }
}
