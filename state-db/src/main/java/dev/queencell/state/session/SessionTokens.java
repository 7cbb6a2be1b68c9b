package dev.queencell.state.session;

import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Session tokens: JWTs (RFC 7519) under one key and one algorithm, which the token's own header
 * can't choose. A token says who somebody is; what they may do is looked up. Thread-safe.
 */
public final class SessionTokens {
  /**
   * What a valid token says.
   *
   * @param cluster the only cluster it is good for, or nothing
   */
  public record Claims(UUID userId, String jti, Instant expiresAt, Optional<String> cluster) {}

  private static final int TOKEN_CHARS_MAX = 4096;
  private static final String ISSUER = "queencell";
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private final SigningKey key;
  private final Optional<String> audience;

  /**
   * @param audience what a token that names an audience must name, or nothing to accept any
   */
  public SessionTokens(SigningKey key, Optional<String> audience) {
    this.key = key;
    this.audience = audience.map(name -> name.toLowerCase(Locale.ROOT));
  }

  /** Whether this process can sign. */
  public boolean canMint() {
    return key.canSign();
  }

  /** Makes a token with an id of its own. */
  public String mint(UUID userId, Instant now, Duration life, Optional<String> cluster) {
    var header = Json.object().put("alg", key.algorithm()).put("typ", "JWT");
    var claims =
        Json.object()
            .put("sub", userId.toString())
            .put("iss", ISSUER)
            .put("iat", now.getEpochSecond())
            .put("exp", now.plus(life).getEpochSecond())
            .put("jti", UUID.randomUUID().toString())
            .put("role", "viewer");
    cluster.ifPresent(id -> claims.put("cluster", id));
    var signed = encode(Json.bytes(header)) + "." + encode(Json.bytes(claims));
    return signed + "." + encode(key.sign(signed.getBytes(StandardCharsets.US_ASCII)));
  }

  /** What a token says, or nothing when it is not one of ours, altered, or over. */
  public Optional<Claims> verify(String token, Instant now) {
    if (token.length() > TOKEN_CHARS_MAX) {
      return Optional.empty();
    }
    var parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      var header = json(parts[0]);
      var signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
      boolean ours =
          key.algorithm().equals(header.path("alg").asString(""))
              && key.verify(signed, Base64.getUrlDecoder().decode(parts[2]));
      return ours ? claims(json(parts[1]), now) : Optional.empty();
    } catch (IllegalArgumentException | JacksonException e) {
      return Optional.empty();
    }
  }

  /** The public key as a JSON Web Key Set (RFC 7517); empty for a shared secret. */
  public ObjectNode keySet() {
    var set = Json.object();
    var keys = set.putArray("keys");
    key.publicKey()
        .ifPresent(
            bytes ->
                keys.addObject()
                    .put("kty", "OKP")
                    .put("crv", "Ed25519")
                    .put("alg", "EdDSA")
                    .put("use", "sig")
                    .put("x", encode(bytes)));
    return set;
  }

  private Optional<Claims> claims(JsonNode claims, Instant now) {
    var subject = claims.path("sub").asString("");
    var jti = claims.path("jti").asString("");
    var expires = claims.path("exp");
    boolean usable =
        UUID_TEXT.matcher(subject).matches()
            && !jti.isEmpty()
            && expires.isIntegralNumber()
            && now.getEpochSecond() < expires.asLong()
            && ISSUER.equals(claims.path("iss").asString(""))
            && isForUs(claims.path("aud"));
    if (!usable) {
      return Optional.empty();
    }
    var cluster = claims.path("cluster").asString("");
    return Optional.of(
        new Claims(
            UUID.fromString(subject),
            jti,
            Instant.ofEpochSecond(expires.asLong()),
            cluster.isEmpty() ? Optional.empty() : Optional.of(cluster)));
  }

  private boolean isForUs(JsonNode named) {
    if (audience.isEmpty() || named.isMissingNode() || named.isNull()) {
      return true;
    }
    var wanted = audience.get();
    if (named.isArray()) {
      return named.isEmpty()
          || named
              .valueStream()
              .anyMatch(one -> one.asString("").toLowerCase(Locale.ROOT).equals(wanted));
    }
    var one = named.asString("");
    return one.isEmpty() || one.toLowerCase(Locale.ROOT).equals(wanted);
  }

  private static JsonNode json(String part) {
    return Json.mapper().readTree(Base64.getUrlDecoder().decode(part));
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
