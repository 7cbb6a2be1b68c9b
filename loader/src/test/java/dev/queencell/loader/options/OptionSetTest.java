package dev.queencell.loader.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionSetTest {
  private static final Option<Integer> RATE =
      Option.integer("rate", 100, 1, 1000, "messages/s", "how fast");
  private static final Option<Boolean> WAIT = Option.flag("pop-wait", true, "whether to wait");
  private static final Option<Boolean> SHARED = Option.flag("shared", false, "one for all");
  private static final Option<String> TARGET =
      Option.choice("target", "where to", "proxy", "broker");
  private static final OptionSet SET =
      new OptionSet("test", "Tests.", List.of(RATE, WAIT, SHARED, TARGET));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-rate 7",
        "--rate 7",
        "-rate=7",
        "--rate=7",
        "-rate 5 -rate 7",
        "-shared -rate 7"
      })
  void anOptionTakesOneDashOrTwoAndASpaceOrAnEqualsSign(String line) {
    assertEquals(7, SET.parse(line.split(" ", -1)).get(RATE));
  }

  @Test
  void aFlagStandsAloneOrTakesAValue() {
    assertTrue(SET.parse("-shared").get(SHARED));
    assertTrue(SET.parse("--shared=true", "-rate", "3").get(SHARED));
    assertFalse(SET.parse("-pop-wait=false").get(WAIT));
    assertTrue(SET.parse().get(WAIT));
  }

  @Test
  void whatIsNotGivenHasItsDefaultAndTheLineShowsAll() {
    var options = SET.parse("-target", "broker");
    assertEquals("mode=test rate=100 pop-wait=true shared=false target=broker", options.line());
    assertFalse(options.isGiven(RATE));
  }

  private static String refusal(String... arguments) {
    return assertThrows(BadOptionException.class, () -> SET.parse(arguments)).getMessage();
  }

  @Test
  void aRefusalIsOneLineThatNamesTheOptionAndWhatItAccepts() {
    assertEquals(
        "-rate is '0'; it takes a whole number from 1 to 1000 (messages/s)", refusal("-rate", "0"));
    assertEquals(
        "-rate is 'x'; it takes a whole number from 1 to 1000 (messages/s)", refusal("--rate=x"));
    assertEquals(
        "-rate has no value; it takes a whole number from 1 to 1000 (messages/s)",
        refusal("-rate"));
    assertEquals(
        "-rate has no value; it takes a whole number from 1 to 1000 (messages/s)",
        refusal("-rate", "-shared"));
    assertEquals("-target is 'moon'; it takes one of proxy, broker", refusal("-target=moon"));
    assertEquals("-pop-wait is 'maybe'; it takes true or false", refusal("-pop-wait=maybe"));
    assertEquals(
        "'-speed' is no option of loader -mode test; -h lists those it has", refusal("-speed"));
  }

  @Test
  void whatIsNotDeclaredCannotBeReadAndWhatIsNotReadIsKnown() {
    var options = SET.parse("-rate", "3");
    var other = Option.integer("other", 1, 0, 9, "", "not of this mode");
    assertThrows(IllegalArgumentException.class, () -> options.get(other));
    options.get(RATE);
    options.get(WAIT);
    options.line();
    assertEquals(List.of(SHARED, TARGET), options.unread());
  }

  @Test
  void aCommandTakesWordsAmongItsOptionsAndAModeTakesNone() {
    var command = OptionSet.ofCommand("join", "Joins.", List.of(RATE), "FILE");
    var options = command.parse("a", "-rate", "3", "b");
    assertEquals(List.of("a", "b"), options.words());
    assertEquals(3, options.get(RATE));
    assertTrue(command.help().contains("FILE"), command.help());
    assertEquals("'a' is no option of loader -mode test; -h lists those it has", refusal("a"));
  }

  @Test
  void theHelpComesFromTheSameDeclarations() {
    var help = SET.help();
    assertTrue(help.contains("--rate"), help);
    assertTrue(help.contains("from 1 to 1000"), help);
    assertTrue(SET.parse("-h").helpAsked());
  }
}
