package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Settings;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How requests and answers cross, and what a broken side does to the other one. */
class ForwardingIT {
  private static final String ONE = "{\"items\":[{\"queue\":\"orders\",\"payload\":1}]}";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static TenantState state;
  private RecordingBroker broker;
  private ProxyMain proxy;
  private EdgeClient client;
  private TenantState.Tenant tenant;

  @BeforeAll
  static void startState() {
    state = TenantState.start(DATABASE);
  }

  @AfterAll
  static void stopState() {
    state.close();
  }

  @BeforeEach
  void startBrokerAndProxy() {
    broker = new RecordingBroker(0);
    state.useBroker(broker.port());
    tenant = state.tenant("bench");
    start(Map.of("QUEEN_PROXY_ENFORCE", "true"));
  }

  @AfterEach
  void stopProxyAndBroker() {
    broker.release();
    proxy.close();
    broker.close();
  }

  private void start(Map<String, String> settings) {
    if (proxy != null) {
      proxy.close();
    }
    var environment = new TreeMap<>(settings);
    environment.put("QUEEN_PROXY_PORT", "0");
    environment.put("QUEENCELL_PROXY_LINK", "false");
    environment.put("QUEENCELL_STATE_URL", state.url().toString());
    environment.put("QUEENCELL_EDGE_TOKEN", TenantState.EDGE_TOKEN);
    proxy = ProxyMain.start(ProxyConfig.read(new Settings(environment)));
    client = new EdgeClient(proxy.port());
  }

