package dev.queencell.broker.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.sun.net.httpserver.HttpServer;
import dev.queencell.service.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyPair;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Published keys: when they are fetched, and when not. */
class JwksTest {
  private static final KeyPair RSA = Tokens.pair("RSA");
  private static final KeyPair ED = Tokens.pair("Ed25519");

  private final AtomicInteger fetches = new AtomicInteger();
  private final AtomicLong nanoTime = new AtomicLong();
  private volatile byte[] document;
  private volatile int status = 200;
  private HttpServer publisher;
  private Jwks jwks;

  @BeforeEach
  void publish() throws IOException {
    publisher = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    publisher.createContext(
        "/keys",
        exchange -> {
          fetches.incrementAndGet();
          exchange.sendResponseHeaders(status, document.length);
          exchange.getResponseBody().write(document);
          exchange.close();
        });
    publisher.start();
    document(Tokens.jwk("r", RSA.getPublic()), Tokens.jwk("e", ED.getPublic()));
    jwks =
        new Jwks(
            "http://127.0.0.1:" + publisher.getAddress().getPort() + "/keys",
            Duration.ofSeconds(5),
            Duration.ofHours(1),
            nanoTime::get);
  }

  @AfterEach
  void end() {
    jwks.close();
    publisher.stop(0);
  }

  private void document(ObjectNode... keys) {
    var set = Json.object();
    var array = set.putArray("keys");
    for (var key : keys) {
      array.add(key);
    }
    document = Json.bytes(set);
  }

  private void pass(Duration time) {
    nanoTime.addAndGet(time.toNanos());
  }

  @Test
  void keysAreFoundByIdAndKindAndFetchedOnce() {
    assertEquals(RSA.getPublic(), jwks.find("r", "RS256"));
    assertEquals(ED.getPublic(), jwks.find("e", "EdDSA"));
    assertEquals(1, fetches.get());
    assertNull(jwks.find("r", "EdDSA"));
  }

  @Test
  void noIdTakesTheFirstKeyThatFits() {
    assertEquals(ED.getPublic(), jwks.find(null, "EdDSA"));
    assertEquals(RSA.getPublic(), jwks.find("", "RS512"));
  }

  @Test
  void anUnknownIdHasThemFetchedAgainButNotMoreOftenThanEveryFiveSeconds() {
    assertNotNull(jwks.find("r", "RS256"));
    var fresh = Tokens.pair("RSA");
    document(Tokens.jwk("new", fresh.getPublic()));
    assertNull(jwks.find("new", "RS256"));
    assertEquals(1, fetches.get());
    pass(Duration.ofSeconds(5));
    assertEquals(fresh.getPublic(), jwks.find("new", "RS256"));
    assertEquals(2, fetches.get());
    for (int i = 0; i < 10; i++) {
      assertNull(jwks.find("guess-" + i, "RS256"));
    }
    assertEquals(2, fetches.get());
  }

  @Test
  void oldKeysAreFetchedAnewAndARevokedOneIsGone() {
    assertNotNull(jwks.find("r", "RS256"));
    document(Tokens.jwk("e", ED.getPublic()));
    pass(Duration.ofMinutes(59));
    assertNotNull(jwks.find("r", "RS256"));
    pass(Duration.ofMinutes(2));
    assertNull(jwks.find("r", "RS256"));
    assertEquals(2, fetches.get());
  }

  @Test
  void aPublisherThatFailsLeavesTheKeysThatAreThere() {
    assertNotNull(jwks.find("r", "RS256"));
    status = 500;
    pass(Duration.ofHours(2));
    assertNotNull(jwks.find("r", "RS256"));
    document = "no json".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    status = 200;
    pass(Duration.ofHours(2));
    assertNotNull(jwks.find("r", "RS256"));
    assertEquals(3, fetches.get());
  }

  @Test
  void keysForOtherPurposesAndKindsAreLeftOut() {
    var encrypts = Tokens.jwk("x", RSA.getPublic()).put("use", "enc");
    var curve = Json.object().put("kid", "c").put("kty", "EC").put("crv", "P-256");
    var short25519 =
        Json.object().put("kid", "s").put("kty", "OKP").put("crv", "Ed25519").put("x", "AA");
    var exact = Tokens.jwk("a", RSA.getPublic()).put("alg", "RS512");
    document(encrypts, curve, short25519, exact);
    assertNull(jwks.find("x", "RS256"));
    assertNull(jwks.find("s", "EdDSA"));
    assertNull(jwks.find("a", "RS256"));
    assertNotNull(jwks.find("a", "RS512"));
  }

  @Test
  void aTokenOfAnUnknownKeyIsRefusedAsSuch() {
    var config =
        Tokens.config(
            "auto", null, null, "http://127.0.0.1:" + publisher.getAddress().getPort() + "/keys");
    try (var access = new AccessControl(config)) {
      var header = Json.object().put("alg", "EdDSA").put("kid", "e");
      var claims = Json.object().put("sub", "ann").put("role", "admin");
      var token = Tokens.signed(header, claims, null, ED.getPrivate());
      assertEquals("ann", access.admit("GET", "/api/v1/pop", "bearer " + token));
      assertEquals("ann", access.admit("GET", "/api/v1/pop", token));
      var unknown = Tokens.signed(header.put("kid", "?"), claims, null, ED.getPrivate());
      var problem =
          org.junit.jupiter.api.Assertions.assertThrows(
              dev.queencell.service.HttpProblem.class,
              () -> access.admit("GET", "/api/v1/pop", "Bearer " + unknown));
      assertEquals("401 Unknown key ID", problem.status() + " " + problem.getMessage());
    }
  }
}
