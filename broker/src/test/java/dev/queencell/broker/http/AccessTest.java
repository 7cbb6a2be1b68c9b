package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.auth.Tokens;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.service.Json;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tokens at the door of the API. */
class AccessTest {
  private final FixtureEngine engine = new FixtureEngine();
  private ApiFixture api;

  @BeforeEach
  void start() {
    var auth = Tokens.config("HS256", Tokens.SECRET, null, null);
    api =
        new ApiFixture(
            engine,
            new GatesFixture(engine, null, GatesFixture.switches(), auth, PayloadCipher.NONE));
  }

  @AfterEach
  void end() {
    api.close();
  }

  private ApiFixture.Answer call(String method, String path, String token) {
    var request = api.request(path).method(method, BodyPublishers.ofString("{}"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return api.send(request);
  }

  @Test
  void withoutATokenNothingIsAskedOfTheEngine() {
    var answer = call("POST", "/api/v1/push", null);
    assertEquals(401, answer.status());
    assertEquals("{\"error\":\"Authentication required\"}", answer.body());
    assertEquals("Bearer", answer.header("WWW-Authenticate"));
    assertEquals(401, call("GET", "/api/v1/no/such/path", null).status());
    assertTrue(engine.asked.isEmpty());
  }

  @Test
  void aTokenWithoutAKnownRoleOpensNothing() {
    var token = Tokens.hs(Json.object().put("sub", "ann").put("role", "root"));
    var answer = call("GET", "/api/v1/resources/queues", token);
    assertEquals(403, answer.status());
    assertEquals("{\"error\":\"Insufficient permissions\"}", answer.body());
  }

  @Test
  void publicPathsDoNotLookAtTheToken() {
    assertEquals(200, call("GET", "/health", "nonsense").status());
    assertEquals(200, call("GET", "/metrics/prometheus", null).status());
    assertEquals(204, call("OPTIONS", "/api/v1/push", null).status());
  }

  @Test
  void anEscapedPathIsNoWayAroundItsLevel() {
    var reader = Tokens.of("read-only");
    for (var path : List.of("/api/v1/%64lq", "/%61pi/v1/dlq", "/api/v1/resources/%71ueues/q")) {
      assertEquals(403, call("DELETE", path, reader).status(), path);
    }
    var writer = Tokens.of("read-write");
    for (var path : List.of("/api/v1/%64lq", "/api/v1/resources/%71ueues/q")) {
      assertEquals(404, call("DELETE", path, writer).status(), path);
    }
    assertTrue(engine.asked.isEmpty());
  }

  @Test
  void theSubjectIsStampedOnWhatIsPushedAndABodyCannotForgeIt() {
    var body =
        "{\"items\":[{\"queue\":\"q\",\"payload\":1,\"producerSub\":\"forged\"},"
            + "{\"queue\":\"q\",\"payload\":2}]}";
    var token = Tokens.hs(Json.object().put("sub", "änn").put("role", "write-only"));
    var answer =
        api.send(
            api.request("/api/v1/push")
                .header("Authorization", token)
                .POST(BodyPublishers.ofString(body)));
    assertEquals(201, answer.status());
    var pushed = engine.pushed.values().iterator().next();
    assertEquals(
        List.of("änn", "änn"), pushed.stream().map(PushItem::producer).map(p -> p.text()).toList());
  }

  @Test
  void aTokenOfNobodyStampsNothing() {
    var token = Tokens.hs(Json.object().put("role", "admin"));
    api.send(
        api.request("/api/v1/push")
            .header("Authorization", "bEaReR  " + token)
            .POST(BodyPublishers.ofString("{\"items\":[{\"queue\":\"q\",\"payload\":1}]}")));
    assertEquals(null, engine.pushed.values().iterator().next().getFirst().producer());
  }
}
