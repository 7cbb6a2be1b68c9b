package dev.queencell.broker.auth;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How callers are told apart.
 *
 * @param enabled false lets everybody do everything
 * @param algorithm one of {@link Algorithms#NAMES}
 * @param secret for HS256 to HS512; null for none
 * @param publicKeyPem for RS256 to RS512 or EdDSA; wins over {@code jwksUrl}; null for none
 * @param jwksUrl where public keys are published; null for none
 * @param issuer what {@code iss} must be; null takes any
 * @param audience what {@code aud} must be or hold; null takes any
 * @param skipPaths open whatever their level; exact, or prefixes where they end with a slash
 * @param roleClaim name of the claim with one role
 * @param rolesClaim name of the claim with an array of roles
 * @param roles what the claims call each role
 */
public record AuthConfig(
    boolean enabled,
    String algorithm,
    String secret,
    String publicKeyPem,
    String jwksUrl,
    Duration jwksRefresh,
    Duration jwksTimeout,
    String issuer,
    String audience,
    Duration clockSkew,
    List<String> skipPaths,
    String roleClaim,
    String rolesClaim,
    Map<String, Role> roles) {

  /** Everything is open. */
  public static final AuthConfig OPEN =
      new AuthConfig(
          false,
          "HS256",
          null,
          null,
          null,
          Duration.ofHours(1),
          Duration.ofSeconds(5),
          null,
          null,
          Duration.ofSeconds(30),
          List.of(),
          "role",
          "roles",
          Map.of());
}
