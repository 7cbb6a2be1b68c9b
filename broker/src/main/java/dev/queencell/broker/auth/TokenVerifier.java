package dev.queencell.broker.auth;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a JSON Web Token in its compact form (RFC 7515, RFC 7519): the algorithm must be one that
 * the broker takes, then the signature must be good, and only then is a claim believed. Refusals
 * are the contract's texts. Thread-safe.
 */
final class TokenVerifier {
  private static final String BAD_HEADER = "Bad token header";
  private static final String BAD_SIGNATURE = "Invalid token signature";

  private final AuthConfig config;
  private final KeyRing keys;
  private final InstantSource clock;

  /**
   * Whom a token stands for.
   *
   * @param subject null when it names none
   */
  record Bearer(String subject, Set<Role> roles) {}

  TokenVerifier(AuthConfig config, KeyRing keys, InstantSource clock) {
    this.config = config;
    this.keys = keys;
    this.clock = clock;
  }

  /**
   * Whom a token stands for.
   *
   * @throws HttpProblem 401 when it is not good, 500 when this broker lacks the key material
   */
  Bearer verify(String token) {
    int first = token.indexOf('.');
    int second = token.indexOf('.', first + 1);
    if (first < 0 || second < 0 || token.indexOf('.', second + 1) >= 0) {
      throw refused(BAD_HEADER);
    }
    var header = object(token.substring(0, first), BAD_HEADER);
    var algorithm = text(header, "alg");
    // An extension that must be understood is none that is understood here.
    if (algorithm == null || header.has("crit")) {
      throw refused(BAD_HEADER);
    }
    if (!Algorithms.accepts(config.algorithm(), algorithm)) {
      throw refused("Unsupported token algorithm");
    }
    var signed = token.substring(0, second).getBytes(StandardCharsets.ISO_8859_1);
    var signature = bytes(token.substring(second + 1), BAD_SIGNATURE);
    if (!keys.verify(algorithm, text(header, "kid"), signed, signature)) {
      throw refused(BAD_SIGNATURE);
    }
    var claims = object(token.substring(first + 1, second), BAD_SIGNATURE);
    checkTimes(claims);
    checkParties(claims);
    return new Bearer(text(claims, "sub"), roles(claims));
  }

  private void checkTimes(ObjectNode claims) {
    double now = clock.instant().getEpochSecond();
    double skew = config.clockSkew().toSeconds();
    if (claims.has("exp") && !(now <= number(claims.get("exp")) + skew)) {
      throw refused("Token has expired");
    }
    if (claims.has("nbf") && !(number(claims.get("nbf")) <= now + skew)) {
      throw refused("Token not yet valid");
    }
    if (claims.has("iat") && !(number(claims.get("iat")) <= now + skew)) {
      throw refused("Token issued in the future");
    }
  }

  /** Not a number when it is none, which no comparison lets pass. */
  private static double number(JsonNode node) {
    return node.isNumber() ? node.doubleValue() : Double.NaN;
  }

  private void checkParties(ObjectNode claims) {
    if (config.issuer() != null && !config.issuer().equals(text(claims, "iss"))) {
      throw refused("Invalid token issuer");
    }
    if (config.audience() != null && !names(claims.get("aud"), config.audience())) {
      throw refused("Invalid token audience");
    }
  }

  private static boolean names(JsonNode claim, String wanted) {
    if (claim == null) {
      return false;
    }
    if (claim.isString()) {
      return claim.stringValue().equals(wanted);
    }
    for (var element : claim) {
      if (claim.isArray() && element.isString() && element.stringValue().equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  private Set<Role> roles(ObjectNode claims) {
    var roles = EnumSet.noneOf(Role.class);
    add(roles, claims.get(config.roleClaim()));
    var several = claims.get(config.rolesClaim());
    if (several != null && several.isArray()) {
      several.forEach(element -> add(roles, element));
    }
    return roles;
  }

  private void add(Set<Role> roles, JsonNode claim) {
    var role = claim != null && claim.isString() ? config.roles().get(claim.stringValue()) : null;
    if (role != null) {
      roles.add(role);
    }
  }

  private static ObjectNode object(String part, String problem) {
    try {
      if (Json.mapper().readTree(bytes(part, problem)) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      throw refused(problem);
    }
    throw refused(problem);
  }

  private static byte[] bytes(String part, String problem) {
    try {
      return Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException e) {
      throw refused(problem);
    }
  }

  private static String text(ObjectNode node, String name) {
    var value = node.get(name);
    return value != null && value.isString() ? value.stringValue() : null;
  }

  private static HttpProblem refused(String text) {
    return new HttpProblem(401, text, null);
  }
}
