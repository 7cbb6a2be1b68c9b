package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What proxies tell of their brokers, share as tokens and switch together. */
class EdgeSharingIT {
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
  void storageBlocksAboveTheCapAndReleasesAtNinetyPercent() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"max_retained_bytes\": 1000}");
    var feed = state.feedStart();
    assertFalse(storage(cluster, 1000L), "the cap itself is fine");
    assertTrue(storage(cluster, 1001L));
    assertTrue(storage(cluster, null), "an unknown size changes nothing");
    assertTrue(storage(cluster, 950L));
    state.restart();
    assertTrue(state.view(cluster).at("/blocks/storage").booleanValue(), "a restart keeps it");
    assertFalse(storage(cluster, 900L));
    assertFalse(storage(cluster, 950L));
    assertEquals(List.of("cluster", "cluster"), state.changesAfter(feed));
    assertEquals(
        2,
        state.count(
            "SELECT count(*) FROM queen_proxy.operations WHERE action LIKE 'storage_quota_%'"));
    storage(cluster, 2000L);
    state.override(cluster, "{\"max_retained_bytes\": 2200}");
    assertTrue(state.view(cluster).at("/blocks/storage").booleanValue(), "above nine tenths");
    state.override(cluster, "{\"max_retained_bytes\": 3000}");
    assertFalse(state.view(cluster).at("/blocks/storage").booleanValue(), "a higher cap, at once");
    state.override(cluster, "{\"max_retained_bytes\": null}");
    assertFalse(state.view(cluster).at("/blocks/storage").booleanValue(), "no cap, no block");
  }

  @Test
  void anInventoryReplacesTheQueuesThatAreKnown() {
    var cluster = state.tenant("acme");
    var other = state.tenant("other");
    inventory(cluster, 0L, true, "a", "b");
    inventory(other, 0L, true, "a");
    assertEquals(List.of("a", "b"), queues(cluster));
    inventory(cluster, 0L, false, "c");
    assertEquals(List.of("a", "b", "c"), queues(cluster), "a part adds only");
    inventory(cluster, 0L, true, "c");
    assertEquals(List.of("c"), queues(cluster));
    inventory(cluster, 0L, true);
    assertEquals(List.of(), queues(cluster));
    inventory(cluster, 0L, true, "a");
    assertEquals(List.of("a"), queues(cluster), "a name may come again");
    assertEquals(List.of("a"), queues(other), "another tenant's queue of that name stays");
    assertEquals(
        "cluster_unknown", inventory("00000000-0000-0000-0000-000000000009", 0L, true, "a").code());
  }

  @Test
  void theListOfClustersHasTheirViews() {
    var first = state.tenant("acme");
    state.tenant("zeta");
    var page = state.client().edge("/api/edge/clusters").body();
    assertEquals(2, page.get("clusters").size());
    assertEquals(state.view(first), page.at("/clusters/0"));
    assertTrue(page.get("next_after").isNull());
    var rest = state.client().edge("/api/edge/clusters?after=acme").body();
    assertEquals("zeta", rest.at("/clusters/0/slug").stringValue());
  }

  @Test
  void theShadowSwitchIsKeptAuditedAndAnnounced() throws Exception {
    assertTrue(state.client().edge("/api/edge/settings").body().get("enforce").isNull());
    var feed = state.feedStart();
    for (var value : List.of("true", "true", "false", "null")) {
      var set = state.client().put("/api/cp/settings", "{\"enforce\": %s}".formatted(value));
      assertEquals(200, set.status(), set::toString);
      assertEquals(
          value, state.client().edge("/api/edge/settings").body().get("enforce").toString());
    }
    assertEquals(List.of("settings", "settings", "settings"), state.changesAfter(feed));
    assertEquals(
        3, state.count("SELECT count(*) FROM queen_proxy.operations WHERE action = 'enforce_set'"));
    assertEquals(400, state.client().put("/api/cp/settings", "{\"enforce\": 1}").status());
  }

  @Test
  void aBucketStartsFullGrantsWhatIsThereAndSaysWhenMoreWillBe() {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"max_msgs_per_sec\": 1, \"msgs_burst\": 100}");
    var first = ask(cluster, 10, 60);
    assertEquals(60, first.get("granted").intValue());
    assertEquals(1, first.get("rate").intValue());
    assertEquals(100, first.get("capacity").intValue());
    var rest = ask(cluster, 10, 60).get("granted").intValue();
    assertTrue(rest >= 40 && rest < 60, "the rest is granted: " + rest);
    var refused = ask(cluster, 50, 60);
    assertEquals(0, refused.get("granted").intValue());
    long waitMs = refused.get("retry_after_ms").longValue();
    assertTrue(waitMs > 10_000 && waitMs <= 50_000, "a deficit at one a second: " + waitMs);
  }

  @Test
  void aRefusalTakesNothingAndADebitMayGoBelowZero() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"max_msgs_per_sec\": 0, \"msgs_burst\": 10}");
    for (int i = 0; i < 5; i++) {
      assertEquals(0, ask(cluster, 11, 11).get("granted").intValue());
    }
    assertEquals(10, tokens(cluster));
    reserve(entry(cluster, "messages", 0, 0).put("debit", 25));
    assertEquals(-15, tokens(cluster));
    assertEquals(0, ask(cluster, 1, 1).get("granted").intValue());
    assertEquals(3_600_000, ask(cluster, 1, 1).get("retry_after_ms").longValue());
    reserve(entry(cluster, "messages", 0, 0).put("give_back", 500));
    assertEquals(10, tokens(cluster), "what is given back never exceeds the capacity");
  }

  @Test
  void timeRefillsAtTheRateUpToTheCapacity() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"max_msgs_per_sec\": 3, \"msgs_burst\": 10}");
    assertEquals(10, ask(cluster, 1, 10).get("granted").intValue());
    passSeconds(2);
    int granted = ask(cluster, 1, 10).get("granted").intValue();
    assertTrue(granted >= 6 && granted <= 10, "two seconds at three a second: " + granted);
    passSeconds(1_000_000_000);
    assertEquals(10, ask(cluster, 1, 1000).get("granted").intValue());
  }

  @Test
  void aChangeOfPlanHandsOutNoTokens() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"max_msgs_per_sec\": 0, \"msgs_burst\": 10}");
    assertEquals(6, ask(cluster, 1, 6).get("granted").intValue());
    state.override(cluster, "{\"max_msgs_per_sec\": 0, \"msgs_burst\": 1000}");
    assertEquals(1000, ask(cluster, 0, 0).get("capacity").intValue());
    assertEquals(4, tokens(cluster));
    state.override(cluster, "{\"max_msgs_per_sec\": 0, \"msgs_burst\": 2}");
    assertEquals(2, ask(cluster, 1, 10).get("granted").intValue(), "a lower capacity clamps");
  }

  @Test
  void manyAskersAtOnceNeverGetMoreThanTheBucketHolds() throws Exception {
    var cluster = state.tenant("acme");
    var other = state.tenant("other");
    state.override(cluster, "{\"max_msgs_per_sec\": 0, \"msgs_burst\": 1000}");
    state.override(other, "{\"max_msgs_per_sec\": 0, \"msgs_burst\": 1000}");
    var calls = new ArrayList<Callable<Long>>();
    for (int i = 0; i < 200; i++) {
      // Two clusters in either order: locks are taken in one.
      var asks = new ArrayList<>(List.of(entry(cluster, "messages", 3, 7)));
      asks.add(i % 2, entry(other, "messages", 1, 1));
      int mine = 1 - i % 2;
      calls.add(() -> reserve(asks.toArray(ObjectNode[]::new)).get(mine).get("granted").asLong());
    }
    long granted = 0;
    try (var threads = Executors.newFixedThreadPool(16)) {
      for (var future : threads.invokeAll(calls)) {
        granted += future.get();
      }
    }
    assertEquals(1000 - tokens(cluster), granted);
    assertTrue(granted <= 1000 && granted > 1000 - 3, "all but less than one need: " + granted);
    assertEquals(800, tokens(other));
  }

  @Test
  void whereNothingIsLimitedNothingIsKept() throws Exception {
    var cluster = state.tenant("acme");
    state.override(cluster, "{\"max_msgs_per_sec\": null}");
    assertTrue(ask(cluster, 5, 5).get("granted").isNull());
    assertEquals(0, state.count("SELECT count(*) FROM queen_proxy.quota_buckets"));
    var twice =
        state.edge(
            "POST",
            "/api/edge/reservations",
            asks(entry(cluster, "messages", 1, 1), entry(cluster, "messages", 1, 1)));
    assertEquals(400, twice.status());
    var wrong =
        state.edge("POST", "/api/edge/reservations", asks(entry(cluster, "messages", 5, 4)));
    assertTrue(wrong.error().contains("asks[0].want"), wrong.error());
  }

  private boolean storage(String cluster, Long bytes) {
    return inventory(cluster, bytes, true).body().at("/blocks/storage").booleanValue();
  }

  private StateClient.Answer inventory(
      String cluster, Long bytes, boolean complete, String... queues) {
    var body = Json.object().put("retained_bytes", bytes).put("complete", complete);
    var list = body.putArray("queues");
    for (var queue : queues) {
      list.addObject().put("name", queue).put("partitions", 3);
    }
    return state.edge("PUT", "/api/edge/clusters/" + cluster + "/inventory", body);
  }

  private List<String> queues(String cluster) {
    return state
        .client()
        .edge("/api/edge/clusters/" + cluster + "/queues")
        .body()
        .get("queues")
        .valueStream()
        .map(queue -> queue.get("name").stringValue())
        .toList();
  }

  private JsonNode ask(String cluster, long need, long want) {
    return reserve(entry(cluster, "messages", need, want)).get(0);
  }

  private JsonNode reserve(ObjectNode... asks) {
    var answer = state.edge("POST", "/api/edge/reservations", asks(asks));
    assertEquals(200, answer.status(), answer::toString);
    return answer.body().get("grants");
  }

  private static ObjectNode asks(ObjectNode... asks) {
    var body = Json.object();
    body.putArray("asks").addAll(List.of(asks));
    return body;
  }

  private static ObjectNode entry(String cluster, String bucket, long need, long want) {
    return Json.object()
        .put("cluster_id", cluster)
        .put("bucket", bucket)
        .put("need", need)
        .put("want", want);
  }

  private long tokens(String cluster) throws Exception {
    return state.count(
        """
        SELECT floor(micro_tokens / 1000000)::bigint FROM queen_proxy.quota_buckets
        WHERE cluster_id = '%s' AND bucket = 'messages'"""
            .formatted(cluster));
  }

  private void passSeconds(long seconds) throws Exception {
    state.execute(
        "UPDATE queen_proxy.quota_buckets SET refilled_at = refilled_at - interval '%d seconds'"
            .formatted(seconds));
  }
}
