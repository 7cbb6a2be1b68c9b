package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import dev.queencell.service.Settings;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What people do with a password, a cookie and the console, as the proxy carries it here. */
class SessionsIT {
  private static final String SECRET = "a-signing-secret-of-32-bytes-or-more";

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private final HttpClient http = HttpClient.newHttpClient();
  private RunningState state;
  private String acme;
  private String other;

  @BeforeEach
  void start() throws Exception {
    state = RunningState.start(DATABASE, Map.of("QUEEN_PROXY_JWT_SECRET", SECRET));
    acme = admin("acme", "ann@acme.test");
    other = admin("other", "eve@other.test");
    state
        .client()
        .post(
            "/api/cp/users",
            """
            {"tenant_slug": "acme", "email": "vic@acme.test", "password": "password of vic"}\
            """);
    state
        .client()
        .put(
            "/api/cp/clusters/acme/members",
            "{\"email\": \"vic@acme.test\", \"role\": \"viewer\"}");
  }

  @AfterEach
  void stop() {
    state.close();
    http.close();
  }

  @Test
  void aPasswordOpensASessionWithAGuardedCookie() throws Exception {
    var answer = login("ann@acme.test", "password of ann", "X-Forwarded-Proto", "https");
    assertEquals(200, answer.statusCode(), answer.body());
    var cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    for (var part : List.of("Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=86400", "Secure")) {
      assertTrue(cookie.contains(part), cookie);
    }
    assertFalse(answer.body().contains("eyJ"), "the token is in the cookie only");
    var plain = login("ann@acme.test", "password of ann");
    assertFalse(plain.headers().firstValue("Set-Cookie").orElseThrow().contains("Secure"));

    var me = front("GET", "/auth/me", null, "Cookie", "queen_session=" + session("ann@acme.test"));
    assertEquals("ann@acme.test", json(me).at("/user/email").stringValue());
    assertEquals("acme", json(me).at("/tenant/slug").stringValue());
    assertEquals("admin", json(me).at("/clusters/0/role").stringValue());
    assertTrue(json(me).get("acting_cluster").isNull());
  }