  private EdgeClient.Call call(String method, String path) {
    return client.call(method, path).host(tenant.host()).key(tenant.key());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1000, 65_536, 65_537, 3_000_000})
  void anAnswerOfAnySizeComesThroughByteForByte(int bytes) {
    var body = randomBytes(bytes);
    for (boolean announced : new boolean[] {true, false}) {
      broker.answerWith(
          (ctx, seen) -> {
            ctx.res().setContentType("application/octet-stream");
            if (announced) {
              ctx.res().setContentLength(bytes);
            }
            for (int i = 0; i < bytes; i += 50_000) {
              ctx.res().getOutputStream().write(body, i, Math.min(50_000, bytes - i));
              if (!announced) {
                ctx.res().getOutputStream().flush();
              }
            }
          });
      var answer = call("GET", "/assets/x").send();
      assertEquals(200, answer.status());
      assertTrue(answer.complete());
      assertArrayEquals(body, answer.body());
      assertEquals("application/octet-stream", answer.header("content-type"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 65_536, 65_537, 3_000_000})
  void aRequestOfAnySizeComesThroughByteForByte(int bytes) {
    var body = randomBytes(bytes);
    assertEquals(200, call("POST", "/api/v1/ack").body(body).send().status());
    assertArrayEquals(body, broker.last().body());
    assertEquals(List.of(Integer.toString(bytes)), broker.last().header("content-length"));
  }

  @Test
  void aRequestInChunksComesThrough() {
    var text = "x".repeat(100_000);
    assertEquals(200, call("POST", "/api/v1/ack").chunked(text).send().status());
    assertEquals(text, new String(broker.last().body(), StandardCharsets.UTF_8));
    assertEquals(201, call("POST", "/api/v1/push").chunked(ONE).send().status());
    assertEquals(ONE, new String(broker.last().body(), StandardCharsets.UTF_8));
    assertEquals(List.of(Integer.toString(ONE.length())), broker.last().header("content-length"));
  }

  @Test
  void aPieceThatTheBrokerFlushesArrivesBeforeTheNextOne() throws Exception {
    var second = new CountDownLatch(1);
    broker.answerWith(
        (ctx, seen) -> {
          ctx.res().getOutputStream().write("first".getBytes(StandardCharsets.UTF_8));
          ctx.res().getOutputStream().flush();
          second.await();
          ctx.res().getOutputStream().write("second".getBytes(StandardCharsets.UTF_8));
        });
    try (var socket = call("GET", "/x").open()) {
      var seen = new StringBuilder();
      var buffer = new byte[1000];
      while (seen.indexOf("first") < 0) {
        int read = socket.getInputStream().read(buffer);
        assertTrue(read > 0, seen::toString);
        seen.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
      }
      second.countDown();
      while (seen.indexOf("second") < 0) {
        int read = socket.getInputStream().read(buffer);
        assertTrue(read > 0, seen::toString);
        seen.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void anEmptyPopHasNeitherBodyNorLengthNorType() {
    var answer = call("GET", "/api/v1/pop/queue/q").send();
    assertEquals(204, answer.status());
    assertNull(answer.header("content-length"));
    assertNull(answer.header("transfer-encoding"));
    assertNull(answer.header("content-type"));
  }

  @Test
  void statusAndHeadersAreTheBrokersAndHopsStayBehind() {
    broker.answerWith(
        (ctx, seen) -> {
          ctx.res().setHeader("X-Kept", "1");
          ctx.res().addHeader("X-Twice", "a");
          ctx.res().addHeader("X-Twice", "b");
          ctx.res().setHeader("Keep-Alive", "timeout=5");
          ctx.res().setHeader("X-Hop", "1");
          ctx.res().addHeader("Connection", "x-hop");
          RecordingBroker.json(ctx, 507, "{\"error\":\"full\"}");
        });
    var answer = call("GET", "/x").send();
    assertEquals(507, answer.status());
    assertEquals("{\"error\":\"full\"}", answer.text());
    assertEquals("1", answer.header("x-kept"));
    assertEquals("a, b", answer.header("x-twice"));
    assertNull(answer.header("x-hop"));
    assertNull(answer.header("keep-alive"));
    assertEquals("application/json", answer.header("content-type"));
  }

  @Test
  void aHeadRequestHasALengthAndNoBody() {
    broker.answerWith((ctx, seen) -> ctx.res().setContentLength(42));
    var answer = call("HEAD", "/x").send();
    assertEquals(200, answer.status());
    assertEquals("42", answer.header("content-length"));
    assertEquals("HEAD", broker.last().method());
  }

  @Test
  void oneConnectionServesManyRequestsInARow() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      for (int i = 0; i < 20; i++) {
        var head =
            "POST /api/v1/push HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
                .formatted(tenant.host(), tenant.key(), ONE.length());
        socket.getOutputStream().write((head + ONE).getBytes(StandardCharsets.US_ASCII));
        assertEquals(201, EdgeClient.read(socket.getInputStream(), "POST").status());
      }
    }
    assertEquals(20, broker.seen().size());
  }

  @Test
  void aBrokerThatIsDownIsABadGateway() {
    broker.close();
    var answer = call("POST", "/api/v1/push").body(ONE).send();
    assertEquals(502, answer.status());
    assertEquals("bad_gateway", answer.code());
  }

  @Test
  void aBrokerThatStaysSilentTimesOut() {
    start(Map.of("QUEEN_PROXY_UPSTREAM_TIMEOUT_MS", "300"));
    var silence = new CountDownLatch(1);
    broker.answerWith((ctx, seen) -> silence.await());
    var answer = call("GET", "/x").send();
    silence.countDown();
    assertEquals(504, answer.status());
    assertEquals("upstream_timeout", answer.code());
  }

  @Test
  void aWaitingPopMayTakeItsTimeoutAndTheMargin() throws Exception {
    start(
        Map.of(
            "QUEEN_PROXY_UPSTREAM_TIMEOUT_MS", "100",
            "QUEEN_PROXY_LONGPOLL_MAX_MS", "400",
            "QUEEN_PROXY_LONGPOLL_MARGIN_MS", "200"));
    long startNs = System.nanoTime();
    var answer = call("GET", "/api/v1/pop/queue/q?wait=true&timeout=90000").send();
    long tookMs = Duration.ofNanos(System.nanoTime() - startNs).toMillis();
    assertEquals(504, answer.status());
    assertTrue(tookMs >= 590, "gave up after " + tookMs + " ms");
  }

  @Test
  void anAnswerThatBreaksOffNeverLooksComplete() throws Exception {
    for (var head :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\npartial",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n")) {
      try (var raw = new RawBroker(head)) {
        state.useBroker(raw.port());
        Await.until(
            "the proxy asks the new broker",
            () -> {
              var answer = call("GET", "/x").send();
              return raw.requests() > 0
                  && (answer.status() == 502 || (answer.status() == 200 && !answer.complete()));
            });
      }
    }
  }

  @Test
  void aShortAnswerThatBreaksOffIsABadGateway() throws Exception {
    try (var raw = new RawBroker("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npartial")) {
      state.useBroker(raw.port());
      Await.until(
          "the proxy asks the new broker",
          () -> {
            int before = raw.requests();
            var answer = call("GET", "/x").send();
            return raw.requests() > before && answer.status() == 502;
          });
    }
  }

  @Test
  void aPushIsNeverSentTwice() throws Exception {
    // The broker takes the request and breaks off without an answer.
    try (var raw = new RawBroker("")) {
      state.useBroker(raw.port());
      Await.until("the proxy asks the new broker", () -> call("GET", "/x").send().status() == 502);
      int before = raw.requests();
      var answer = call("POST", "/api/v1/push").body(ONE).send();
      assertEquals(502, answer.status());
      assertEquals(before + 1, raw.requests());
    }
  }

  @Test
  void aBrokerThatWasRestartedIsNoErrorForTheNextRequest() {
    assertEquals(201, call("POST", "/api/v1/push").body(ONE).send().status());
    int port = broker.port();
    broker.close();
    broker = new RecordingBroker(port);
    // Its old connection rests dead in the pool for longer than one may unlooked at.
    long startNs = System.nanoTime();
    Await.until("it rested", () -> System.nanoTime() - startNs > 400_000_000L);
    assertEquals(201, call("POST", "/api/v1/push").body(ONE).send().status());
    assertEquals(1, broker.seen().size());
  }

  @Test
  void aParkedPopIsGivenUpWhenItsClientLeaves() throws Exception {
    for (boolean reset : new boolean[] {false, true}) {
      int left = broker.left();
      try (var socket = call("GET", "/api/v1/pop/queue/q?wait=true&timeout=60000").open()) {
        Await.until("the pop is parked", () -> broker.parked() == 1);
        assertEquals("1.0", gauge("queencell_proxy_parked_pops"));
        if (reset) {
          socket.setSoLinger(true, 0);
        }
      }
      Await.until("the broker notices", Duration.ofSeconds(5), () -> broker.left() == left + 1);
      Await.until(
          "the place is free",
          Duration.ofSeconds(5),
          () -> gauge("queencell_proxy_parked_pops").equals("0.0"));
    }
  }

  @Test
  void aClientThatSendsItsNextRequestEarlyLosesNothing() throws Exception {
    try (var socket = call("GET", "/api/v1/pop/queue/q?wait=true").open()) {
      Await.until("the pop is parked", () -> broker.parked() == 1);
      var next =
          "GET /second HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(tenant.host(), tenant.key());
      socket.getOutputStream().write(next.getBytes(StandardCharsets.US_ASCII));
      broker.release();
      assertEquals(204, EdgeClient.read(socket.getInputStream(), "GET").status());
      assertEquals(200, EdgeClient.read(socket.getInputStream(), "GET").status());
    }
    assertEquals("/second", broker.last().pathAndQuery());
  }

  @Test
  void theFiftyFirstParkedPopOnFreeWaitsAndALeaverMakesRoom() throws Exception {
    var free = state.tenant("free");
    state.overrides(free, "{\"max_req_per_sec\": null}");
    var parked = new ArrayList<Socket>();
    try {
      for (int i = 0; i < 50; i++) {
        parked.add(pop(free).open());
      }
      Await.until("fifty are parked", () -> broker.parked() == 50);
      var refused = pop(free).send();
      assertEquals(429, refused.status());
      assertEquals("rate_limited", refused.code());
      assertEquals("5", refused.header("retry-after"));
      // Those that don't wait, and those of others, are not concerned.
      assertEquals(204, popNow(free).status());
      parked.removeLast().close();
      Await.until("its place is free", () -> broker.parked() == 49);
      parked.add(pop(free).open());
      Await.until("another one is parked", () -> broker.parked() == 50);
    } finally {
      for (var socket : parked) {
        socket.close();
      }
    }
  }

  private EdgeClient.Call pop(TenantState.Tenant whose) {
    return client
        .get("/api/v1/pop/queue/q?wait=true&timeout=60000")
        .host(whose.host())
        .key(whose.key());
  }

  private EdgeClient.Answer popNow(TenantState.Tenant whose) {
    return client.get("/api/v1/pop/queue/q").host(whose.host()).key(whose.key()).send();
  }

  @Test
  void theWholeCellHasABoundOnParkedPopsToo() throws Exception {
    start(Map.of("QUEEN_PROXY_ENFORCE", "true", "QUEEN_PROXY_CELL_MAX_PARKED", "1"));
    var other = state.tenant("bench");
    try (var socket = pop(tenant).open()) {
      Await.until("one is parked", () -> broker.parked() == 1);
      assertEquals(429, pop(other).send().status());
      assertTrue(socket.isConnected());
    }
  }

  @Test
  void inShadowModeThePlaceIsTakenOverTheCap() throws Exception {
    start(Map.of("QUEEN_PROXY_CELL_MAX_PARKED", "1"));
    try (var one = pop(tenant).open();
        var two = pop(tenant).open()) {
      Await.until("both are parked", () -> broker.parked() == 2);
      assertEquals("2.0", gauge("queencell_proxy_parked_pops"));
      assertTrue(one.isConnected() && two.isConnected());
    }
  }

  @Test
  void aClientThatLeavesAmidAnAnswerTakesTheCallWithIt() throws Exception {
    var failed = new AtomicInteger();
    broker.answerWith(
        (ctx, seen) -> {
          var piece = new byte[100_000];
          try {
            while (true) {
              ctx.res().getOutputStream().write(piece);
              ctx.res().getOutputStream().flush();
            }
          } catch (IOException e) {
            failed.incrementAndGet();
            throw e;
          }
        });
    errors.expect("failed");
    try (var socket = call("GET", "/x").open()) {
      assertTrue(socket.getInputStream().read() > 0);
    }
    Await.until("the broker's answer is cut", () -> failed.get() == 1);
  }

  @Test
  void aUploadThatBreaksOffIsNotTakenForComplete() throws Exception {
    try (var socket =
        call("POST", "/api/v1/ack").header("Content-Length", "1000000").body(new byte[0]).open()) {
      assertTrue(socket.isConnected());
    }
    assertEquals(200, call("GET", "/x").send().status());
    assertTrue(broker.seen().stream().noneMatch(seen -> seen.pathAndQuery().equals("/api/v1/ack")));
  }

  @Test
  void clientsThatAreSlowHoldUpNobody() throws Exception {
    var huge = new byte[8 * 1024 * 1024];
    broker.answerWith(
        (ctx, seen) -> {
          ctx.res().setContentLength(huge.length);
          ctx.res().getOutputStream().write(huge);
        });
    var slow = new ArrayList<Socket>();
    try {
      for (int i = 0; i < 100; i++) {
        slow.add(call("POST", "/api/v1/ack").header("Content-Length", "100").open());
        slow.add(call("POST", "/api/v1/ack").header("Content-Length", "1000000").open());
        slow.add(call("GET", "/huge").open());
      }
      Await.until(
          "all that can reach the broker do",
          () ->
              broker.seen().stream().filter(seen -> seen.pathAndQuery().equals("/huge")).count()
                  == 100);
      broker.answerWith((ctx, seen) -> RecordingBroker.json(ctx, 200, "{}"));
      long startNs = System.nanoTime();
      assertEquals(200, call("GET", "/quick").send().status());
      assertTrue(System.nanoTime() - startNs < 10_000_000_000L, "it had to wait for the slow ones");
    } finally {
      for (var socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void knownTenantsOutliveTheStateServiceAndRevokedKeysDont() {
    var revoked = state.tenant("bench");
    assertEquals(200, get(tenant).status());
    assertEquals(200, get(revoked).status());
    state.revoke(revoked);
    Await.until("the key is refused", () -> get(revoked).status() == 401);
    state.process().pause();
    try {
      long startNs = System.nanoTime();
      var known = get(tenant);
      assertEquals(200, known.status(), known::text);
      assertEquals(401, get(revoked).status());
      assertTrue(System.nanoTime() - startNs < 2_000_000_000L, "what is known needs no question");
      var unknown = client.get("/x").host("somebody.else").key(tenant.key()).send();
      assertEquals(502, unknown.status());
      assertEquals("bad_gateway", unknown.code());
    } finally {
      state.process().resume();
    }
    assertEquals(421, client.get("/x").host("somebody.else").key(tenant.key()).send().status());
  }

  @Test
  void keysAreInNoLogAndInNoErrorBody() {
    var key = tenant.key();
    var bodies = new ArrayList<String>();
    bodies.add(client.get("/x").host("nobody").key(key).send().text());
    bodies.add(client.get("/api/v1/pop").host(tenant.host()).key(key).send().text());
    bodies.add(client.get("/x").host(tenant.host()).key(key + "x").send().text());
    bodies.add(client.get("/x").host(state.tenant("bench").host()).key(key).send().text());
    bodies.add(
        client
            .get("/x")
            .host(tenant.host())
            .key(key)
            .header("x-queen-act-cluster", "x")
            .send()
            .text());
    broker.close();
    bodies.add(call("POST", "/api/v1/push").body(ONE).send().text());
    for (var body : bodies) {
      assertTrue(body.contains("\"code\""), body);
      assertFalse(body.contains("qk_"), body);
      assertFalse(body.contains(TenantState.CELL_SECRET), body);
    }
    assertFalse(String.join("\n", state.process().output()).contains(key));
    assertFalse(
        new EdgeClient(proxy.adminPort())
            .get("/metrics/prometheus")
            .host("x")
            .send()
            .text()
            .contains("qk_"));
  }

  private EdgeClient.Answer get(TenantState.Tenant whose) {
    return client.get("/x").host(whose.host()).key(whose.key()).send();
  }

  private String gauge(String name) {
    var text = new EdgeClient(proxy.adminPort()).get("/metrics/prometheus").host("x").send().text();
    return text.lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not in:\n" + text));
  }

  private static byte[] randomBytes(int count) {
    var bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  /** Reads one request per connection, sends fixed bytes and closes. */
  private static final class RawBroker implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger requests = new AtomicInteger();
    private final byte[] answer;

    RawBroker(String answer) throws IOException {
      this.answer = answer.getBytes(StandardCharsets.US_ASCII);
      Thread.ofVirtual().start(this::serve);
    }

    int port() {
      return listener.getLocalPort();
    }

    int requests() {
      return requests.get();
    }

    private void serve() {
      var buffer = new byte[10_000];
      while (true) {
        try (var socket = listener.accept()) {
          int read = socket.getInputStream().read(buffer);
          var text = new String(buffer, 0, Math.max(read, 0), StandardCharsets.US_ASCII);
          if (Arrays.stream(text.split("\r\n", -1)).anyMatch(line -> line.endsWith("HTTP/1.1"))) {
            requests.incrementAndGet();
          }
          socket.getOutputStream().write(answer);
        } catch (IOException e) {
          if (listener.isClosed()) {
            return;
          }
        }
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
