package dev.queencell.broker.auth;

import dev.queencell.service.HttpProblem;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.function.LongSupplier;

/**
 * All key material of a broker, by what a token's algorithm needs. A secret is never used as a
 * public key nor the other way round. Thread-safe.
 */
final class KeyRing implements AutoCloseable {
  private final byte[] secret;
  private final boolean pem;
  private final PublicKey rsa;
  private final PublicKey ed25519;
  private final Jwks jwks;

  /**
   * @throws IllegalStateException when nothing of it can verify a token of the configured algorithm
   */
  KeyRing(AuthConfig config, LongSupplier nanoTime) {
    secret = config.secret() == null ? null : config.secret().getBytes(StandardCharsets.UTF_8);
    pem = config.publicKeyPem() != null;
    rsa = pem ? PublicKeys.ofPem(config.publicKeyPem(), "RSA") : null;
    ed25519 = pem ? PublicKeys.ofPem(config.publicKeyPem(), "Ed25519") : null;
    requireUsable(config);
    jwks =
        pem || config.jwksUrl() == null
            ? null
            : new Jwks(config.jwksUrl(), config.jwksTimeout(), config.jwksRefresh(), nanoTime);
  }

  private void requireUsable(AuthConfig config) {
    boolean published = !pem && config.jwksUrl() != null;
    var algorithm = config.algorithm();
    boolean usable;
    String wanted;
    if (algorithm.equals(Algorithms.AUTO)) {
      usable = secret != null || rsa != null || ed25519 != null || published;
      wanted = "JWT_SECRET, JWT_PUBLIC_KEY or JWT_JWKS_URL";
    } else if (Algorithms.isHmac(algorithm)) {
      usable = secret != null;
      wanted = "JWT_SECRET";
    } else {
      usable = (Algorithms.isRsa(algorithm) ? rsa : ed25519) != null || published;
      wanted = "JWT_PUBLIC_KEY (a PEM block PUBLIC KEY that fits) or JWT_JWKS_URL";
    }
    if (!usable) {
      throw new IllegalStateException(
          "JWT_ENABLED is true and JWT_ALGORITHM is %s, but there is no usable key; it takes %s"
              .formatted(algorithm, wanted));
    }
  }

  /**
   * Whether a signature is good.
   *
   * @throws HttpProblem 500 without a key of the kind, 401 for an id that nobody publishes
   */
  boolean verify(String algorithm, String keyId, byte[] signed, byte[] signature) {
    if (Algorithms.isHmac(algorithm)) {
      if (secret == null) {
        throw new HttpProblem(500, "HS secret not configured", null);
      }
      return Algorithms.verifyHmac(algorithm, secret, signed, signature);
    }
    return Algorithms.verify(algorithm, publicKey(algorithm, keyId), signed, signature);
  }

  private PublicKey publicKey(String algorithm, String keyId) {
    if (jwks != null) {
      var key = jwks.find(keyId, algorithm);
      if (key == null) {
        throw new HttpProblem(401, "Unknown key ID", null);
      }
      return key;
    }
    boolean wantsRsa = Algorithms.isRsa(algorithm);
    var key = wantsRsa ? rsa : ed25519;
    if (key == null) {
      throw new HttpProblem(
          500, wantsRsa ? "invalid RSA public key PEM" : "invalid Ed public key PEM", null);
    }
    return key;
  }

  @Override
  public void close() {
    if (jwks != null) {
      jwks.close();
    }
  }
}
