package dev.queencell.broker.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessTableTest {
  @ParameterizedTest
  @CsvSource({
    "GET, /health, PUBLIC",
    "GET, /metrics, PUBLIC",
    "GET, /metrics/prometheus, PUBLIC",
    "GET, /, PUBLIC",
    "GET, /assets/a.js, PUBLIC",
    "GET, /favicon.ico, PUBLIC",
    "GET, /auth/me, PUBLIC",
    "GET, /auth/login, PUBLIC",
    "POST, /auth/logout, PUBLIC",
    "OPTIONS, /api/v1/push, PUBLIC",
    "GET, /metricsx, READ_WRITE",
    "GET, /auth/other, READ_WRITE",
    "POST, /api/v1/push, WRITE_ONLY",
    "GET, /api/v1/push, READ_WRITE",
    "POST, /api/v1/timers, WRITE_ONLY",
    "POST, /api/v1/ephemeral/push, WRITE_ONLY",
    "POST, /api/v1/ack, READ_WRITE",
    "GET, /api/v1/pop/queue/q, READ_WRITE",
    "POST, /api/v1/transaction, READ_WRITE",
    "POST, /api/v1/configure, READ_WRITE",
    "GET, /status, READ_ONLY",
    "GET, /api/v1/status, READ_ONLY",
    "GET, /api/v1/status/buffers, READ_ONLY",
    "GET, /api/v1/statusx, READ_WRITE",
    "GET, /api/v1/analytics/queue-lag, READ_ONLY",
    "GET, /api/v1/resources/queues/q/depth, READ_ONLY",
    "HEAD, /api/v1/resources/queues, READ_ONLY",
    "GET, /api/v1/consumer-groups, READ_ONLY",
    "GET, /api/v1/messages/p/t, READ_ONLY",
    "GET, /api/v1/dlq, READ_ONLY",
    "GET, /api/v1/traces/names, READ_ONLY",
    "POST, /api/v1/traces, READ_WRITE",
    "GET, /api/v1/kv/ns/key, READ_ONLY",
    "PUT, /api/v1/kv/ns/key, READ_WRITE",
    "GET, /api/v1/timers/q, READ_ONLY",
    "GET, /api/v1/ephemeral/queues, READ_ONLY",
    "GET, /api/v1/ephemeral/pop, READ_WRITE",
    "GET, /openapi.json, READ_ONLY",
    "GET, /docs, READ_ONLY",
    "GET, /docsx, READ_WRITE",
    "POST, /streams/v1/state/get, READ_ONLY",
    "POST, /streams/v1/cycle, READ_WRITE",
    "POST, /api/v1/resources/kv/list, READ_ONLY",
    "POST, /api/v1/fetch, READ_ONLY",
    "POST, /api/v1/partitions/changed, READ_ONLY",
    "DELETE, /api/v1/messages/p/t, READ_WRITE",
    "DELETE, /api/v1/consumer-groups/g, ADMIN",
    "DELETE, /api/v1/consumer-groups/g/queues/q, ADMIN",
    "POST, /api/v1/consumer-groups/g/subscription, READ_WRITE",
    "DELETE, /api/v1/resources/queues/q, ADMIN",
    "DELETE, /api/v1/dlq, ADMIN",
    "POST, /api/v1/dlq/1/replay, READ_WRITE",
    "GET, /api/v1/system/maintenance, ADMIN",
    "POST, /api/v1/stats/refresh, ADMIN",
    "POST, /internal/api/notify, ADMIN",
    "GET, /internal/anything, ADMIN",
    "GET, /no/such/path, READ_WRITE",
    "PATCH, /api/v1/push, READ_WRITE"
  })
  void everyPathHasItsLevel(String method, String path, AccessLevel level) {
    assertEquals(level, AccessTable.levelOf(method, path));
  }

  @ParameterizedTest
  @CsvSource({
    "ADMIN, yes, yes, yes, yes",
    "READ_WRITE, yes, yes, yes, no",
    "READ_ONLY, yes, no, no, no",
    "WRITE_ONLY, no, yes, no, no"
  })
  void rolesAreSetsAndNoLadder(
      Role role, String readOnly, String writeOnly, String readWrite, String admin) {
    assertEquals(readOnly.equals("yes"), role.satisfies(AccessLevel.READ_ONLY));
    assertEquals(writeOnly.equals("yes"), role.satisfies(AccessLevel.WRITE_ONLY));
    assertEquals(readWrite.equals("yes"), role.satisfies(AccessLevel.READ_WRITE));
    assertEquals(admin.equals("yes"), role.satisfies(AccessLevel.ADMIN));
  }
}
