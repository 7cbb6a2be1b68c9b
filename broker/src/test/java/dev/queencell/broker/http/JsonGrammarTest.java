package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.service.HttpProblem;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.core.JacksonException;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Judges texts like Jackson's strict parser does, which was written and tested by others. */
class JsonGrammarTest {
  private static final JsonFactory JACKSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(JsonGrammar.NESTING_MAX).build())
          .build();

  @Property(tries = 3000)
  void everyValidTextIsWalkedOverToItsEnd(@ForAll("json") String text) {
    byte[] bytes = text.getBytes(UTF_8);
    assertEquals(bytes.length, new JsonGrammar(bytes).value(0));
  }

  @Property(tries = 20_000)
  void damagedTextsAreRefusedWhenJacksonRefusesThem(@ForAll("damaged") String text) {
    assertEquals(jacksonAccepts(text), accepts(text), text);
  }

  @Property(tries = 5000)
  void stringsAreDecodedLikeJacksonDecodesThem(@ForAll("string") String literal) {
    byte[] bytes = literal.getBytes(UTF_8);
    // In an array: a value of its own would end at the end of input.
    try (var parser =
        JACKSON.createParser(ObjectReadContext.empty(), ("[" + literal + "]").getBytes(UTF_8))) {
      parser.nextToken();
      parser.nextToken();
      assertEquals(parser.getString(), JsonStrings.decode(bytes, 1, bytes.length - 1));
    } catch (JacksonException e) {
      // Jackson refuses to decode half a surrogate pair; here it stays what it is.
      assertEquals(-1, Utf8.encodedLength(JsonStrings.decode(bytes, 1, bytes.length - 1)));
    }
  }

  @Provide
  Arbitrary<String> json() {
    return JsonTexts.any();
  }

  @Provide
  Arbitrary<String> string() {
    return JsonTexts.string();
  }

  /** A valid text with one character taken out, put in or replaced. */
  @Provide
  Arbitrary<String> damaged() {
    var pieces = "{}[]\",:\\0123456789+-.eEtrufalsn \n\t\b\u001f\u007f/*'xé".split("");
    return Combinators.combine(
            JsonTexts.any(),
            Arbitraries.integers().between(0, 200),
            Arbitraries.integers().between(0, 2),
            Arbitraries.of(pieces))
        .as(
            (text, place, kind, piece) -> {
              int at = place % text.length();
              return switch (kind) {
                case 0 -> text.substring(0, at) + text.substring(at + 1);
                case 1 -> text.substring(0, at) + piece + text.substring(at);
                default -> text.substring(0, at) + piece + text.substring(at + 1);
              };
            })
        .filter(text -> Utf8.encodedLength(text) >= 0 && !text.isBlank());
  }

  private static boolean accepts(String text) {
    try {
      var scan = new BodyScan(text.getBytes(UTF_8));
      scan.skip();
      scan.end();
      return true;
    } catch (HttpProblem e) {
      return false;
    }
  }

  private static boolean jacksonAccepts(String text) {
    // The one known difference: names with half a surrogate pair. Any other code point will do.
    var paired = text.replaceAll("\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}", "\\\\u0041");
    try (var parser = JACKSON.createParser(ObjectReadContext.empty(), paired.getBytes(UTF_8))) {
      boolean any = parser.nextToken() != null;
      parser.skipChildren();
      return parser.nextToken() == null && any;
    } catch (JacksonException e) {
      return false;
    }
  }
}
