package dev.queencell.state.control;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A freshly minted API key: {@code qk_<env>_<43 base64url characters>} over 32 random bytes. The
 * text leaves the process once, in the answer to the call that made it; only the hash is stored.
 *
 * @param text the key itself
 * @param hash lower-case hex SHA-256 of the text
 */
record KeyText(String text, String hash) {
  private static final int RANDOM_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * @param env a word for people; what is not a letter or digit is left out
   */
  static KeyText mint(String env) {
    var random = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(random);
    var word = env.replaceAll("[^a-zA-Z0-9]", "");
    var text =
        "qk_%s_%s"
            .formatted(
                word.isEmpty() ? "live" : word,
                Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    return new KeyText(text, sha256(text));
  }

  @Override
  public String toString() {
    return "KeyText[hidden]";
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