  @Test
  void wrongPasswordsAndUnknownPeopleLookAlikeAndAreThrottledByAddress() throws Exception {
    var wrong = login("ann@acme.test", "not the password", "x-queen-edge-client", "192.0.2.1");
    var unknown = login("who@acme.test", "not the password", "x-queen-edge-client", "192.0.2.1");
    assertEquals(401, wrong.statusCode());
    assertEquals(wrong.body(), unknown.body());
    for (int i = 2; i < 10; i++) {
      login("who@acme.test", "x".repeat(100), "x-queen-edge-client", "192.0.2.1");
    }
    var throttled = login("ann@acme.test", "password of ann", "x-queen-edge-client", "192.0.2.1");
    assertEquals(429, throttled.statusCode());
    assertEquals("60", throttled.headers().firstValue("Retry-After").orElseThrow());
    assertEquals(
        200,
        login("ann@acme.test", "password of ann", "x-queen-edge-client", "192.0.2.2").statusCode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{", "[]", "{\"email\": 5, \"password\": \"p\"}", "{\"email\": \"a@b.c\"}"})
  void aLoginThatCantBeReadIsRefusedInTheWordsOfTheEdge(String body) throws Exception {
    var answer = front("POST", "/auth/login", body, "Content-Type", "application/json");
    assertEquals(400, answer.statusCode());
    assertEquals("invalid_request", json(answer).get("code").stringValue());
  }

  @Test
  void aLoggedOutSessionIsOverEverywhereAndSaidSo() throws Exception {
    var token = session("ann@acme.test");
    assertEquals(200, verify(token, acme, null).status());
    var feed = state.feedStart();
    var out = front("POST", "/auth/logout", "", "Cookie", "queen_session=" + token);
    assertEquals(200, out.statusCode());
    assertTrue(out.headers().firstValue("Set-Cookie").orElseThrow().contains("Max-Age=0"));
    assertEquals(401, verify(token, acme, null).status());
    assertEquals(List.of("session"), state.changesAfter(feed));
    assertEquals(
        401, front("POST", "/auth/logout", "", "Cookie", "queen_session=" + token).statusCode());
    state.restart();
    assertEquals(401, verify(token, acme, null).status(), "also after a restart");
  }

  @Test
  void aSessionActsWithTheRoleThatItHasNow() {
    var token = session("vic@acme.test");
    assertEquals("viewer", verify(token, acme, null).text("role"));
    assertEquals(acme, verify(token, acme, null).body().at("/cluster/id").stringValue());
    var foreign = verify(token, other, null);
    assertEquals(403, foreign.status());
    assertEquals(foreign.body(), verify(token, acme, "nowhere").body(), "nothing to enumerate");
    assertEquals(foreign.body(), verify(token, acme, "other").body());
    state
        .client()
        .put(
            "/api/cp/clusters/acme/members",
            "{\"email\": \"vic@acme.test\", \"role\": \"producer\"}");
    assertEquals("producer", verify(token, acme, null).text("role"));
    assertEquals("producer", verify(token, other, "acme").text("role"));
  }

  @Test
  void anAlteredForeignOrUnsignedTokenIsNone() {
    var token = session("ann@acme.test");
    var parts = token.split("\\.", -1);
    var none =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
    for (var bad :
        List.of(
            none + "." + parts[1] + ".",
            parts[0] + "." + parts[1] + ".",
            parts[0] + "." + parts[1],
            parts[0] + "." + parts[1].substring(1) + "." + parts[2],
            "..",
            "x",
            "x".repeat(4000))) {
      assertEquals(401, verify(bad, acme, null).status(), bad);
    }
  }

  @Test
  void anOperatorIsAdminEverywhereOnlyWhereOperatorsAreOn() throws Exception {
    state.client().put("/api/cp/operators", "{\"email\": \"ann@acme.test\", \"enabled\": true}");
    assertEquals(403, verify(session("ann@acme.test"), other, null).status());
    state.close();
    var environment =
        Map.of("QUEEN_PROXY_JWT_SECRET", SECRET, "QUEEN_PROXY_OPERATOR_ENABLED", "true");
    state = RunningState.start(DATABASE, environment);
    admin("acme", "ann@acme.test");
    other = admin("other", "eve@other.test");
    assertEquals(403, verify(session("ann@acme.test"), other, null).status());
    state.client().put("/api/cp/operators", "{\"email\": \"ann@acme.test\", \"enabled\": true}");
    var acting = verify(session("ann@acme.test"), other, null);
    assertEquals("admin", acting.text("role"));
    assertTrue(acting.body().get("operator").booleanValue());
  }

  @Test
  void theConsoleShowsAndChangesOneClusterAndAuditsThePerson() throws Exception {
    var token = session("ann@acme.test");
    var overview = json(console("GET", "/overview", null, token));
    assertEquals("acme", overview.get("slug").stringValue());
    assertEquals("admin", overview.get("role").stringValue());
    assertEquals(11, overview.get("limits").size());
    assertEquals(5, overview.get("features").size(), "what the plan lacks is said too");
    assertTrue(overview.get("push_block").isNull());
    assertEquals("free", overview.at("/plan/code").stringValue());

    var made = console("POST", "/keys", "{\"name\": \"ci\", \"scopes\": [\"produce\"]}", token);
    assertEquals(201, made.statusCode(), made.body());
    var id = json(made).get("id").stringValue();
    assertTrue(json(made).get("key").stringValue().startsWith("qk_"));
    assertEquals(2, json(console("GET", "/keys", null, token)).get("keys").size());
    assertEquals(200, console("DELETE", "/keys/" + id, null, token).statusCode());
    assertEquals(404, console("DELETE", "/keys/" + id, null, token).statusCode());
    assertEquals(400, console("DELETE", "/keys/7", null, token).statusCode());
    var foreign = state.client().get("/api/cp/clusters/other/keys").body().at("/keys/0/id");
    assertEquals(
        404, console("DELETE", "/keys/" + foreign.stringValue(), null, token).statusCode());

    var bob = "{\"email\": \"vic@acme.test\", \"role\": \"consumer\"}";
    assertEquals(200, console("POST", "/members", bob, token).statusCode());
    assertEquals(2, json(console("GET", "/members", null, token)).get("members").size());
    assertEquals(
        400, console("DELETE", "/members", "{\"email\": \"ann@acme.test\"}", token).statusCode());
    assertEquals(
        3, state.count("SELECT count(*) FROM queen_proxy.operations WHERE actor = 'user'"));
  }

  @Test
  void theConsoleIsForPeopleOfTheClusterAndAdminsChangeIt() throws Exception {
    var viewer = session("vic@acme.test");
    assertEquals(200, console("GET", "/overview", null, viewer).statusCode());
    assertEquals(200, console("GET", "/usage?hours=2", null, viewer).statusCode());
    for (var path : List.of("/keys", "/members")) {
      assertEquals(403, console("GET", path, null, viewer).statusCode());
    }
    assertEquals(403, console("GET", "/overview", null, session("eve@other.test")).statusCode());
    assertEquals(
        421,
        front("GET", "/api/console/overview", null, "Authorization", "Bearer " + viewer)
            .statusCode());
    assertEquals(401, console("GET", "/overview", null, "nonsense").statusCode());
    state.client().put("/api/cp/tenants/acme/status", "{\"status\": \"suspended\"}");
    var suspended = console("GET", "/overview", null, viewer);
    assertEquals("cluster_suspended", json(suspended).get("code").stringValue());
  }

  @Test
  void keysDontOpenTheConsole() throws Exception {
    var key = state.client().post("/api/cp/keys", issue(acme)).text("api_key");
    var refused = console("GET", "/overview", null, key);
    assertEquals(403, refused.statusCode());
    assertTrue(refused.body().contains("human session required"), refused.body());
    assertEquals(401, console("GET", "/overview", null, "qk_live_unknown").statusCode());
    var foreign = state.client().post("/api/cp/keys", issue(other)).text("api_key");
    assertTrue(console("GET", "/overview", null, foreign).body().contains("mismatch"));
    var cookie = front("GET", "/auth/me", null, "Cookie", "queen_session=" + key);
    assertEquals(401, cookie.statusCode());
  }

  @Test
  void aCookieCountsOnlyWhereAPageOfOursCanHaveSentIt() throws Exception {
    var cookie = "queen_session=" + session("ann@acme.test");
    assertEquals(200, byCookie("GET", cookie, "Sec-Fetch-Site", "same-origin"));
    assertEquals(401, byCookie("GET", cookie, "Sec-Fetch-Mode", "navigate"));
    assertEquals(401, byCookie("POST", cookie, "Sec-Fetch-Site", "cross-site"));
    assertEquals(401, byCookie("POST", cookie, "Sec-Fetch-Site", "same-site"));
    assertEquals(400, byCookie("POST", cookie, "Sec-Fetch-Site", "same-origin"));
    assertEquals(
        403,
        login("ann@acme.test", "password of ann", "Sec-Fetch-Site", "cross-site").statusCode());
  }

  @Test
  void aPageThatIsNotThereDoesNotTellHowItWasAskedFor() throws Exception {
    for (var path : List.of("/auth/google", "/auth/nonsense", "/api/console/nonsense")) {
      var answer = front("GET", path, null);
      assertEquals(404, answer.statusCode(), path);
      assertEquals("not_found", json(answer).path("code").stringValue(), path);
      assertFalse(answer.body().contains("edge"), answer::body);
    }
  }

  @Test
  void afterTheFormOneIsSentOnToOwnPathsOnly() throws Exception {
    for (var next : List.of("//evil.test", "/\\evil.test", "http://evil.test", "/a://b", "x")) {
      assertEquals("/console", formLogin(next));
    }
    assertEquals("/console/queues?a=b", formLogin("/console/queues?a=b"));
    var page = front("GET", "/auth/login", null);
    assertTrue(page.body().contains("<form"), page.body());
  }

  @Test
  void aBearerForScriptsIsGoodForItsClusterOnly() throws Exception {
    var cookie = "queen_session=" + session("ann@acme.test");
    var made =
        json(
            front(
                "GET",
                "/auth/session-token",
                null,
                "Cookie",
                cookie,
                "x-queen-edge-cluster",
                acme));
    assertEquals(900, made.get("expires_in").intValue());
    var token = made.get("token").stringValue();
    assertEquals(200, verify(token, acme, null).status());
    assertEquals(403, verify(token, other, null).status());
  }

  @Test
  void withoutAKeyThereAreNoSessionsAndABadKeyIsAReasonNotToStart() throws Exception {
    state.close();
    state = RunningState.start(DATABASE, Map.of());
    acme = admin("acme", "ann@acme.test");
    assertEquals(503, login("ann@acme.test", "password of ann").statusCode());
    assertEquals(503, console("GET", "/overview", null, "x").statusCode());
    var bad =
        assertThrows(
            IllegalStateException.class,
            () -> StateConfig.read(new Settings(Map.of("QUEEN_PROXY_JWT_SECRET", "too short"))));
    assertTrue(bad.getMessage().contains("QUEEN_PROXY_JWT_SECRET"), bad.getMessage());
    assertFalse(bad.getMessage().contains("too short"), bad.getMessage());
  }

  private String admin(String slug, String email) {
    return state
        .client()
        .post(
            "/api/cp/bootstrap",
            """
            {"tenant_slug": "%s", "admin_email": "%s", "password": "password of %s"}\
            """
                .formatted(slug, email, email.substring(0, 3)))
        .text("cluster_id");
  }

  private static String issue(String cluster) {
    return "{\"cluster_id\": \"%s\", \"name\": \"k\", \"scopes\": [\"read\"]}".formatted(cluster);
  }

  private String session(String email) {
    try {
      var answer = login(email, "password of " + email.substring(0, 3));
      assertEquals(200, answer.statusCode(), answer.body());
      var cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
      return cookie.substring("queen_session=".length(), cookie.indexOf(';'));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private HttpResponse<String> login(String email, String password, String... headers)
      throws Exception {
    var body = Json.object().put("email", email).put("password", password).toString();
    return front("POST", "/auth/login", body, headers);
  }

  private String formLogin(String next) throws Exception {
    var body =
        "email=ann%40acme.test&password=password+of+ann&next="
            + URLEncoder.encode(next, StandardCharsets.UTF_8);
    var answer =
        front(
            "POST",
            "/auth/login",
            body,
            "Content-Type",
            "application/x-www-form-urlencoded",
            "x-queen-edge-client",
            next.replaceAll("[^a-z]", ""));
    assertEquals(303, answer.statusCode(), answer.body());
    return answer.headers().firstValue("Location").orElseThrow();
  }

  private int byCookie(String method, String cookie, String header, String value) throws Exception {
    return front(
            method,
            method.equals("GET") ? "/api/console/overview" : "/api/console/keys",
            method.equals("GET") ? null : "{}",
            "Cookie",
            cookie,
            "x-queen-edge-cluster",
            acme,
            header,
            value)
        .statusCode();
  }

  private HttpResponse<String> console(String method, String path, String body, String token)
      throws Exception {
    return front(
        method,
        "/api/console" + path,
        body,
        "Authorization",
        "Bearer " + token,
        "x-queen-edge-cluster",
        acme);
  }

  private StateClient.Answer verify(String token, String cluster, String act) {
    return state.edge(
        "POST",
        "/api/edge/sessions/verify",
        Json.object().put("token", token).put("cluster", cluster).put("act_cluster", act));
  }

  private HttpResponse<String> front(String method, String path, String body, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/api/edge/front%s".formatted(state.port(), path)))
            .header("x-queen-edge-token", StateClient.EDGE_TOKEN)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return Json.mapper().readTree(answer.body());
  }
}
