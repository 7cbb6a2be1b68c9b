package dev.queencell.broker.http;

import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/**
 * Random valid JSON texts, written in every odd way that the grammar allows. Drawn from a seed
 * rather than composed of arbitraries: recursive ones take minutes to shrink.
 */
final class JsonTexts {
  private static final List<String> SPACES = List.of("", "", "", " ", "\n\t", "\r\n  ");
  private static final List<String> STRING_PARTS =
      List.of(
          "a",
          "Z",
          " ",
          "é",
          "漢",
          "😀",
          "\u2028",
          "\u007f",
          "/",
          "null",
          "{",
          "plain text of some",
          "\\\"",
          "\\\\",
          "\\/",
          "\\b",
          "\\f",
          "\\n",
          "\\r",
          "\\t",
          "\\ud83d\\ude00");
  private static final List<String> EXPONENTS = List.of("", "", "e5", "E+10", "e-400", "E999999");

  private final Random random;

  private JsonTexts(long seed) {
    random = new Random(seed);
  }

  static Arbitrary<String> any() {
    return Arbitraries.longs().map(seed -> new JsonTexts(seed).value(4));
  }

  /** String literals with raw characters, short escapes and any \\u escape, lone halves too. */
  static Arbitrary<String> string() {
    return Arbitraries.longs().map(seed -> new JsonTexts(seed).literal());
  }

  static Arbitrary<String> space() {
    return Arbitraries.of(SPACES);
  }

  private String value(int depth) {
    return switch (random.nextInt(depth > 0 ? 6 : 3)) {
      case 0 -> List.of("true", "false", "null").get(random.nextInt(3));
      case 1 -> number();
      case 2 -> literal();
      case 3, 4 -> container('{', '}', depth - 1);
      default -> container('[', ']', depth - 1);
    };
  }

  private String container(char open, char close, int depth) {
    var text = new StringBuilder().append(open);
    int members = random.nextInt(4);
    for (int i = 0; i < members; i++) {
      text.append(i == 0 ? "" : ",").append(pick(SPACES));
      if (open == '{') {
        text.append(literal()).append(pick(SPACES)).append(':').append(pick(SPACES));
      }
      text.append(value(depth));
    }
    return text.append(pick(SPACES)).append(close).toString();
  }

  private String literal() {
    var text = new StringBuilder().append('"');
    int parts = random.nextInt(8);
    for (int i = 0; i < parts; i++) {
      boolean code = random.nextInt(4) == 0;
      text.append(
          code
              ? "\\u" + (random.nextBoolean() ? "%04x" : "%04X").formatted(random.nextInt(0x10000))
              : pick(STRING_PARTS));
    }
    return text.append('"').toString();
  }

  private String number() {
    var text = new StringBuilder(random.nextBoolean() ? "-" : "");
    text.append(random.nextBoolean() ? "0" : "7" + digits());
    if (random.nextBoolean()) {
      text.append('.').append(digits());
    }
    return text.append(pick(EXPONENTS)).toString();
  }

  private String digits() {
    return "0123456789".repeat(4).substring(random.nextInt(40));
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
