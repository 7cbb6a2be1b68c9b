package dev.queencell.broker.auth;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What is believed of a token, and the texts with which the rest is refused. */
class TokenVerifierTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
  private static final KeyPair RSA = Tokens.pair("RSA");
  private static final KeyPair ED = Tokens.pair("Ed25519");

  private static TokenVerifier verifier(AuthConfig config) {
    return new TokenVerifier(config, new KeyRing(config, System::nanoTime), () -> NOW);
  }

  private static AuthConfig hs() {
    return Tokens.config("HS256", Tokens.SECRET, null, null);
  }

  private static String refusal(AuthConfig config, String token) {
    var problem = assertThrows(HttpProblem.class, () -> verifier(config).verify(token));
    assertEquals(401, problem.status());
    return problem.getMessage();
  }

  private static ObjectNode claims() {
    return Json.object().put("sub", "ann").put("role", "admin");
  }

  private static String signed(String algorithm, KeyPair pair) {
    return Tokens.signed(Json.object().put("alg", algorithm), claims(), null, pair.getPrivate());
  }

  @Test
  void aGoodTokenNamesItsSubjectAndAllItsRoles() {
    var claims = Json.object().put("sub", "ann").put("role", "read-only");
    claims.putArray("roles").add("write-only").add("unheard-of").add(7);
    var bearer = verifier(hs()).verify(Tokens.hs(claims));
    assertEquals("ann", bearer.subject());
    assertEquals(Set.of(Role.READ_ONLY, Role.WRITE_ONLY), bearer.roles());
  }

  @ParameterizedTest
  @ValueSource(strings = {"HS256", "HS384", "HS512"})
  void everyHmacVerifiesOnlyUnderItsOwnName(String algorithm) {
    var own = Tokens.config(algorithm, Tokens.SECRET, null, null);
    assertEquals("ann", verifier(own).verify(Tokens.hs(algorithm, claims())).subject());
    for (var other : List.of("HS256", "HS384", "HS512")) {
      if (!other.equals(algorithm)) {
        assertEquals("Unsupported token algorithm", refusal(own, Tokens.hs(other, claims())));
      }
    }
  }

  @Test
  void rs256TakesItsWholeFamilyAndTheOthersOnlyThemselves() {
    var pem = Tokens.pem(RSA.getPublic());
    for (var used : List.of("RS256", "RS384", "RS512")) {
      var family = Tokens.config("RS256", null, pem, null);
      assertEquals("ann", verifier(family).verify(signed(used, RSA)).subject());
    }
    var exact = Tokens.config("RS512", null, pem, null);
    assertEquals("Unsupported token algorithm", refusal(exact, signed("RS256", RSA)));
    assertEquals("ann", verifier(exact).verify(signed("RS512", RSA)).subject());
  }

  @Test
  void ed25519Verifies() {
    var config = Tokens.config("EdDSA", null, Tokens.pem(ED.getPublic()), null);
    assertEquals("ann", verifier(config).verify(signed("EdDSA", ED)).subject());
    assertEquals(
        "Invalid token signature", refusal(config, signed("EdDSA", Tokens.pair("Ed25519"))));
  }

  @Test
  void aPemMayCarryItsLineBreaksAsTwoCharacters() {
    var pem = Tokens.pem(ED.getPublic()).replace("\n", "\\n");
    var config = Tokens.config("EdDSA", null, pem, null);
    assertEquals("ann", verifier(config).verify(signed("EdDSA", ED)).subject());
  }

  @Test
  void autoTakesAllSevenButNotNone() {
    var config = Tokens.config("auto", Tokens.SECRET, Tokens.pem(RSA.getPublic()), null);
    assertDoesNotThrow(() -> verifier(config).verify(Tokens.hs("HS512", claims())));
    assertDoesNotThrow(() -> verifier(config).verify(signed("RS384", RSA)));
    var none =
        Tokens.base64(Json.bytes(Json.object().put("alg", "none")))
            + "."
            + Tokens.base64(Json.bytes(claims()))
            + ".";
    assertEquals("Unsupported token algorithm", refusal(config, none));
    var auto =
        none.replace(
            Tokens.base64(Json.bytes(Json.object().put("alg", "none"))),
            Tokens.base64(Json.bytes(Json.object().put("alg", "auto"))));
    assertEquals("Unsupported token algorithm", refusal(config, auto));
  }

  @Test
  void aPublicKeyIsNeverASecret() {
    var pem = Tokens.pem(RSA.getPublic());
    var forged = Tokens.signed(Json.object().put("alg", "HS256"), claims(), pem, null);
    assertEquals(
        "Unsupported token algorithm", refusal(Tokens.config("RS256", null, pem, null), forged));
    var auto = Tokens.config("auto", null, pem, null);
    var problem = assertThrows(HttpProblem.class, () -> verifier(auto).verify(forged));
    assertEquals(500, problem.status());
    assertEquals("HS secret not configured", problem.getMessage());
  }

  @Test
  void keyMaterialOfTheWrongKindIsTheBrokersFault() {
    var ed = Tokens.config("auto", null, Tokens.pem(ED.getPublic()), null);
    var rsaToken = signed("RS256", RSA);
    var problem = assertThrows(HttpProblem.class, () -> verifier(ed).verify(rsaToken));
    assertEquals("500 invalid RSA public key PEM", problem.status() + " " + problem.getMessage());
    var rsa = Tokens.config("auto", null, Tokens.pem(RSA.getPublic()), null);
    var edToken = signed("EdDSA", ED);
    problem = assertThrows(HttpProblem.class, () -> verifier(rsa).verify(edToken));
    assertEquals("500 invalid Ed public key PEM", problem.status() + " " + problem.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "a.b", "a.b.c.d", "!!.e30.e30", "e30.e30.e30", "W10.e30.e30"})
  void whatIsNoTokenHasABadHeader(String token) {
    assertEquals("Bad token header", refusal(hs(), token));
  }

  @Test
  void aCriticalExtensionIsNotUnderstood() {
    var header = Json.object().put("alg", "HS256");
    header.putArray("crit").add("exp");
    assertEquals(
        "Bad token header", refusal(hs(), Tokens.signed(header, claims(), Tokens.SECRET, null)));
  }

  @Test
  void everyChangedByteBreaksTheSignature() {
    var token = Tokens.hs(claims());
    int from = token.indexOf('.') + 1;
    for (int at = from; at < token.length() - 1; at++) {
      if (token.charAt(at) == '.') {
        continue;
      }
      var changed =
          token.substring(0, at) + (token.charAt(at) == 'A' ? 'B' : 'A') + token.substring(at + 1);
      assertEquals("Invalid token signature", refusal(hs(), changed), changed);
    }
    assertEquals(
        "Invalid token signature", refusal(hs(), token.substring(0, token.lastIndexOf('.') + 1)));
  }

  @ParameterizedTest
  @CsvSource({
    "exp, -30, ''",
    "exp, -31, Token has expired",
    "exp, 100, ''",
    "nbf, 30, ''",
    "nbf, 31, Token not yet valid",
    "nbf, -100, ''",
    "iat, 30, ''",
    "iat, 31, Token issued in the future",
    "iat, -100, ''"
  })
  void timesAreCheckedWithSomeSkew(String claim, int seconds, String refusal) {
    var token = Tokens.hs(claims().put(claim, NOW.getEpochSecond() + seconds));
    if (refusal.isEmpty()) {
      assertDoesNotThrow(() -> verifier(hs()).verify(token));
    } else {
      assertEquals(refusal, refusal(hs(), token));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "exp, Token has expired",
    "nbf, Token not yet valid",
    "iat, Token issued in the future"
  })
  void aTimeThatIsNoNumberPassesNoCheck(String claim, String refusal) {
    assertEquals(refusal, refusal(hs(), Tokens.hs(claims().put(claim, "soon"))));
  }

  @Test
  void issuerAndAudienceCountOnlyWhereTheyAreConfigured() {
    var plain = hs();
    assertDoesNotThrow(
        () -> verifier(plain).verify(Tokens.hs(claims().put("iss", "x").put("aud", "y"))));
    var strict =
        new AuthConfig(
            true,
            "HS256",
            Tokens.SECRET,
            null,
            null,
            plain.jwksRefresh(),
            plain.jwksTimeout(),
            "us",
            "queen",
            Duration.ZERO,
            List.of(),
            "role",
            "roles",
            Map.of("admin", Role.ADMIN));
    assertEquals("Invalid token issuer", refusal(strict, Tokens.hs(claims().put("aud", "queen"))));
    var issued = claims().put("iss", "us");
    assertEquals("Invalid token audience", refusal(strict, Tokens.hs(issued)));
    assertEquals("Invalid token audience", refusal(strict, Tokens.hs(issued.put("aud", "other"))));
    assertDoesNotThrow(() -> verifier(strict).verify(Tokens.hs(issued.put("aud", "queen"))));
    issued.putArray("aud").add("other").add("queen");
    assertDoesNotThrow(() -> verifier(strict).verify(Tokens.hs(issued)));
    issued.putArray("aud").add("other");
    assertEquals("Invalid token audience", refusal(strict, Tokens.hs(issued)));
  }

  @Test
  void claimsAndRolesCanHaveOtherNames() {
    var open = AuthConfig.OPEN;
    var config =
        new AuthConfig(
            true,
            "HS256",
            Tokens.SECRET,
            null,
            null,
            open.jwksRefresh(),
            open.jwksTimeout(),
            null,
            null,
            Duration.ZERO,
            List.of(),
            "https://x/role",
            "groups",
            Map.of("boss", Role.ADMIN, "reader", Role.READ_ONLY));
    var claims = Json.object().put("https://x/role", "boss").put("role", "reader");
    claims.putArray("groups").add("reader");
    var bearer = verifier(config).verify(Tokens.hs(claims));
    assertEquals(Set.of(Role.ADMIN, Role.READ_ONLY), bearer.roles());
    assertNull(bearer.subject());
    assertTrue(verifier(config).verify(Tokens.hs(claims())).roles().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"HS256", "HS512", "RS256", "EdDSA", "auto"})
  void withoutAKeyThatFitsThereIsNoStart(String algorithm) {
    var problem =
        assertThrows(
            IllegalStateException.class,
            () -> new AccessControl(Tokens.config(algorithm, null, "no pem", null)));
    assertTrue(problem.getMessage().contains("no usable key"), problem.getMessage());
    if (!algorithm.equals("auto")) {
      var other = algorithm.startsWith("HS") ? Tokens.pem(RSA.getPublic()) : null;
      assertThrows(
          IllegalStateException.class,
          () ->
              new AccessControl(
                  Tokens.config(
                      algorithm, algorithm.startsWith("HS") ? null : Tokens.SECRET, other, null)));
    }
  }
}
