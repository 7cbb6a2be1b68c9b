package dev.queencell.broker.auth;

import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.node.ObjectNode;

/** Signs tokens as an issuer would, without the code under test. */
public final class Tokens {
  public static final String SECRET = "a secret of some length, for tests alone";

  private Tokens() {}

  public static KeyPair pair(String kind) {
    try {
      var generator = KeyPairGenerator.getInstance(kind);
      if (kind.equals("RSA")) {
        generator.initialize(2048);
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public static String pem(PublicKey key) {
    return "-----BEGIN PUBLIC KEY-----\n"
        + Base64.getMimeEncoder().encodeToString(key.getEncoded())
        + "\n-----END PUBLIC KEY-----\n";
  }

  /** A token signed with the shared secret. */
  public static String hs(String algorithm, ObjectNode claims) {
    return signed(Json.object().put("alg", algorithm).put("typ", "JWT"), claims, SECRET, null);
  }

  public static String hs(ObjectNode claims) {
    return hs("HS256", claims);
  }

  /** A token of one role. */
  public static String of(String role) {
    return hs(Json.object().put("sub", "s").put("role", role));
  }

  public static String signed(ObjectNode header, ObjectNode claims, String secret, PrivateKey key) {
    var signed = base64(Json.bytes(header)) + "." + base64(Json.bytes(claims));
    return signed + "." + base64(signature(header, signed, secret, key));
  }

  private static byte[] signature(ObjectNode header, String signed, String secret, PrivateKey key) {
    var algorithm = header.get("alg").stringValue();
    var bytes = signed.getBytes(StandardCharsets.ISO_8859_1);
    try {
      if (algorithm.startsWith("HS")) {
        var mac = Mac.getInstance("HmacSHA" + algorithm.substring(2));
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "any"));
        return mac.doFinal(bytes);
      }
      var signer =
          Signature.getInstance(
              algorithm.equals("EdDSA")
                  ? "Ed25519"
                  : "SHA%swithRSA".formatted(algorithm.substring(2)));
      signer.initSign(key);
      signer.update(bytes);
      return signer.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A JSON Web Key of a public key. */
  public static ObjectNode jwk(String id, PublicKey key) {
    var jwk = Json.object().put("kid", id).put("use", "sig");
    if (key instanceof RSAPublicKey rsa) {
      return jwk.put("kty", "RSA")
          .put("n", base64(unsigned(rsa.getModulus().toByteArray())))
          .put("e", base64(unsigned(rsa.getPublicExponent().toByteArray())));
    }
    // The last 32 bytes of the encoded key are the point as RFC 8032 writes it.
    var encoded = ((EdECPublicKey) key).getEncoded();
    var point = java.util.Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    return jwk.put("kty", "OKP").put("crv", "Ed25519").put("x", base64(point));
  }

  private static byte[] unsigned(byte[] number) {
    return number[0] == 0 ? java.util.Arrays.copyOfRange(number, 1, number.length) : number;
  }

  static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Tokens are asked for, with everything else by default. */
  public static AuthConfig config(String algorithm, String secret, String pem, String jwksUrl) {
    var open = AuthConfig.OPEN;
    return new AuthConfig(
        true,
        algorithm,
        secret,
        pem,
        jwksUrl,
        open.jwksRefresh(),
        open.jwksTimeout(),
        null,
        null,
        open.clockSkew(),
        java.util.List.of("/health", "/metrics/prometheus", "/metrics", "/"),
        "role",
        "roles",
        java.util.Map.of(
            "admin", Role.ADMIN,
            "read-write", Role.READ_WRITE,
            "read-only", Role.READ_ONLY,
            "write-only", Role.WRITE_ONLY));
  }
}
