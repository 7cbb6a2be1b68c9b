package dev.queencell.broker.auth;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.util.List;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The signature algorithms of RFC 7518 and RFC 8037 that are taken, on the JDK's own cryptography.
 * Which of them a token may use is the broker's setting and never the token's choice alone.
 */
final class Algorithms {
  static final String AUTO = "auto";

  /** What {@code JWT_ALGORITHM} takes. */
  static final List<String> NAMES =
      List.of("HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "EdDSA", AUTO);

  private static final Set<String> RSA = Set.of("RS256", "RS384", "RS512");

  private Algorithms() {}

  /** Whether a broker set to {@code configured} takes a token signed with {@code used}. */
  static boolean accepts(String configured, String used) {
    return switch (configured) {
      case AUTO -> !used.equals(AUTO) && NAMES.contains(used);
      case "RS256" -> RSA.contains(used);
      default -> configured.equals(used);
    };
  }

  static boolean isHmac(String algorithm) {
    return algorithm.startsWith("HS");
  }

  static boolean isRsa(String algorithm) {
    return algorithm.startsWith("RS");
  }

  static boolean verifyHmac(String algorithm, byte[] secret, byte[] signed, byte[] signature) {
    var name = "HmacSHA" + algorithm.substring(2);
    try {
      var mac = Mac.getInstance(name);
      mac.init(new SecretKeySpec(secret, name));
      return MessageDigest.isEqual(mac.doFinal(signed), signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(name, e);
    }
  }

  /** False also for a signature that is no signature at all. */
  static boolean verify(String algorithm, PublicKey key, byte[] signed, byte[] signature) {
    var name = isRsa(algorithm) ? "SHA%swithRSA".formatted(algorithm.substring(2)) : "Ed25519";
    try {
      var verifier = Signature.getInstance(name);
      verifier.initVerify(key);
      verifier.update(signed);
      return verifier.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
