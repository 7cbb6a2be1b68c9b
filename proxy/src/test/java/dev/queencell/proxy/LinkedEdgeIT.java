package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.ClientProbes;
import dev.queencell.service.DirectExchange;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The proxy and a broker that offers a link: what crosses it, and what a broken side does. */
class LinkedEdgeIT {
  private static final String ONE = "{\"items\":[{\"queue\":\"orders\",\"payload\":1}]}";
  private static final String POP = "/api/v1/pop/queue/";
  private static final int LARGE_BYTES = 64 * 1024 * 1024;

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static EdgeBench bench;
  private LinkedBroker broker;
  private ProxyMain proxy;
  private EdgeClient client;
  private TenantState.Tenant tenant;

  @BeforeAll
  static void startBench() {
    bench = new EdgeBench(DATABASE);
  }

  @AfterAll
  static void stopBench() {
    bench.close();
  }

  @BeforeEach
  void start() {
    broker = new LinkedBroker(0);
    bench.state.useBroker(broker.port());
    tenant = bench.state.tenant("bench");
    start(Map.of("QUEEN_PROXY_METER_FLUSH_MS", "100"));
  }

  private void start(Map<String, String> settings) {
    bench.closeProxies();
    proxy = bench.proxy(settings);
    client = new EdgeClient(proxy.port());
    awaitLink();
  }

  @AfterEach
  void stop() {
    bench.closeProxies();
    broker.close();
  }

  private void awaitLink() {
    int before = broker.linked.get();
    Await.until(
        "requests go over the link",
        () -> {
          call("GET", POP + "empty").send();
          return broker.linked.get() > before;
        });
    broker.heads.clear();
  }

  private EdgeClient.Call call(String method, String path) {
    return client.call(method, path).host(tenant.host()).key(tenant.key());
  }

  @Test
  void pushesPopsAndAcknowledgementsCrossWithTheTenantAndWithoutTheClientsKey() throws Exception {
    int before = broker.linked.get();
    var push = call("POST", "/api/v1/push").header("x-queen-tenant", "somebody").body(ONE).send();
    assertEquals(201, push.status());
    assertArrayEquals(LinkedBroker.QUEUED, push.body());
    var head = broker.heads.take();
    assertEquals("Bearer " + TenantState.CELL_SECRET, head.authorization());
    assertFalse(head.tenantRepeats());
    assertFalse(head.tenant().contains("somebody"));
    var empty = call("GET", POP + "empty").send();
    assertEquals(204, empty.status());
    assertNull(empty.header("content-type"));
    var ack = call("POST", "/api/v1/ack").body("{}").send();
    assertEquals("{}", ack.text());
    assertEquals("application/json", ack.header("content-type"));
    assertEquals(before + 3, broker.linked.get());
    Await.until("the push is billed", () -> bench.metered(tenant, "msgs", "push") == 1);
  }

  @Test
  void aRefusalKeepsItsStatusAndItsFields() {
    var refused = call("GET", POP + "refused").send();
    assertEquals(503, refused.status());
    assertEquals("loading", refused.code());
    assertEquals("3", refused.header("retry-after"));
    assertEquals("http://owner/", refused.header("location"));
  }

  @Test
  void whatTheLinkLeavesIsSentOverHttpOnce() {
    assertEquals("{\"way\":\"http\"}", call("GET", POP + "q/partition/a%2Fb").send().text());
    var large = new byte[65_000];
    assertEquals("{\"way\":\"http\"}", call("POST", "/api/v1/ack/batch").body(large).send().text());
    assertEquals(2, broker.overHttp.get());
  }

  @Test
  void aClientThatLeavesEndsItsPopAtTheBroker() throws Exception {
    var gone = new CompletableFuture<Void>();
    DirectExchange parked;
    try (var socket = call("GET", POP + "parked?wait=true&timeout=60000").open()) {
      parked = broker.parked.take();
      parked.watch(() -> gone.complete(null));
      assertTrue(socket.isConnected());
    }
    gone.get();
    parked.abandon();
    Await.until(
        "its place is free",
        () -> EdgeBench.metric(proxy, "queencell_proxy_parked_pops") == 0 && inUse() == 0);
  }

  @Test
  void aLargeAnswerCrossesPieceByPieceWhileOthersAreServed() throws Exception {
    try (var socket = call("GET", POP + "large").open()) {
      var in = socket.getInputStream();
      Await.until("it has begun", () -> inUse() == 1);
      for (int i = 0; i < 20; i++) {
        assertEquals(200, call("POST", "/api/v1/ack").body("{}").send().status());
      }
      assertEquals(1, inUse(), "it has crossed although nobody read it");
      assertArrayEquals(broker.large, EdgeClient.read(in, "GET").body());
    }
  }

