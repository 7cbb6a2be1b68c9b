package dev.queencell.broker.crypto;

import dev.queencell.service.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * AES-256-GCM over payloads, in the contract's envelope: {@code
 * {"encrypted":…,"iv":…,"authTag":…}}, each in base64, the initialisation vector 16 bytes long of
 * which the first 12 are used.
 *
 * <p>New envelopes are sealed with the first key; an envelope is opened with whichever key fits, so
 * that a key can be replaced while what it has sealed is still there. What has the shape of an
 * envelope but does not open is passed on as it is, by contract. Without a key nothing is sealed
 * and nothing opened. Thread-safe.
 */
public final class PayloadCipher {
  /** Seals nothing and opens nothing. */
  public static final PayloadCipher NONE = new PayloadCipher(List.of());

  private static final int KEY_CHARS = 64;
  private static final int IV_BYTES = 16;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final int TAG_BITS = 128;

  /** Of 16 bytes. */
  private static final int BASE64_CHARS = 24;

  private static final String CIPHER = "AES/GCM/NoPadding";

  private static final byte[] ENCRYPTED = ascii("{\"encrypted\":\"");
  private static final byte[] IV = ascii("\",\"iv\":\"");
  private static final byte[] AUTH_TAG = ascii("\",\"authTag\":\"");
  private static final byte[] END = ascii("\"}");

  /** What an envelope can begin with, behind its brace and quote. */
  private static final List<byte[]> FIRST_NAMES =
      List.of(ascii("encrypted\""), ascii("iv\""), ascii("authTag\""));

  private final List<SecretKey> keys;
  private final SecureRandom random = new SecureRandom();

  private PayloadCipher(List<SecretKey> keys) {
    this.keys = keys;
  }

  /**
   * A cipher with these keys, the first of which seals.
   *
   * @param hexKeys each exactly 64 hexadecimal characters
   * @throws IllegalArgumentException saying what is wrong, without showing a key
   */
  public static PayloadCipher of(List<String> hexKeys) {
    var keys = new ArrayList<SecretKey>();
    for (var hex : hexKeys) {
      if (hex.length() != KEY_CHARS || !hex.chars().allMatch(HexFormat::isHexDigit)) {
        throw new IllegalArgumentException(
            "a key takes exactly 64 hexadecimal characters; this one is no such text of %d"
                .formatted(hex.length()));
      }
      keys.add(new SecretKeySpec(HexFormat.of().parseHex(hex), "AES"));
    }
    return keys.isEmpty() ? NONE : new PayloadCipher(List.copyOf(keys));
  }

  /** Whether there is a key, so that something can be sealed. */
  public boolean loaded() {
    return !keys.isEmpty();
  }

  /** The envelope of a payload. */
  public byte[] seal(byte[] array, int offset, int length) {
    var iv = new byte[IV_BYTES];
    random.nextBytes(iv);
    var sealed = crypt(Cipher.ENCRYPT_MODE, keys.getFirst(), iv, array, offset, length);
    var base64 = Base64.getEncoder();
    int body = sealed.length - TAG_BYTES;
    var out = new ByteArrayOutputStream(body / 3 * 4 + 128);
    out.writeBytes(ENCRYPTED);
    out.writeBytes(base64.encode(Arrays.copyOf(sealed, body)));
    out.writeBytes(IV);
    out.writeBytes(base64.encode(iv));
    out.writeBytes(AUTH_TAG);
    out.writeBytes(base64.encode(Arrays.copyOfRange(sealed, body, sealed.length)));
    out.writeBytes(END);
    return out.toByteArray();
  }

  /**
   * What an envelope holds.
   *
   * @return null when this is no envelope, or none that a key of ours opens: it is passed on as it
   *     is then
   */
  public byte[] open(byte[] array, int offset, int length) {
    if (!loaded() || !mayBeEnvelope(array, offset, length)) {
      return null;
    }
    var parts = canonical(array, offset, length);
    if (parts == null) {
      parts = parsed(array, offset, length);
    }
    if (parts == null || parts.iv().length != IV_BYTES || parts.tag().length != TAG_BYTES) {
      return null;
    }
    var sealed = Arrays.copyOf(parts.body(), parts.body().length + TAG_BYTES);
    System.arraycopy(parts.tag(), 0, sealed, parts.body().length, TAG_BYTES);
    return openWithAnyKey(parts.iv(), sealed, 0, sealed.length);
  }

