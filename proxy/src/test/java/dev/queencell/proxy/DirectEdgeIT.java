package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Requests that take no thread, over HTTP: which they are, and what a broken side does to the other
 * one. For the same over links see {@link LinkedEdgeIT}.
 */
class DirectEdgeIT {
  private static final String ONE = "{\"items\":[{\"queue\":\"orders\",\"payload\":1}]}";
  private static final String POP = "/api/v1/pop/queue/q";

  /** More than the sockets of all three sides hold. */
  private static final int HUGE_BYTES = 64 * 1024 * 1024;

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static EdgeBench bench;
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
  void startProxy() {
    bench.broker.reset();
    bench.state.useBroker(bench.broker.port());
    tenant = bench.state.tenant("bench");
    start(Map.of());
  }

  @AfterEach
  void stopProxy() {
    bench.closeProxies();
  }

  private void start(Map<String, String> more) {
    var settings = new TreeMap<>(more);
    settings.put("QUEENCELL_PROXY_LINK", "false");
    proxy = bench.proxy(settings);
    client = new EdgeClient(proxy.port());
    remember();
  }

  /** From now on neither the key nor the cluster has to be asked for. */
  private void remember() {
    assertEquals(204, call("GET", POP).send().status());
  }

  private EdgeClient.Call call(String method, String path) {
    return client.call(method, path).host(tenant.host()).key(tenant.key());
  }

  private double direct() {
    return EdgeBench.metric(proxy, "queencell_proxy_direct_requests");
  }

  private EdgeClient.Answer taken(boolean directly, EdgeClient.Call call) {
    double before = direct();
    var answer = call.send();
    assertEquals(directly ? before + 1 : before, direct());
    return answer;
  }

  @Test
  void whatNeedsNobodyElseTakesNoThread() {
    assertEquals(201, taken(true, call("POST", "/api/v1/push").body(ONE)).status());
    assertEquals(200, taken(true, call("POST", "/api/v1/ack").body("{}")).status());
    assertEquals(200, taken(true, call("POST", "/api/v1/ack/batch").body("{}")).status());
    assertEquals(204, taken(true, call("GET", POP)).status());
    assertEquals(204, taken(true, call("GET", POP + "/partition/a%2Fb?batch=3")).status());
    assertEquals(POP + "/partition/a%2Fb?batch=3", bench.broker.last().pathAndQuery());
    var atTheBound = new byte[65_536];
    assertEquals(200, taken(true, call("POST", "/api/v1/ack").body(atTheBound)).status());
    assertArrayEquals(atTheBound, bench.broker.last().body());
  }

  @Test
  void whatMayHaveToWaitHasAThread() {
    assertEquals(201, taken(false, call("POST", "/api/v1/push").chunked(ONE)).status());
    var beyond = new byte[65_537];
    assertEquals(200, taken(false, call("POST", "/api/v1/ack").body(beyond)).status());
    assertEquals(200, taken(false, call("GET", "/x")).status());
    assertEquals(401, taken(false, client.get(POP).host(tenant.host()).key("qk_x")).status());
    assertEquals(421, taken(false, client.get(POP).host("nobody").key(tenant.key())).status());
    var session = client.get(POP).host(tenant.host()).header("Cookie", "queen_session=x");
    assertEquals(401, taken(false, session).status());
  }

  @Test
  void neitherCredentialNorTenantOfTheClientReachesTheBroker() {
    var call = call("POST", "/api/v1/push").header("x-queen-tenant", "somebody");
    assertEquals(201, taken(true, call.header("Cookie", "a=b").body(ONE)).status());
    var seen = bench.broker.last();
    assertEquals(List.of("Bearer " + TenantState.CELL_SECRET), seen.header("authorization"));
    assertEquals(1, seen.header("x-queen-tenant").size());
    assertFalse(seen.header("x-queen-tenant").contains("somebody"));
    assertEquals(List.of(), seen.header("cookie"));
  }

