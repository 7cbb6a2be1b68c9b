package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What changes while requests are under way, who signs in, and who smuggles. */
class LiveChangeIT {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final String WAITING = "/api/v1/pop/queue/q?wait=true&timeout=60000";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private static EdgeBench bench;
  private ProxyMain proxy;
  private TenantState.Tenant tenant;

  @BeforeAll
  static void start() {
    bench = new EdgeBench(DATABASE);
  }

  @AfterAll
  static void stop() {
    bench.close();
  }

  @BeforeEach
  void startProxy() {
    bench.broker.reset();
    tenant = bench.state.tenant("bench");
    proxy = bench.proxy(Map.of());
  }

  @AfterEach
  void stopProxies() {
    bench.broker.release();
    bench.closeProxies();
  }

  private EdgeClient.Call call(String method, String path) {
    return new EdgeClient(proxy.port()).call(method, path).host(tenant.host()).key(tenant.key());
  }

  @ParameterizedTest
  @ValueSource(strings = {"revoked", "suspended"})
  void aPopThatWaitsEndsSoonWhenItMayNoLongerBeThere(String how) throws Exception {
    var other = bench.state.tenant("bench");
    var otherPop =
        new EdgeClient(proxy.port()).get(WAITING).host(other.host()).key(other.key()).open();
    try (otherPop;
        var socket = call("GET", WAITING).open()) {
      Await.until("both wait", () -> bench.broker.parked() == 2);
      if (how.equals("revoked")) {
        bench.state.revoke(tenant);
      } else {
        bench.state.tenantStatus(tenant, "suspended");
      }
      Await.until("the broker is left", SOON, () -> bench.broker.left() == 1);
      var answer = EdgeClient.read(socket.getInputStream(), "GET");
      assertEquals(how.equals("revoked") ? 401 : 403, answer.status());
      assertEquals(how.equals("revoked") ? "unauthorized" : "cluster_suspended", answer.code());
      assertEquals(1, bench.broker.parked(), "nobody else's pop ended");
    }
  }

  @Test
  void enforcementIsSwitchedLive() {
    bench.state.overrides(tenant, "{\"max_queues\": 0}");
    var push = "{\"items\":[{\"queue\":\"q\",\"payload\":1}]}";
    Await.until(
        "the cap is there", () -> call("POST", "/api/v1/push").body(push).send().status() == 403);
    try {
      bench.state.enforce(false);
      Await.until("it is only noted", SOON, () -> !enforces());
      assertEquals(201, call("POST", "/api/v1/push").body(push).send().status());
      bench.state.enforce(true);
      Await.until("it is enforced", SOON, this::enforces);
      assertEquals(403, call("POST", "/api/v1/push").body(push).send().status());
    } finally {
      bench.state.enforce(null);
    }
    assertTrue(
        bench.number(
                "SELECT count(*) FROM queen_proxy.operations WHERE action LIKE '%settings%'"
                    + " OR action LIKE '%enforce%'")
            >= 2,
        "the switch is audited");
  }

  private boolean enforces() {
    return new EdgeClient(proxy.port())
        .get("/healthz")
        .host("x")
        .send()
        .json()
        .path("enforce")
        .asBoolean();
  }

  @Test
  void signInAndConsoleAreCarriedToTheTenantStateAndNeverToABroker() {
    var me = new EdgeClient(proxy.port()).get("/auth/me").host(tenant.host()).send();
    assertEquals(401, me.status(), me::text);
    var console = call("GET", "/api/console/overview").send();
    assertEquals(403, console.status(), console::text);
    assertFalse(console.text().contains("qk_"));
    var forged =
        new EdgeClient(proxy.port())
            .get("/api/console/overview")
            .host(tenant.host())
            .header("x-queen-edge-cluster", tenant.clusterId())
            .header("x-queen-edge-token", TenantState.EDGE_TOKEN)
            .send();
    assertEquals(401, forged.status(), forged::text);
    assertEquals(List.of(), bench.broker.seen());
  }

