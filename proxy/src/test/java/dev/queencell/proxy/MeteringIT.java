package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What is billed, from the broker's answer to the tenant state's table; conformance check 16. */
class MeteringIT {
  private static final Map<String, String> QUICK = Map.of("QUEEN_PROXY_METER_FLUSH_MS", "50");

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();
  @TempDir private Path folder;

  private EdgeBench bench;
  private TenantState.Tenant tenant;
  private int port;

  @BeforeEach
  void start() {
    bench = new EdgeBench(DATABASE);
    tenant = bench.state.tenant("bench");
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private EdgeClient.Answer send(String method, String path, String body) {
    var call = new EdgeClient(port).call(method, path).host(tenant.host()).key(tenant.key());
    return (body == null ? call : call.body(body)).send();
  }

  private void answer(int status, String body) {
    bench.broker.answerWith((ctx, seen) -> RecordingBroker.json(ctx, status, body));
  }

  private void assertMetered(String opClass, long requests, long messages) {
    Await.until(
        "%s is at %d requests and %d messages".formatted(opClass, requests, messages),
        Duration.ofSeconds(10),
        () ->
            bench.metered(tenant, "reqs", opClass) == requests
                && bench.metered(tenant, "msgs", opClass) == messages);
  }

  @Test
  void everyClassIsBilledForWhatTheBrokerDid() {
    port = bench.proxy(QUICK).port();
    answer(
        201,
        "[{\"status\":\"queued\"},{\"status\":\"buffered\"},{\"status\":\"queued\"},"
            + "{\"status\":\"duplicate\"},{\"status\":\"failed\"}]");
    var push = "{\"items\":[{\"queue\":\"q\",\"payload\":1}]}";
    assertEquals(201, send("POST", "/api/v1/push", push).status());
    answer(500, "[{\"status\":\"queued\"}]");
    assertEquals(500, send("POST", "/api/v1/push", push).status());
    assertMetered("push", 2, 3);
    var transaction =
        "{\"operations\":[{\"type\":\"push\",\"items\":[{\"queue\":\"q\",\"payload\":1},"
            + "{\"queue\":\"q\",\"payload\":2}]},{\"type\":\"ack\"}]}";
    answer(200, "{\"success\":true,\"results\":[{},{\"duplicate\":true},{}]}");
    assertEquals(200, send("POST", "/api/v1/transaction", transaction).status());
    answer(200, "{\"success\":false,\"reason\":\"duplicate\",\"results\":[]}");
    assertEquals(200, send("POST", "/api/v1/transaction", transaction).status());
    assertMetered("txn", 2, 1);
    answer(200, "{\"messages\":[{},{},{}]}");
    assertEquals(200, send("GET", "/api/v1/pop/queue/q", null).status());
    bench.broker.answerWith((ctx, seen) -> ctx.res().setStatus(204));
    assertEquals(204, send("GET", "/api/v1/pop/queue/q", null).status());
    assertMetered("delivery", 2, 3);
    answer(200, "{\"result\":\"moved\"}");
    assertEquals(200, send("POST", "/api/v1/dlq/7/replay", "{}").status());
    assertEquals(200, send("DELETE", "/api/v1/resources/queues/q", null).status());
    assertMetered("configure", 2, 0);
    assertMetered("push", 2, 4);
    assertEquals(200, send("POST", "/api/v1/ack", "{}").status());
    assertEquals(200, send("GET", "/api/v1/resources/queues", null).status());
    assertEquals(404, send("GET", "/api/v1/nonsense", null).status());
    assertMetered("read", 2, 0);
    assertTrue(bench.metered(tenant, "bytes_in", "push") >= 2L * push.length());
    assertTrue(bench.metered(tenant, "bytes_out", "delivery") > 0);
  }

  @Test
  void aLongAnswerIsCountedWhileItStreams() {
    port = bench.proxy(QUICK).port();
    var message = "{\"data\":\"" + "x".repeat(1000) + "\"}";
    bench.broker.answerWith(
        (ctx, seen) -> {
          var out = ctx.res().getOutputStream();
          out.print("{\"messages\":[");
          for (int i = 0; i < 999; i++) {
            out.print(message + ",");
          }
          out.print(message + "]}");
        });
    assertEquals(200, send("GET", "/api/v1/pop/queue/q", null).status());
    assertMetered("delivery", 1, 1000);
    assertEquals(
        "{\"messages\":[".length() + 1000L * (message.length() + 1) + 1,
        bench.metered(tenant, "bytes_out", "delivery"));
  }

  @Test
  void noRefusalIsBilled() {
    var free = bench.state.tenant("free");
    port = bench.proxy(QUICK).port();
    var client = new EdgeClient(port);
    int answered = 0;
    for (int i = 0; i < 60; i++) {
      answered +=
          client.get("/health").host(free.host()).key(free.key()).send().status() == 200 ? 1 : 0;
    }
    client.get("/health").host(free.host()).send();
    int expected = answered;
    Await.until(
        "what was answered is billed", () -> bench.metered(free, "reqs", "read") == expected);
    assertTrue(expected < 60);
  }

  @Test
  void theTotalIsExactThoughTheTenantStateAndTheProxyAreKilledBetween() throws Exception {
    var ledger = new Ledger();
    bench.broker.answerWith(ledger::answer);
    long told = 0;
    for (int round = 0; round < 4; round++) {
      // Never flushed in time: all that is counted is what was on disk when the kill came.
      try (var process = startProcess(round == 3 ? "50" : "3600000")) {
        told += pushFromManyClients(process, 8, 50);
        if (round == 1) {
          bench.state.process().pause();
          told += pushFromManyClients(process, 4, 20);
          bench.state.process().resume();
        }
        if (round == 3) {
          long expected = told;
          assertEquals(ledger.stored.size(), expected);
          Await.until(
              "all is metered",
              Duration.ofSeconds(20),
              () -> bench.metered(tenant, "msgs", "push") == expected);
        }
        process.kill9();
      }
    }
    assertEquals(told, bench.metered(tenant, "msgs", "push"), "and no more comes after it");
    assertEquals(told, bench.metered(tenant, "reqs", "push"));
  }

  @Test
  void aKillAmidPushesLosesNoneThatAClientWasTold() throws Exception {
    var ledger = new Ledger();
    bench.broker.answerWith(ledger::answer);
    var told = new AtomicLong();
    try (var process = startProcess("3600000")) {
      var threads = new ArrayList<Thread>();
      int target = process.awaitReady().getPort();
      for (int t = 0; t < 16; t++) {
        int mine = t;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = 0; pushOnce(target, "k" + mine + "-" + i); i++) {
                        told.incrementAndGet();
                      }
                    }));
      }
      Await.until("many were told", () -> told.get() > 500);
      process.kill9();
      for (var thread : threads) {
        thread.join();
      }
    }
    try (var process = startProcess("50")) {
      process.awaitReady();
      Await.until("what was left is sent", () -> bench.metered(tenant, "msgs", "push") > 0);
      process.kill9();
    }
    long metered = bench.metered(tenant, "msgs", "push");
    int stored = ledger.stored.size();
    assertTrue(
        told.get() <= metered && metered <= stored,
        "told %d, metered %d, stored %d".formatted(told.get(), metered, stored));
    assertTrue(stored - told.get() <= 16, "at most what was under way may differ");
  }

  /** Stores each id once, like a broker with a window. */
  private static final class Ledger {
    final Set<String> stored = ConcurrentHashMap.newKeySet();

    void answer(Context ctx, RecordingBroker.Seen seen) throws IOException {
      if (!seen.pathAndQuery().equals("/api/v1/push")) {
        RecordingBroker.json(ctx, 200, "{}");
        return;
      }
      var id = Json.readObject(seen.body()).at("/items/0/transactionId").asString();
      var status = stored.add(id) ? "queued" : "duplicate";
      RecordingBroker.json(ctx, 201, "[{\"status\":\"" + status + "\"}]");
    }
  }

  private JavaProcess startProcess(String flushMs) {
    var launch = JavaProcess.ofClass("dev.queencell.proxy.ProxyMain");
    bench
        .environment(
            Map.of(
                "QUEEN_PROXY_METER_FLUSH_MS",
                flushMs,
                "QUEEN_PROXY_SPOOL_DIR",
                folder.resolve("spool").toString()))
        .forEach(launch::env);
    return launch.start();
  }

  private long pushFromManyClients(JavaProcess process, int clients, int each) throws Exception {
    int target = process.awaitReady().getPort();
    var told = new AtomicLong();
    var threads = new ArrayList<Thread>();
    for (int c = 0; c < clients; c++) {
      var prefix = "c" + System.nanoTime() + "-" + c + "-";
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int i = 0; i < each; i++) {
                      if (pushOnce(target, prefix + i)) {
                        told.incrementAndGet();
                      }
                    }
                  }));
    }
    for (var thread : threads) {
      thread.join();
    }
    assertEquals((long) clients * each, told.get());
    return told.get();
  }

  /** True when the client was told that its message is stored. */
  private boolean pushOnce(int target, String id) {
    try {
      return new EdgeClient(target)
          .post("/api/v1/push")
          .host(tenant.host())
          .key(tenant.key())
          .body(
              "{\"items\":[{\"queue\":\"q\",\"transactionId\":\"%s\",\"payload\":1}]}"
                  .formatted(id))
          .send()
          .text()
          .contains("queued");
    } catch (RuntimeException e) {
      return false;
    }
  }
}