  @Test
  void anAnswerOfAnySizeComesThroughByteForByte() {
    for (int bytes : new int[] {0, 1, 1000, 65_536, 65_537, 3_000_000}) {
      var body = new byte[bytes];
      new Random(bytes).nextBytes(body);
      for (boolean announced : new boolean[] {true, false}) {
        bench.broker.answerWith(
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
        var answer = taken(true, call("GET", POP));
        assertEquals(200, answer.status());
        assertTrue(answer.complete());
        assertArrayEquals(body, answer.body());
        assertEquals("application/octet-stream", answer.header("content-type"));
      }
    }
  }

  @Test
  void aClientThatReadsSlowlyHoldsTheBrokerBackAndNobodyElse() throws Exception {
    var written = new AtomicLong();
    var piece = new byte[1024 * 1024];
    new Random(1).nextBytes(piece);
    bench.broker.answerWith(
        (ctx, seen) -> {
          if (!seen.pathAndQuery().equals(POP)) {
            RecordingBroker.json(ctx, 200, "{}");
            return;
          }
          ctx.res().setContentLength(HUGE_BYTES);
          for (int i = 0; i < HUGE_BYTES; i += piece.length) {
            ctx.res().getOutputStream().write(piece);
            written.addAndGet(piece.length);
          }
        });
    try (var socket = call("GET", POP).open()) {
      var in = socket.getInputStream();
      Await.until("the answer has begun", () -> written.get() > 0);
      for (int i = 0; i < 20; i++) {
        assertEquals(200, call("POST", "/api/v1/ack").body("{}").send().status());
      }
      assertTrue(written.get() < HUGE_BYTES, "all of it was taken from the broker at once");
      var answer = EdgeClient.read(in, "GET");
      assertEquals(HUGE_BYTES, answer.body().length);
      for (int i = 0; i < HUGE_BYTES; i++) {
        if (answer.body()[i] != piece[i % piece.length]) {
          throw new AssertionError("byte " + i + " is another one");
        }
      }
    }
  }

  @Test
  void aClientThatLeavesAmidAnAnswerTakesTheCallWithIt() throws Exception {
    var cut = new CountDownLatch(1);
    bench.broker.answerWith(
        (ctx, seen) -> {
          try {
            while (true) {
              ctx.res().getOutputStream().write(new byte[100_000]);
              ctx.res().getOutputStream().flush();
            }
          } catch (IOException e) {
            cut.countDown();
            throw e;
          }
        });
    errors.expect("failed");
    try (var socket = call("GET", POP).open()) {
      assertTrue(socket.getInputStream().read() > 0);
    }
    cut.await();
    Await.until("its connection is closed", () -> connectionsInUse() == 0);
  }

  @Test
  void aParkedPopIsGivenUpWithItsConnectionWhenItsClientLeaves() throws Exception {
    try (var socket = call("GET", POP + "?wait=true&timeout=60000").open()) {
      Await.until("the pop is parked", () -> bench.broker.parked() == 1);
      assertEquals(1, EdgeBench.metric(proxy, "queencell_proxy_parked_pops"));
      assertEquals(1, connectionsInUse());
      assertTrue(socket.isConnected());
    }
    Await.until("the broker notices", Duration.ofSeconds(10), () -> bench.broker.left() == 1);
    Await.until(
        "place and connection are free",
        () ->
            EdgeBench.metric(proxy, "queencell_proxy_parked_pops") == 0 && connectionsInUse() == 0);
  }

  @Test
  void aParkedPopOfARevokedKeyIsCut() throws Exception {
    double before = direct();
    try (var socket = call("GET", POP + "?wait=true&timeout=60000").open()) {
      Await.until("the pop is parked", () -> bench.broker.parked() == 1);
      assertEquals(before + 1, direct());
      bench.state.revoke(tenant);
      assertEquals(401, EdgeClient.read(socket.getInputStream(), "GET").status());
    }
    Await.until("its connection is closed", () -> connectionsInUse() == 0);
  }

  @Test
  void aBrokerThatEndsAnIdleConnectionIsNoErrorForAPush() throws Exception {
    try (var scripted = new ScriptedBroker("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) {
      use(scripted);
      // Those of the usual way rest until they are looked at.
      double others = EdgeBench.metric(proxy, "queencell_proxy_broker_connections_idle");
      for (int i = 0; i < 5; i++) {
        assertEquals(200, taken(true, call("POST", "/api/v1/push").body(ONE)).status());
        Await.until(
            "the proxy has seen the end",
            () -> EdgeBench.metric(proxy, "queencell_proxy_broker_connections_idle") <= others);
      }
    }
  }

  @Test
  void onlyAReadIsSentOnceMoreWhenItsConnectionEndsWithoutAnAnswer() throws Exception {
    try (var flaky = new FlakyBroker()) {
      bench.state.useBroker(flaky.port());
      Await.until("it is asked", () -> call("GET", POP).send().status() == 200);
      assertEquals(200, taken(true, call("GET", POP)).status());
      flaky.dropNext();
      assertEquals(200, taken(true, call("GET", POP)).status());
      assertEquals(1, EdgeBench.metric(proxy, "queencell_proxy_broker_repeats"));
      flaky.dropNext();
      assertEquals(502, taken(true, call("POST", "/api/v1/push").body(ONE)).status());
      assertEquals(1, EdgeBench.metric(proxy, "queencell_proxy_broker_repeats"));
    }
  }

  @Test
  void anAnswerThatBreaksOffNeverLooksComplete() throws Exception {
    for (var answer :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\npartial",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n")) {
      try (var scripted = new ScriptedBroker(answer)) {
        use(scripted);
        var got = taken(true, call("GET", POP));
        assertTrue(got.status() == 502 || !got.complete(), got::text);
      }
    }
    for (var answer :
        List.of(
            "",
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npartial",
            "something else\r\n\r\n")) {
      try (var scripted = new ScriptedBroker(answer)) {
        use(scripted);
        int before = scripted.requests();
        var got = taken(true, call("POST", "/api/v1/push").body(ONE));
        assertEquals(502, got.status());
        assertEquals("bad_gateway", got.code());
        assertEquals(before + 1, scripted.requests());
      }
    }
  }

  @Test
  void anAnswerThatEndsWithItsConnectionComesThrough() throws Exception {
    try (var scripted = new ScriptedBroker("HTTP/1.0 200 OK\r\n\r\nall of it")) {
      use(scripted);
      var got = taken(true, call("GET", POP));
      assertEquals(200, got.status());
      assertEquals("all of it", got.text());
    }
  }

  @Test
  void aBrokerThatStaysSilentTimesOutAndIsBilledAsARequest() {
    bench.closeProxies();
    start(Map.of("QUEEN_PROXY_UPSTREAM_TIMEOUT_MS", "300", "QUEEN_PROXY_METER_FLUSH_MS", "100"));
    var silence = new CountDownLatch(1);
    bench.broker.answerWith((ctx, seen) -> silence.await());
    var got = taken(true, call("POST", "/api/v1/push").body(ONE));
    silence.countDown();
    assertEquals(504, got.status());
    assertEquals("upstream_timeout", got.code());
    Await.until("it is billed", () -> bench.metered(tenant, "reqs", "push") == 1);
    assertEquals(0, bench.metered(tenant, "msgs", "push"));
    assertEquals(ONE.length(), bench.metered(tenant, "bytes_in", "push"));
  }

  @Test
  void aRequestWithTwoLengthsReachesNoBroker() throws Exception {
    int before = bench.broker.seen().size();
    for (var lengths :
        List.of(
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 4",
            "Content-Length: 4\r\nContent-Length: 5")) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
        var text =
            "POST /api/v1/push HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n0\r\n\r\n"
                .formatted(tenant.host(), tenant.key(), lengths);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        assertEquals(400, EdgeClient.read(socket.getInputStream(), "POST").status());
      }
    }
    assertEquals(before, bench.broker.seen().size());
  }

  private double connectionsInUse() {
    return EdgeBench.metric(proxy, "queencell_proxy_broker_connections_in_use");
  }

  private void use(ScriptedBroker scripted) {
    bench.state.useBroker(scripted.port());
    Await.until(
        "the proxy asks the new broker",
        () -> {
          int before = scripted.requests();
          call("POST", "/api/v1/ack").body("{}").send();
          return scripted.requests() > before;
        });
  }

  /** Reads one request per connection, sends fixed bytes and closes. */
  private static final class ScriptedBroker implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger requests = new AtomicInteger();
    private final byte[] answer;

    ScriptedBroker(String answer) throws IOException {
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
      while (!listener.isClosed()) {
        try (var socket = listener.accept()) {
          serve(socket);
        } catch (IOException e) {
          // Closed, or the other side has gone.
        }
      }
    }

    private void serve(Socket socket) throws IOException {
      var in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      int length = 0;
      var line = in.readLine();
      if (line == null || !line.endsWith("HTTP/1.1")) {
        return;
      }
      for (; line != null && !line.isEmpty(); line = in.readLine()) {
        if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
          length = Integer.parseInt(line.substring(15).strip());
        }
      }
      for (int i = 0; i < length; i++) {
        in.read();
      }
      requests.incrementAndGet();
      socket.getOutputStream().write(answer);
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