  @Test
  void aClientThatLeavesAmidALargeAnswerTakesTheRestWithIt() throws Exception {
    try (var socket = call("GET", POP + "large").open()) {
      assertTrue(socket.getInputStream().read() > 0);
    }
    broker.lost.get();
    Await.until("the call is over", () -> inUse() == 0);
  }

  @Test
  void aBrokerThatEndsIsABadGatewayForAPushThatMayHaveArrivedAndAnotherOneIsFound()
      throws Exception {
    int port = broker.port();
    errors.expect("failed to stop gracefully");
    try (var socket = call("POST", "/api/v1/push").body("{\"items\":[\"held\"]}").open()) {
      broker.parked.take();
      broker.close();
      assertEquals(502, EdgeClient.read(socket.getInputStream(), "POST").status());
    }
    broker = new LinkedBroker(port);
    Await.until("the new broker is found", () -> push() == 201);
    awaitLink();
  }

  @Test
  void aBrokerThatStaysSilentTimesOutAndIsToldThatNobodyWaits() throws Exception {
    start(Map.of("QUEEN_PROXY_UPSTREAM_TIMEOUT_MS", "300"));
    var silent = call("POST", "/api/v1/push").body("{\"items\":[\"held\"]}").send();
    assertEquals(504, silent.status());
    assertEquals("upstream_timeout", silent.code());
    var held = broker.parked.take();
    var gone = new CompletableFuture<Void>();
    held.watch(() -> gone.complete(null));
    gone.get();
    held.abandon();
    assertEquals(201, push());
    awaitLink();
  }

  private int push() {
    return call("POST", "/api/v1/push").body(ONE).send().status();
  }

  private int inUse() {
    return (int) EdgeBench.metric(proxy, "queencell_proxy_broker_connections_in_use");
  }

  /** Answers what comes over links as its path says. */
  private static final class LinkedBroker implements AutoCloseable {
    static final byte[] QUEUED =
        "[{\"index\":0,\"status\":\"queued\"}]".getBytes(StandardCharsets.UTF_8);

    record Head(String tenant, boolean tenantRepeats, String authorization) {}

    final AtomicInteger linked = new AtomicInteger();
    final AtomicInteger overHttp = new AtomicInteger();
    final BlockingQueue<Head> heads = new LinkedBlockingQueue<>();
    final BlockingQueue<DirectExchange> parked = new LinkedBlockingQueue<>();
    final CompletableFuture<Void> lost = new CompletableFuture<>();
    final byte[] large =
        "0123456789abcdef".repeat(LARGE_BYTES / 16).getBytes(StandardCharsets.UTF_8);
    private final HttpServer server;

    LinkedBroker(int port) {
      server =
          HttpServer.start(
              "127.0.0.1",
              port,
              100,
              ClientProbes.DEFAULT,
              routes -> routes.before(this::http),
              new HttpServer.Direct(null, this::begin, null));
    }

    int port() {
      return server.port();
    }

    private void http(Context ctx) throws IOException {
      ctx.skipRemainingHandlers();
      if (!ctx.path().equals(POP + "empty")) {
        overHttp.incrementAndGet();
      }
      int status = ctx.path().endsWith("/push") ? 201 : 200;
      HttpServer.json(ctx, status, "{\"way\":\"http\"}".getBytes(StandardCharsets.UTF_8));
    }

    private boolean begin(DirectExchange exchange) {
      if (exchange.path().contains("%") || exchange.path().endsWith("/batch")) {
        return false;
      }
      linked.incrementAndGet();
      heads.add(
          new Head(
              exchange.header("x-queen-tenant"),
              exchange.repeats("x-queen-tenant"),
              exchange.header("authorization")));
      exchange.readBody((int) exchange.bodyBytes(), body -> answer(exchange, body), () -> {});
      return true;
    }

    private void answer(DirectExchange exchange, byte[] body) {
      if (new String(body, StandardCharsets.UTF_8).contains("held")
          || exchange.path().endsWith("parked")) {
        parked.add(exchange);
      } else if (exchange.path().endsWith("empty")) {
        exchange.sendNothing();
      } else if (exchange.path().endsWith("refused")) {
        exchange
            .answerHeader("Location", "http://owner/")
            .send(new HttpProblem(503, "not yet", "loading", 3));
      } else if (exchange.path().endsWith("large")) {
        exchange.send(200, large, large.length, () -> lost.complete(null));
      } else if (exchange.path().endsWith("/push")) {
        exchange.send(201, QUEUED, QUEUED.length, () -> {});
      } else {
        exchange.send(200, body, body.length, () -> {});
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
