package dev.queencell.loader.payload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Text that messages are filled up with. Each message takes its own window, found from its stamp,
 * so that a reader can tell whether it came back unchanged without keeping a copy. Immutable.
 */
public final class Filler {
  /** Large enough that neighbouring messages don't share text. */
  private static final int WINDOW_STARTS = 1 << 20;

  /** Words and the odds of the next character make zstd-1 pack a batch of 100 about 3:1. */
  private static final int VOCABULARY = 600;

  private static final int WORD_LETTERS_MIN = 2;
  private static final int WORD_LETTERS_MAX = 9;
  private static final String LETTERS = "etaoinshrdlcumwfgypbvk";
  private static final double NUMBER_SHARE = 0.08;
  private static final long SEED = 20_260_101;

  private final byte[] text;

  private Filler(byte[] text) {
    this.text = text;
  }

  /** Pseudo-random text of realistic entropy, the same on every run. */
  public static Filler text(int payloadBytesMax) {
    var random = new SplittableRandom(SEED);
    var words = new String[VOCABULARY];
    for (int i = 0; i < VOCABULARY; i++) {
      words[i] = word(random);
    }
    var text = new byte[WINDOW_STARTS + payloadBytesMax];
    for (int length = 0; length < text.length; ) {
      var next =
          random.nextDouble() < NUMBER_SHARE
              ? Integer.toString(random.nextInt(100_000))
              : words[skewed(random)];
      var bytes = (next + " ").getBytes(StandardCharsets.US_ASCII);
      int count = Math.min(bytes.length, text.length - length);
      System.arraycopy(bytes, 0, text, length, count);
      length += count;
    }
    return new Filler(text);
  }

  /** One character over and over: packs far better than any real load. */
  public static Filler constant(int payloadBytesMax) {
    var text = new byte[WINDOW_STARTS + payloadBytesMax];
    Arrays.fill(text, (byte) 'x');
    return new Filler(text);
  }

  private static String word(SplittableRandom random) {
    var word = new StringBuilder();
    for (int i = random.nextInt(WORD_LETTERS_MIN, WORD_LETTERS_MAX + 1); i > 0; i--) {
      // The lower of two draws: letters are as unevenly used as in any language.
      int first = random.nextInt(LETTERS.length());
      int second = random.nextInt(LETTERS.length());
      word.append(LETTERS.charAt(Math.min(first, second)));
    }
    return word.toString();
  }

  /** Few words make most of a text, as in any language. */
  private static int skewed(SplittableRandom random) {
    double uniform = random.nextDouble();
    return (int) (VOCABULARY * uniform * uniform);
  }

  void copy(Stamp stamp, byte[] target, int offset, int count) {
    System.arraycopy(text, start(stamp), target, offset, count);
  }

  boolean matches(Stamp stamp, byte[] source, int offset, int count) {
    int start = start(stamp);
    return start + count <= text.length
        && Arrays.equals(text, start, start + count, source, offset, offset + count);
  }

  private static int start(Stamp stamp) {
    long mixed = (stamp.sequence * 31 + stamp.partition) * 31 + stamp.tenant;
    mixed *= 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 44);
  }
}
