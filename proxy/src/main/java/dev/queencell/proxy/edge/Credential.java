package dev.queencell.proxy.edge;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Who a request says that it comes from. Only the hash of a key leaves this class, and the key
 * itself is never kept or printed.
 */
sealed interface Credential {
  /** A program's key, as lower-case hex SHA-256. */
  record ApiKey(String hash) implements Credential {}

  /** A person's session. */
  record Session(String token) implements Credential {
    @Override
    public String toString() {
      return "Session";
    }
  }

  /** Nothing usable. */
  record None() implements Credential {}

  /**
   * Reads the headers: {@code Authorization} first, then the session's cookie. A browser that
   * follows a link to an API path, or that another site's page has send something, sends its cookie
   * without anybody having meant to: it counts as nothing.
   */
  static Credential of(HttpFields headers, String method, boolean isApi) {
    var bearer = Tokens.bearer(headers);
    if (bearer != null) {
      return bearer;
    }
    var cookie = Tokens.cookie(headers);
    boolean followedLink = isApi && "navigate".equalsIgnoreCase(headers.get("Sec-Fetch-Mode"));
    boolean reads = method.equals("GET") || method.equals("HEAD");
    var site = headers.get("Sec-Fetch-Site");
    boolean fromElsewhere =
        !reads && ("cross-site".equalsIgnoreCase(site) || "same-site".equalsIgnoreCase(site));
    return cookie == null || followedLink || fromElsewhere ? new None() : new Session(cookie);
  }

  /** Finds tokens in headers. */
  final class Tokens {
    private static final String SCHEME = "Bearer ";
    private static final String KEY_PREFIX = "qk_";
    private static final String COOKIE = "queen_session=";
    private static final int KEY_CHARS_MAX = 512;
    private static final int SESSION_CHARS_MAX = 4096;

    /** Copied for each use: looking the algorithm up takes longer than hashing a key. */
    private static final MessageDigest SHA_256 = sha256();

    private Tokens() {}

    private static Credential bearer(HttpFields headers) {
      var value = headers.get(HttpHeader.AUTHORIZATION);
      if (value == null || !value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
        return null;
      }
      var token = value.substring(SCHEME.length()).strip();
      if (token.startsWith(KEY_PREFIX)) {
        return token.length() <= KEY_CHARS_MAX ? new ApiKey(sha256(token)) : new None();
      }
      return isSession(token) ? new Session(token) : new None();
    }

    private static String cookie(HttpFields headers) {
      for (var field : headers) {
        if (field.getHeader() != HttpHeader.COOKIE || field.getValue() == null) {
          continue;
        }
        for (var part : field.getValue().split(";", -1)) {
          var pair = part.strip();
          if (pair.startsWith(COOKIE)) {
            var token = pair.substring(COOKIE.length());
            return isSession(token) && !token.startsWith(KEY_PREFIX) ? token : null;
          }
        }
      }
      return null;
    }

    private static boolean isSession(String token) {
      return !token.isEmpty() && token.length() <= SESSION_CHARS_MAX;
    }

    private static String sha256(String text) {
      try {
        var digest = (MessageDigest) SHA_256.clone();
        return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("the runtime's own SHA-256 can be copied", e);
      }
    }

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java runtime has SHA-256", e);
      }
    }
  }
}
