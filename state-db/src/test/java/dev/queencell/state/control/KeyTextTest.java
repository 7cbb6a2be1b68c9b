package dev.queencell.state.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTextTest {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  @Test
  void everyMistypedCharacterShows() {
    var key = KeyText.mint("live").text();
    assertTrue(key.matches("qk_live_[A-Za-z0-9_-]{43}"), key);
    assertTrue(Keys.isWellFormed(key));
    for (int at = "qk_".length(); at < key.length(); at++) {
      if (at == "qk_live".length()) {
        continue;
      }
      for (int i = 0; i < ALPHABET.length(); i++) {
        char other = ALPHABET.charAt(i);
        if (other != key.charAt(at)) {
          var typo = key.substring(0, at) + other + key.substring(at + 1);
          assertFalse(Keys.isWellFormed(typo), typo);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "qk_", "qk_live_", "qk_live_short", "sk_live_AAAA", "qk__AAAA"})
  void whatHasNotTheFormIsNone(String text) {
    assertFalse(Keys.isWellFormed(text));
  }

  @Test
  void twoKeysDifferAndTheHashIsOfTheWholeText() {
    var one = KeyText.mint("live");
    assertNotEquals(one.text(), KeyText.mint("live").text());
    assertEquals(Keys.hash(one.text()), one.hash());
    assertFalse(one.toString().contains(one.text()));
    assertTrue(KeyText.mint("a-b.c/").text().startsWith("qk_abc_"));
    assertTrue(KeyText.mint("-").text().startsWith("qk_live_"));
  }
}