  @Test
  void aPersonWorksByCookieWithARoleUntilSigningOut() {
    var email = tenant.slug() + "@example.test";
    bench.state.person(tenant, email, "a password of the test");
    var login =
        new EdgeClient(proxy.port())
            .post("/auth/login")
            .host(tenant.host())
            .header("Content-Type", "application/json")
            .body("{\"email\":\"%s\",\"password\":\"a password of the test\"}".formatted(email))
            .send();
    assertEquals(200, login.status(), login::text);
    var cookie = login.header("set-cookie").split(";", 2)[0];
    assertEquals(200, byCookie("GET", "/api/v1/resources/queues", cookie).send().status());
    assertEquals(List.of(), bench.broker.last().header("cookie"), "the broker sees no cookie");
    assertEquals(201, byCookie("POST", "/api/v1/push", cookie).body("{}").send().status());
    assertEquals(200, byCookie("GET", "/auth/me", cookie).send().status());
    assertEquals(200, byCookie("GET", "/api/console/overview", cookie).send().status());
    assertEquals(
        404, byCookie("GET", "/api/v1/status", cookie).send().status(), "the cell's own business");
    assertEquals(
        401,
        byCookie("GET", "/api/v1/resources/queues", cookie)
            .header("Sec-Fetch-Mode", "navigate")
            .send()
            .status());
    assertEquals(
        401,
        byCookie("POST", "/api/v1/push", cookie)
            .header("Sec-Fetch-Site", "cross-site")
            .body("{}")
            .send()
            .status());
    var other = bench.state.tenant("bench");
    assertEquals(
        403,
        new EdgeClient(proxy.port())
            .get("/api/v1/resources/queues")
            .host(other.host())
            .header("Cookie", cookie)
            .send()
            .status());
    byCookie("POST", "/auth/logout", cookie).body("{}").send();
    Await.until(
        "the session has ended",
        SOON,
        () -> byCookie("GET", "/api/v1/resources/queues", cookie).send().status() == 401);
  }

  @Test
  void tooManyLoginsAreRefusedAtOnce() {
    var email = tenant.slug() + "@throttle.test";
    bench.state.person(tenant, email, "a password of the test");
    for (int i = 0; i < 10; i++) {
      assertEquals(401, login(email, "another password").status());
    }
    // The tenant state says when to come again; whoever waits for that is the client alone.
    var refused = login(email, "a password of the test");
    assertEquals(429, refused.status(), refused::text);
    assertEquals("rate_limited", refused.code());
    assertEquals("60", refused.header("retry-after"));
  }

  private EdgeClient.Answer login(String email, String password) {
    return new EdgeClient(proxy.port())
        .post("/auth/login")
        .host(tenant.host())
        .header("X-Forwarded-For", "192.0.2.7")
        .header("Content-Type", "application/json")
        .body("{\"email\":\"%s\",\"password\":\"%s\"}".formatted(email, password))
        .send();
  }

  private EdgeClient.Call byCookie(String method, String path, String cookie) {
    return new EdgeClient(proxy.port())
        .call(method, path)
        .host(tenant.host())
        .header("Cookie", cookie);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/auth/%2e%2e/api/edge/changes",
        "/auth/../edge/changes",
        "/auth//me",
        "/api/console/../../edge/changes",
        "/api/console/%2e%2e/x",
        "/api/edge/front/auth/me",
        "/Auth/Me",
      })
  void oddSpellingsOfSignInGoNowhere(String path) {
    var answer = call("GET", path).send();
    assertTrue(answer.status() == 404 || answer.status() == 400 || answer.status() == 200, path);
    for (var seen : bench.broker.seen()) {
      assertFalse(seen.pathAndQuery().contains("edge"), seen.pathAndQuery());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 40",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding : chunked",
        "Content-Length: +4",
        "Content-Length: -1",
        "Host: other.queen.test",
        "X-Fold: a\r\n b",
        " X-Space: a",
      })
  void aRequestThatTwoReadersCouldSplitDifferentlyNeverSmugglesASecondOne(String header)
      throws Exception {
    var smuggled =
        "GET /metrics HTTP/1.1\r\nHost: %s\r\nx-queen-tenant: forged\r\n\r\n"
            .formatted(tenant.host());
    var head =
        "POST /api/v1/ack HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n"
            .formatted(tenant.host(), tenant.key(), header);
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes((head + "0\r\n\r\n" + smuggled).getBytes(StandardCharsets.US_ASCII));
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(bytes.toByteArray());
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes();
    }
    for (var seen : bench.broker.seen()) {
      assertEquals("/api/v1/ack", seen.pathAndQuery());
      assertEquals(List.of(tenant.brokerTenantUuid()), seen.header("x-queen-tenant"));
    }
  }

  @Test
  void aReadWhoseConnectionEndedWithoutAWordIsSentOnceMoreAndAPushIsNot() throws Exception {
    try (var flaky = new FlakyBroker()) {
      bench.state.useBroker(flaky.port());
      Await.until("the new address is known", () -> call("GET", "/health").send().status() == 200);
      flaky.dropNext();
      assertEquals(200, call("GET", "/health").send().status());
      flaky.dropNext();
      assertEquals(200, call("HEAD", "/health").send().status());
      flaky.dropNext();
      var push = call("POST", "/api/v1/push").body("{\"items\":[]}").send();
      assertEquals(502, push.status());
      assertEquals("bad_gateway", push.code());
      assertNull(push.header("retry-after"));
    } finally {
      bench.state.useBroker(bench.broker.port());
    }
  }
}
