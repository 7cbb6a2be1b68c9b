package dev.queencell.state.session;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The key of session tokens. Thread-safe. */
public sealed interface SigningKey {
  /** The name in a token's header. */
  String algorithm();

  boolean canSign();

  /** Signs; only where {@link #canSign()}. */
  byte[] sign(byte[] text);

  /** Whether a signature is right; in constant time for the shared secret. */
  boolean verify(byte[] text, byte[] signature);

  /** The 32 bytes of an Ed25519 public key. */
  Optional<byte[]> publicKey();

  int SECRET_BYTES_MIN = 32;

  /**
   * HS256 under a shared secret.
   *
   * @throws IllegalArgumentException when it is too short to be one
   */
  static SigningKey ofSecret(String secret) {
    var bytes = secret.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < SECRET_BYTES_MIN) {
      throw new IllegalArgumentException(
          "it has %d bytes; it takes at least %d".formatted(bytes.length, SECRET_BYTES_MIN));
    }
    return new SharedSecret(new SecretKeySpec(bytes, "HmacSHA256"));
  }

  /**
   * Ed25519 with the private key in PEM (PKCS #8).
   *
   * @throws IllegalArgumentException when it is none
   */
  static SigningKey ofPrivatePem(String pem) {
    try {
      var key =
          KeyFactory.getInstance("Ed25519")
              .generatePrivate(new PKCS8EncodedKeySpec(der(pem, "PRIVATE KEY")));
      return new Ed25519(key, publicOf((EdECPrivateKey) key));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("it is no Ed25519 private key in PEM", e);
    }
  }

  /**
   * Ed25519 with the public key in PEM: verifies only.
   *
   * @throws IllegalArgumentException when it is none
   */
  static SigningKey ofPublicPem(String pem) {
    try {
      return new Ed25519(
          null,
          KeyFactory.getInstance("Ed25519")
              .generatePublic(new X509EncodedKeySpec(der(pem, "PUBLIC KEY"))));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("it is no Ed25519 public key in PEM", e);
    }
  }

  private static byte[] der(String pem, String label) {
    var base64 =
        pem.replace("-----BEGIN " + label + "-----", "")
            .replace("-----END " + label + "-----", "")
            .replaceAll("(\\\\n|\\s)+", "");
    return Base64.getDecoder().decode(base64);
  }

  /** A pair whose random seed is the private key's own: the pair's public key belongs to it. */
  private static PublicKey publicOf(EdECPrivateKey key) throws GeneralSecurityException {
    var seed = key.getBytes().orElseThrow();
    var generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(
        NamedParameterSpec.ED25519,
        new SecureRandom() {
          private static final long serialVersionUID = 1;

          @Override
          public void nextBytes(byte[] bytes) {
            System.arraycopy(seed, 0, bytes, 0, bytes.length);
          }
        });
    return generator.generateKeyPair().getPublic();
  }

  /** HS256. */
  record SharedSecret(SecretKeySpec key) implements SigningKey {
    @Override
    public String algorithm() {
      return "HS256";
    }

    @Override
    public boolean canSign() {
      return true;
    }

    @Override
    public byte[] sign(byte[] text) {
      try {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
        return mac.doFinal(text);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every Java runtime has HMAC-SHA-256", e);
      }
    }

    @Override
    public boolean verify(byte[] text, byte[] signature) {
      return MessageDigest.isEqual(sign(text), signature);
    }

    @Override
    public Optional<byte[]> publicKey() {
      return Optional.empty();
    }

    @Override
    public String toString() {
      return "SharedSecret[hidden]";
    }
  }

  /** EdDSA over Ed25519; a null private key verifies only. */
  record Ed25519(PrivateKey key, PublicKey verifier) implements SigningKey {
    private static final int KEY_BYTES = 32;

    @Override
    public String algorithm() {
      return "EdDSA";
    }

    @Override
    public boolean canSign() {
      return key != null;
    }

    @Override
    public byte[] sign(byte[] text) {
      try {
        var signature = Signature.getInstance("Ed25519");
        signature.initSign(key);
        signature.update(text);
        return signature.sign();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("an Ed25519 key signs", e);
      }
    }

    @Override
    public boolean verify(byte[] text, byte[] sent) {
      try {
        var signature = Signature.getInstance("Ed25519");
        signature.initVerify(verifier);
        signature.update(text);
        return signature.verify(sent);
      } catch (GeneralSecurityException e) {
        // What has not even the form of a signature is none.
        return false;
      }
    }

    @Override
    public Optional<byte[]> publicKey() {
      var der = verifier.getEncoded();
      return Optional.of(Arrays.copyOfRange(der, der.length - KEY_BYTES, der.length));
    }

    @Override
    public String toString() {
      return "Ed25519[hidden]";
    }
  }
}
