package dev.queencell.broker.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.queencell.service.Json;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadCipherTest {
  private static final String KEY = "0f".repeat(32);
  private static final String OTHER_KEY = "A1".repeat(32);

  private final PayloadCipher cipher = PayloadCipher.of(List.of(KEY));

  private static byte[] open(PayloadCipher with, byte[] bytes) {
    return with.open(bytes, 0, bytes.length);
  }

  private byte[] seal(String text) {
    var bytes = ("##" + text + "#").getBytes(UTF_8);
    return cipher.seal(bytes, 2, bytes.length - 3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "null", "{\"a\": [1, 2]}", "\"\\u0000 ünïcödé 😀\""})
  void whatWasSealedOpensToTheSameBytes(String text) {
    assertArrayEquals(text.getBytes(UTF_8), open(cipher, seal(text)));
  }

  @Test
  void theLargestMessageOpensToo() {
    var seed = System.nanoTime();
    var bytes = new byte[16 * 1024 * 1024];
    new Random(seed).nextBytes(bytes);
    assertArrayEquals(bytes, open(cipher, cipher.seal(bytes, 0, bytes.length)), "seed " + seed);
  }

  /** Opened by hand, as another implementation of the contract would. */
  @Test
  void theEnvelopeIsTheContracts() throws Exception {
    var envelope = Json.mapper().readTree(seal("\"secret\""));
    assertEquals(3, envelope.size());
    var base64 = Base64.getDecoder();
    var iv = base64.decode(envelope.get("iv").stringValue());
    assertEquals(16, iv.length);
    var tag = base64.decode(envelope.get("authTag").stringValue());
    assertEquals(16, tag.length);
    var body = base64.decode(envelope.get("encrypted").stringValue());
    var aes = Cipher.getInstance("AES/GCM/NoPadding");
    var key = new SecretKeySpec(java.util.HexFormat.of().parseHex(KEY), "AES");
    aes.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, iv, 0, 12));
    aes.update(body);
    assertEquals("\"secret\"", new String(aes.doFinal(tag), UTF_8));
  }

  @Test
  void anEnvelopeWithBlanksOrInAnotherOrderOpensToo() {
    var sealed = Json.mapper().readTree(seal("7"));
    var other =
        "{ \"iv\" : %s,\n \"authTag\":%s, \"encrypted\":%s }"
            .formatted(sealed.get("iv"), sealed.get("authTag"), sealed.get("encrypted"));
    assertArrayEquals("7".getBytes(UTF_8), open(cipher, other.getBytes(UTF_8)));
  }

  @Test
  void noTwoEnvelopesAreAlike() {
    assertNotEquals(new String(seal("1"), UTF_8), new String(seal("1"), UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"a\":1}",
        "[\"encrypted\"]",
        "{\"encrypted\":1,\"iv\":2,\"authTag\":3}",
        "{\"encrypted\":\"\",\"iv\":\"\",\"authTag\":\"\"}",
        "{\"encrypted\":\"!\",\"iv\":\"AAAAAAAAAAAAAAAAAAAAAA==\",\"authTag\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}",
        "{\"encrypted\":\"\",\"iv\":\"AAAAAAAAAAAAAAAAAAAAAA==\",\"authTag\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}",
        "{\"encrypted\":\"AA==\",\"iv\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}"
      })
  void whatOnlyLooksAlikeIsNoEnvelope(String text) {
    assertNull(open(cipher, text.getBytes(UTF_8)));
  }

  @Test
  void aChangedByteAndAnotherKeyOpenNothing() {
    var sealed = seal("\"x\"");
    assertNull(open(PayloadCipher.of(List.of(OTHER_KEY)), sealed));
    assertNull(open(PayloadCipher.NONE, sealed));
    for (int at = 0; at < sealed.length; at++) {
      var changed = sealed.clone();
      changed[at] ^= 1;
      var opened = open(cipher, changed);
      // Base64 leaves four bits of its last character unread, and of the vector only 12 bytes
      // count.
      if (opened != null) {
        assertArrayEquals("\"x\"".getBytes(UTF_8), opened, "byte " + at);
      }
    }
  }

  @Test
  void aFormerKeyStillOpensButNoLongerSeals() {
    var both = PayloadCipher.of(List.of(OTHER_KEY, KEY));
    assertArrayEquals("1".getBytes(UTF_8), open(both, seal("1")));
    var fresh = both.seal("1".getBytes(UTF_8), 0, 1);
    assertNull(open(cipher, fresh));
    assertArrayEquals("1".getBytes(UTF_8), open(both, fresh));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0f",
        "zz",
        "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0g"
      })
  void aKeyThatIsNoneIsRefusedWithoutBeingShown(String key) {
    var problem =
        assertThrows(IllegalArgumentException.class, () -> PayloadCipher.of(List.of(key)));
    assertFalse(key.length() > 2 && problem.getMessage().contains(key), problem.getMessage());
  }
}
