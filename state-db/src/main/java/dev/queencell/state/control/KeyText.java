package dev.queencell.state.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * A freshly minted API key: {@code qk_<env>_<43 base64url characters>} over 28 random bytes and the
 * CRC-32 of all before it, so that a mistyped key can be told from an unknown one, and a key found
 * in a text from something that looks like one. The text leaves the process once, in the answer to
 * the call that made it; only the hash is stored.
 *
 * @param text the key itself
 * @param hash lower-case hex SHA-256 of the text
 */
record KeyText(String text, String hash) {
  private static final int RANDOM_BYTES = 28;
  private static final int CHECKSUM_BYTES = 4;
  private static final Pattern FORM = Pattern.compile("(qk_[a-zA-Z0-9]+_)([a-zA-Z0-9_-]{43})");
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * @param env a word for people; what is not a letter or digit is left out
   */
  static KeyText mint(String env) {
    var random = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(random);
    var word = env.replaceAll("[^a-zA-Z0-9]", "");
    var prefix = "qk_%s_".formatted(word.isEmpty() ? "live" : word);
    var bytes =
        ByteBuffer.allocate(RANDOM_BYTES + CHECKSUM_BYTES)
            .put(random)
            .putInt(checksum(prefix, random))
            .array();
    var text = prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return new KeyText(text, sha256(text));
  }

  /** Whether a text has the form of a key minted here and its checksum is right. */
  static boolean isWellFormed(String text) {
    var form = FORM.matcher(text);
    if (!form.matches()) {
      return false;
    }
    var decoded = Base64.getUrlDecoder().decode(form.group(2));
    var bytes = ByteBuffer.wrap(decoded);
    var random = new byte[RANDOM_BYTES];
    bytes.get(random);
    // The last character carries two spare bits, in which a typo would not show.
    return bytes.getInt() == checksum(form.group(1), random)
        && Base64.getUrlEncoder().withoutPadding().encodeToString(decoded).equals(form.group(2));
  }

  private static int checksum(String prefix, byte[] random) {
    var crc = new CRC32();
    crc.update(prefix.getBytes(StandardCharsets.US_ASCII));
    crc.update(random);
    return (int) crc.getValue();
  }

  @Override
  public String toString() {
    return "KeyText[hidden]";
  }

  static String sha256(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
