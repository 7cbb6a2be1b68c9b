package dev.queencell.broker.auth;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Pattern;

/** Reads public keys from PEM texts and from the numbers of a JSON Web Key. */
final class PublicKeys {
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\\s]+)-----END PUBLIC KEY-----");
  private static final int ED25519_BYTES = 32;

  private PublicKeys() {}

  /**
   * Reads a {@code PUBLIC KEY} block (RFC 7468). Line breaks may be the two characters {@code \n},
   * as they are where an environment variable can't hold others.
   *
   * @param kind {@code RSA} or {@code Ed25519}
   * @return null when it is no such key
   */
  static PublicKey ofPem(String pem, String kind) {
    var block = PEM.matcher(pem.replace("\\n", "\n"));
    if (!block.find()) {
      return null;
    }
    try {
      var encoded = Base64.getMimeDecoder().decode(block.group(1));
      return KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(encoded));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return null;
    }
  }

  /** An RSA key of its modulus and exponent, big-endian. */
  static PublicKey rsa(byte[] modulus, byte[] exponent) throws GeneralSecurityException {
    return KeyFactory.getInstance("RSA")
        .generatePublic(
            new RSAPublicKeySpec(new BigInteger(1, modulus), new BigInteger(1, exponent)));
  }

  /** An Ed25519 key of its 32 bytes (RFC 8032): little-endian y, the top bit tells x's oddness. */
  static PublicKey ed25519(byte[] point) throws GeneralSecurityException {
    if (point.length != ED25519_BYTES) {
      throw new GeneralSecurityException("an Ed25519 key has 32 bytes, not " + point.length);
    }
    var bigEndian = new byte[ED25519_BYTES];
    for (int i = 0; i < ED25519_BYTES; i++) {
      bigEndian[i] = point[ED25519_BYTES - 1 - i];
    }
    boolean odd = (bigEndian[0] & 0x80) != 0;
    bigEndian[0] &= 0x7f;
    return KeyFactory.getInstance("Ed25519")
        .generatePublic(
            new EdECPublicKeySpec(
                NamedParameterSpec.ED25519, new EdECPoint(odd, new BigInteger(1, bigEndian))));
  }
}