  private record Parts(byte[] body, byte[] iv, byte[] tag) {}

  /** An envelope as {@link #seal} writes it, of any length and without a tree; else null. */
  private static Parts canonical(byte[] array, int offset, int length) {
    int bodyAt = offset + ENCRYPTED.length;
    int tagAt = offset + length - END.length - BASE64_CHARS;
    int ivAt = tagAt - AUTH_TAG.length - BASE64_CHARS;
    int bodyEnd = ivAt - IV.length;
    if (bodyEnd < bodyAt
        || !stands(ENCRYPTED, array, offset)
        || !stands(IV, array, bodyEnd)
        || !stands(AUTH_TAG, array, ivAt + BASE64_CHARS)
        || !stands(END, array, tagAt + BASE64_CHARS)) {
      return null;
    }
    var base64 = Base64.getDecoder();
    try {
      return new Parts(
          base64.decode(Arrays.copyOfRange(array, bodyAt, bodyEnd)),
          base64.decode(Arrays.copyOfRange(array, ivAt, ivAt + BASE64_CHARS)),
          base64.decode(Arrays.copyOfRange(array, tagAt, tagAt + BASE64_CHARS)));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** An envelope with blanks or its fields in another order; else null. */
  private static Parts parsed(byte[] array, int offset, int length) {
    try {
      var envelope = Json.mapper().readTree(array, offset, length);
      if (envelope == null || envelope.size() != 3) {
        return null;
      }
      var body = bytes(envelope, "encrypted");
      var iv = bytes(envelope, "iv");
      var tag = bytes(envelope, "authTag");
      return body == null || iv == null || tag == null ? null : new Parts(body, iv, tag);
    } catch (JacksonException e) {
      return null;
    }
  }

  private static boolean stands(byte[] text, byte[] array, int at) {
    return at + text.length <= array.length
        && Arrays.equals(array, at, at + text.length, text, 0, text.length);
  }

  /** Nonce, ciphertext and tag without the envelope's base64, for files of our own. */
  public byte[] sealRaw(byte[] array, int offset, int length) {
    var nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    var sealed = crypt(Cipher.ENCRYPT_MODE, keys.getFirst(), nonce, array, offset, length);
    var raw = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
    System.arraycopy(sealed, 0, raw, NONCE_BYTES, sealed.length);
    return raw;
  }

  /** What {@link #sealRaw} was given; null when no key of ours opens it. */
  public byte[] openRaw(byte[] raw) {
    if (raw.length < NONCE_BYTES + TAG_BYTES) {
      return null;
    }
    return openWithAnyKey(raw, raw, NONCE_BYTES, raw.length - NONCE_BYTES);
  }

  private byte[] openWithAnyKey(byte[] iv, byte[] sealed, int offset, int length) {
    for (var key : keys) {
      var plain = crypt(Cipher.DECRYPT_MODE, key, iv, sealed, offset, length);
      if (plain != null) {
        return plain;
      }
    }
    return null;
  }

  /** Null when the tag does not fit, which says that the key does not. */
  private static byte[] crypt(
      int mode, SecretKey key, byte[] iv, byte[] array, int offset, int length) {
    try {
      var cipher = Cipher.getInstance(CIPHER);
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, iv, 0, NONCE_BYTES));
      return cipher.doFinal(array, offset, length);
    } catch (javax.crypto.AEADBadTagException e) {
      return null;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A look at the first bytes, so that ordinary payloads are never parsed. */
  private static boolean mayBeEnvelope(byte[] array, int offset, int length) {
    int end = offset + length;
    int at = offset;
    if (at >= end || array[at++] != '{') {
      return false;
    }
    while (at < end
        && (array[at] == ' ' || array[at] == '\n' || array[at] == '\r' || array[at] == '\t')) {
      at++;
    }
    if (at >= end || array[at++] != '"') {
      return false;
    }
    for (var name : FIRST_NAMES) {
      if (at + name.length <= end && stands(name, array, at)) {
        return true;
      }
    }
    return false;
  }

  private static byte[] bytes(JsonNode envelope, String name) {
    var value = envelope.get(name);
    if (value == null || !value.isString()) {
      return null;
    }
    try {
      return Base64.getDecoder().decode(value.stringValue());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
