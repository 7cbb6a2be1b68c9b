package dev.queencell.proxy.edge;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** The API key of a request, as the hash by which it is known. The key itself is kept nowhere. */
final class KeyHash {
  private static final String SCHEME = "Bearer ";
  private static final String KEY_PREFIX = "qk_";
  private static final int KEY_CHARS_MAX = 256;

  private KeyHash() {}

  /**
   * The hash of the request's key.
   *
   * @return null without a key; session tokens and cookies are no credential here
   */
  static String of(HttpFields headers) {
    var field = headers.getField(HttpHeader.AUTHORIZATION);
    if (field == null) {
      return null;
    }
    var value = field.getValue();
    if (value == null || !value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    var token = value.substring(SCHEME.length()).strip();
    return token.startsWith(KEY_PREFIX) && token.length() <= KEY_CHARS_MAX ? sha256(token) : null;
  }

  private static String sha256(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
