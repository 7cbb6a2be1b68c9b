package dev.queencell.proxy.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteClassifierTest {
  @ParameterizedTest
  @CsvSource({
    "POST, /api/v1/push, PUSH",
    "POST, /api/v1/transaction, TRANSACTION",
    "GET, /api/v1/pop/queue/orders, POP",
    "GET, /api/v1/pop/queue/orders/partition/p1, POP",
    "POST, /api/v1/ack, CONSUME_OTHER",
    "POST, /api/v1/ack/batch, CONSUME_OTHER",
    "POST, /api/v1/lease/0195/extend, CONSUME_OTHER",
    "POST, /api/v1/fetch, CONSUME_OTHER",
    "POST, /api/v1/partitions/changed, CONSUME_OTHER",
    "POST, /api/v1/configure, CONFIGURE",
    "DELETE, /api/v1/resources/queues/orders, QUEUE_DELETE",
    "DELETE, /api/v1/consumer-groups/g, QUEUE_ADMIN_OTHER",
    "DELETE, /api/v1/consumer-groups/g/queues/q, QUEUE_ADMIN_OTHER",
    "POST, /api/v1/consumer-groups/g/subscription, QUEUE_ADMIN_OTHER",
    "POST, /api/v1/consumer-groups/g/queues/q/seek, QUEUE_ADMIN_OTHER",
    "POST, /api/v1/consumer-groups/g/queues/q/partitions/p/seek, QUEUE_ADMIN_OTHER",
    "DELETE, /api/v1/dlq, QUEUE_ADMIN_OTHER",
    "DELETE, /api/v1/messages/p/t, QUEUE_ADMIN_OTHER",
    "POST, /api/v1/messages/p/t/retry, DLQ_RETRY",
    "POST, /api/v1/dlq/7/replay, DLQ_REPLAY",
    "GET, /api/v1/resources/queues, READ",
    "GET, /api/v1/resources/queues/q, READ",
    "GET, /api/v1/resources/queues/q/depth, READ",
    "GET, /api/v1/resources/overview, READ",
    "GET, /api/v1/resources/namespaces, READ",
    "GET, /api/v1/resources/tasks, READ",
    "GET, /api/v1/resources/kv/namespaces, READ",
    "POST, /api/v1/resources/kv/list, READ",
    "GET, /api/v1/status/queues, READ",
    "GET, /api/v1/status/queues/q, READ",
    "GET, /api/v1/status/analytics, READ",
    "GET, /api/v1/analytics/queue-lag, READ",
    "GET, /api/v1/analytics/queue-ops, READ",
    "GET, /api/v1/analytics/queue-parked-replicas, READ",
    "GET, /api/v1/analytics/retention, READ",
    "GET, /api/v1/analytics/workload, READ",
    "GET, /api/v1/analytics/dlq-signatures, READ",
    "GET, /api/v1/analytics/partition-liveness, READ",
    "GET, /api/v1/consumer-groups, READ",
    "GET, /api/v1/consumer-groups/lagging, READ",
    "GET, /api/v1/consumer-groups/g, READ",
    "GET, /api/v1/dlq, READ",
    "GET, /api/v1/messages, READ",
    "HEAD, /api/v1/messages, READ",
    "GET, /api/v1/messages/p/t, READ",
    "GET, /api/v1/traces/p/t, READ",
    "GET, /api/v1/traces/by-name/n, READ",
    "GET, /api/v1/traces/names, READ",
    "GET, /health, READ",
    "GET, /, READ",
    "GET, /queues/overview, READ",
    "GET, /assets/app.js, READ",
    "GET, /auth/me, READ",
    "POST, /streams/v1/queries, STREAMS_OTHER",
    "POST, /streams/v1/state/get, STREAMS_OTHER",
    "POST, /streams/v1/cycle, STREAMS_CYCLE",
    "POST, /api/v1/traces, TRACES_WRITE",
    "POST, /api/v1/kv, KV_BATCH",
    "GET, /api/v1/kv/ns/a/b, KV_READ",
    "PUT, /api/v1/kv/ns/a, KV_PUT",
    "DELETE, /api/v1/kv/ns/a, KV_DELETE",
    "POST, /api/v1/timers, TIMERS_BATCH",
    "GET, /api/v1/timers/q, TIMERS_READ",
    "GET, /api/v1/timers/q/k/1, TIMERS_READ",
    "DELETE, /api/v1/timers/q/k, TIMERS_CANCEL",
    "POST, /api/v1/ephemeral/push, EPHEMERAL_PUSH",
    "GET, /api/v1/ephemeral/pop, EPHEMERAL_POP",
    "POST, /api/v1/ephemeral/ack, EPHEMERAL_WRITE",
    "POST, /api/v1/ephemeral/configure, EPHEMERAL_WRITE",
    "POST, /api/v1/ephemeral/reset, EPHEMERAL_WRITE",
    "DELETE, /api/v1/ephemeral/queue/q, EPHEMERAL_WRITE",
    "GET, /api/v1/ephemeral/queues, EPHEMERAL_READ",
    "GET, /api/v1/ephemeral/queues/q/depth, EPHEMERAL_READ",
    "GET, /api/v1/status, OPERATOR",
    "GET, /api/v1/status/buffers, OPERATOR",
    "GET, /api/v1/analytics/system-metrics, OPERATOR",
    "GET, /api/v1/analytics/worker-metrics, OPERATOR",
    "GET, /api/v1/analytics/postgres-stats, OPERATOR",
    "GET, /api/v1/system/maintenance, OPERATOR",
    "POST, /api/v1/system/maintenance, OPERATOR",
    "POST, /api/v1/system/maintenance/pop, OPERATOR",
    "GET, /metrics/prometheus, OPERATOR",
    "GET, /api/v1/pop, BLOCKED",
    "POST, /api/v1/stats/refresh, BLOCKED",
    "GET, /api/v1/system/kv-timers, BLOCKED",
    "POST, /api/v1/system/ephemeral, BLOCKED",
    "GET, /api/v1/system/shared-state, BLOCKED",
    "POST, /api/v1/migration/start, BLOCKED",
    "POST, /internal/api/notify, BLOCKED",
    "GET, /internal, BLOCKED",
    "GET, /internals, BLOCKED",
    "GET, /metrics, BLOCKED",
    "GET, /status, BLOCKED",
  })
  void everyListedRouteHasItsClass(String method, String path, Route expected) {
    assertEquals(expected, RouteClassifier.classify(method, path));
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/nonsense",
    "GET, /api/v2/push",
    "GET, /api",
    "GET, /api/v1",
    "GET, /api/v1/push",
    "PUT, /api/v1/push",
    "POST, /api/v1/push/x",
    "POST, /api/v1/pop/queue/q",
    "GET, /api/v1/pop/queue",
    "GET, /api/v1/pop/queue/q/partition",
    "GET, /api/v1/pop/queue/q/other/p",
    "GET, /api/v1/ack",
    "POST, /api/v1/ack/other",
    "PUT, /api/v1/messages/p/t",
    "POST, /api/v1/messages",
    "DELETE, /api/v1/messages",
    "GET, /api/v1/messages/t",
    "POST, /api/v1/messages/p/t/other",
    "PATCH, /api/v1/resources/queues/q",
    "GET, /api/v1/kv/ns",
    "POST, /api/v1/kv/ns/k",
    "GET, /streams/v1/queries",
    "POST, /streams/v2/cycle",
    "GET, /api/v1/queues",
    "GET, /api/cp/cells",
    "GET, /api/console/overview",
    "GET, /api/edge/changes",
    "POST, /",
    "DELETE, /health",
    "OPTIONS, /api/v1/push",
    "TRACE, /",
    "BREW, /api/v1/pop/queue/q",
  })
  void whatIsOnNoListIsBlocked(String method, String path) {
    assertEquals(RouteClass.BLOCKED, RouteClassifier.classify(method, path).routeClass());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//api/v1/push",
        "/api//v1/push",
        "/api/v1//push",
        "/api/v1/push/",
        "/api/v1/./push",
        "/api/v1/x/../push",
        "/api/v1/%2e/push",
        "/api/v1/%2E%2e/metrics",
        "/api/v1/x/%2e./push",
        "/./metrics",
        "/%2e%2e/metrics",
        "/API/v1/push",
        "/Api/v1/push",
        "/Metrics",
        "/METRICS/prometheus",
        "/Internal/api/notify",
        "/STATUS",
        "/Streams/v1/cycle",
        "/metrics/",
        "/metrics;x=1",
        "/api/v1/push;jsessionid=1",
        "/api\\v1\\push",
        "/api/v1/pop/queue/a%5Cb",
        "/api/v1/pop/queue/%00",
        "/api/v1/pop/queue/%0d%0a",
        "/api/v1/pop/queue/%",
        "/api/v1/pop/queue/%2",
        "/api/v1/pop/queue/%zz",
        "/api/v1/pop/queue/%ff%fe",
        "/api/v1/pop/queue/a b",
        "/api/v1/pop/queue/\u00e4",
        "/api/v1/pop/queue/",
        "api/v1/push",
        "",
        "*",
        "/%6detrics",
        "/%69nternal/api/notify",
        "/m%65trics/prometheus",
        "/health/../metrics",
        "/x%2f..%2fmetrics",
        "/%2fmetrics",
        "/a%2f",
      })
  void oddSpellingsAreBlockedWhateverTheMethod(String path) {
    for (var method : new String[] {"GET", "POST", "PUT", "DELETE", "HEAD"}) {
      var routeClass = RouteClassifier.classify(method, path).routeClass();
      assertTrue(
          routeClass == RouteClass.BLOCKED || routeClass == RouteClass.OPERATOR,
          method + " " + path + " is " + routeClass);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // A name with a slash is a name, as long as no other reading is another known route.
    "GET, /api/v1/pop/queue/a%2Fb, POP",
    "GET, /api/v1/pop/queue/50%25, POP",
    "GET, /api/v1/pop/queue/a%20b, POP",
    "GET, /api/v1/pop/queue/%C3%A4, POP",
    "GET, /api/v1/pop/queue/a%2Fpartition%2Fb, POP",
    "GET, /api/v1/pop/queue/%2e%2e%2e, POP",
    "DELETE, /api/v1/resources/queues/a%2Fb, QUEUE_DELETE",
    // Encoded letters of a static part are that part.
    "POST, /api/v1/%70ush, PUSH",
  })
  void namesMayHoldEscapes(String method, String path, Route expected) {
    assertEquals(expected, RouteClassifier.classify(method, path));
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/%73ystem/shared-state",
    "GET, /api/v1%2Fmetrics",
    "GET, /x%2Fy/..%2Fmetrics",
    "GET, /foo%2F..%2Fapi",
    "GET, /api%2Fv1%2Fpush",
    "POST, /api%2Fv1%2Fpush",
    "GET, /metrics%2Fprometheus",
    "GET, /x%2Fy",
    "GET, /api/v1/status%2Fqueues",
    "GET, /api/v1/resources/queues/a%2F..%2F..%2Fsystem",
    "GET, /api/v1/pop/queue/a%2F%2Fb",
    "DELETE, /api/v1/consumer-groups/g%2Fqueues%2Fq/subscription",
    "GET, /api/v1/dlq/7%2Freplay",
  })
  void aPathThatAnotherServerCouldReadAsAnotherRouteIsBlocked(String method, String path) {
    assertEquals(RouteClass.BLOCKED, RouteClassifier.classify(method, path).routeClass());
  }

  @Test
  void scopesFollowTheMatrix() {
    assertAllows(RouteClass.PRODUCE, true, false, false, false);
    assertAllows(RouteClass.CONSUME, false, true, false, false);
    assertAllows(RouteClass.QUEUE_ADMIN, false, false, true, false);
    assertAllows(RouteClass.READ, false, false, true, true);
    assertAllows(RouteClass.GATED_WRITE, true, true, false, false);
    assertAllows(RouteClass.GATED_READ, true, true, true, true);
    assertAllows(RouteClass.OPERATOR, false, false, false, false);
    assertAllows(RouteClass.BLOCKED, false, false, false, false);
    assertTrue(RouteClass.PRODUCE.allows(EnumSet.of(Scope.READ, Scope.PRODUCE)));
    for (var routeClass : RouteClass.values()) {
      assertFalse(routeClass.allows(EnumSet.noneOf(Scope.class)));
    }
  }

  private static void assertAllows(
      RouteClass routeClass, boolean produce, boolean consume, boolean admin, boolean read) {
    assertEquals(produce, routeClass.allows(EnumSet.of(Scope.PRODUCE)), routeClass + " produce");
    assertEquals(consume, routeClass.allows(EnumSet.of(Scope.CONSUME)), routeClass + " consume");
    assertEquals(admin, routeClass.allows(EnumSet.of(Scope.ADMIN)), routeClass + " admin");
    assertEquals(read, routeClass.allows(EnumSet.of(Scope.READ)), routeClass + " read");
  }
}
