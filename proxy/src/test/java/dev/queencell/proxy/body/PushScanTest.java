package dev.queencell.proxy.body;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushScanTest {
  @Test
  void itCountsItemsAndMeasuresPayloadsAsTheyStand() {
    var found =
        push(
            """
            {"items": [
              {"queue": "q", "payload": "ab"},
              {"queue": "q", "partition": "p", "payload": {"a":  [1, 2 ] } },
              {"queue": "r", "payload": 12345}
            ]}""");
    assertEquals(3, found.items());
    assertEquals(1, found.largestIndex());
    assertEquals("{\"a\":  [1, 2 ] }".length(), found.largestBytes());
    assertEquals(
        List.of(
            new PushScan.Pair("q", "Default"),
            new PushScan.Pair("q", "p"),
            new PushScan.Pair("r", "Default")),
        found.pairs());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\"",
        "\"x\"",
        "\"\\\"\\u00e4\\\\\"",
        "\"ä€😀\"",
        "0",
        "-1.50e+3",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[ 1 , [2] ]",
        "{\"payload\": \"inner\"}",
      })
  void aPayloadOfAnyKindIsMeasuredExactly(String payload) {
    for (var template :
        List.of(
            "{\"items\":[{\"queue\":\"q\",\"payload\":%s}]}",
            "{\"items\": [ {\"payload\" :  %s  , \"queue\":\"q\"} ] }")) {
      var found = push(template.formatted(payload));
      assertEquals(payload.getBytes(StandardCharsets.UTF_8).length, found.largestBytes(), payload);
    }
  }

  @Property
  void anyMixOfPayloadsIsMeasuredExactly(@ForAll("payloads") List<String> payloads) {
    var items =
        payloads.stream().map(payload -> "{\"queue\":\"q\",\"payload\":" + payload + "}").toList();
    var found = push("{\"items\":[" + String.join(",", items) + "]}");
    assertEquals(payloads.size(), found.items());
    long largest =
        payloads.stream()
            .mapToLong(payload -> payload.getBytes(StandardCharsets.UTF_8).length)
            .max()
            .orElse(-1);
    assertEquals(largest, found.largestBytes());
  }

  @Provide
  Arbitrary<List<String>> payloads() {
    var strings =
        Arbitraries.strings().ofMaxLength(40).map(text -> Json.mapper().writeValueAsString(text));
    var numbers = Arbitraries.doubles().map(Object::toString);
    var scalars = Arbitraries.oneOf(strings, numbers, Arbitraries.of("true", "null", "{}", "[]"));
    var nested =
        scalars.list().ofMaxSize(5).map(values -> "{\"k\": [" + String.join(" ,", values) + "]}");
    return Arbitraries.oneOf(scalars, nested).list().ofMaxSize(20);
  }

  @Test
  void repeatedKeysHideNothing() {
    assertEquals(3, push("{\"items\":[{},{}],\"items\":[{}]}").items());
    assertEquals(4, push("{\"items\":[{\"payload\":\"xx\",\"payload\":1}]}").largestBytes());
  }

  @Test
  void whatFollowsTheObjectDoesNotHideIt() {
    assertEquals(1, push("{\"items\":[{\"payload\":1}]} garbage").items());
  }

  @Test
  void transactionsCountFlatAndNestedPushesAndNoAcks() {
    var found =
        scan(
            """
            {"operations": [
              {"type": "push", "queue": "q", "payload": 1},
              {"type": "ack", "transactionId": "t", "partitionId": "p"},
              {"type": "push", "items": [{"queue": "r", "data": "longest"}, {"queue": "s"}]},
              {"queue": "untyped", "payload": 22}
            ]}""",
            PushScan.Shape.TRANSACTION);
    assertEquals(4, found.items());
    assertEquals(1, found.largestIndex());
    assertEquals(9, found.largestBytes());
    assertEquals(
        List.of("q", "r", "s", "untyped"),
        found.pairs().stream().map(PushScan.Pair::queue).toList());
  }

  @Test
  void anOperationThatIsBothAckAndPushCounts() {
    var body = "{\"operations\":[{\"type\":\"push\",\"payload\":1,\"type\":\"ack\"}]}";
    assertEquals(1, scan(body, PushScan.Shape.TRANSACTION).items());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "{", "{\"items\":[", "{\"items\":[{]}", "nonsense", "{\"items\" 1}"})
  void aBrokenBodyIsLeftToTheBroker(String body) {
    assertTrue(
        push(body) == null || push(body).items() == 0, "nothing is counted in a broken body");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "{}", "null", "{\"items\":{}}", "{\"items\":5}", "{\"item\":[{}]}"})
  void aBodyWithoutItemsHasNone(String body) {
    assertEquals(0, push(body).items());
  }

  @Test
  void aBodyInAnotherEncodingIsRefused() {
    for (var charset :
        List.of(
            StandardCharsets.UTF_16,
            StandardCharsets.UTF_16LE,
            StandardCharsets.UTF_16BE,
            StandardCharsets.UTF_32LE,
            StandardCharsets.UTF_32BE)) {
      var body = "{\"items\":[{\"payload\":1}]}".getBytes(charset);
      assertThrows(
          UnreadableBodyException.class,
          () -> PushScan.scan(body, PushScan.Shape.PUSH, false),
          charset.name());
    }
  }

  @Test
  void nestingBeyondTheBoundIsRefusedAndUpToItIsNot() {
    assertEquals(1, push(nested(PushScan.DEPTH_MAX - 10)).items());
    assertThrows(UnreadableBodyException.class, () -> push(nested(PushScan.DEPTH_MAX + 10)));
  }

  @Test
  void pairsAreOnlyGatheredWhenAskedFor() {
    var body = "{\"items\":[{\"queue\":\"q\",\"payload\":1}]}".getBytes(StandardCharsets.UTF_8);
    assertTrue(PushScan.scan(body, PushScan.Shape.PUSH, false).pairs().isEmpty());
  }

  @Test
  void aCutOffBodyIsNoBody() {
    assertNull(push("{\"items\":[{\"payload\":\"abc"));
  }

  private static String nested(int depth) {
    return "{\"items\":[{\"payload\":" + "[".repeat(depth) + "]".repeat(depth) + "}]}";
  }

  private static PushScan.Found push(String body) {
    return scan(body, PushScan.Shape.PUSH);
  }

  private static PushScan.Found scan(String body, PushScan.Shape shape) {
    return PushScan.scan(body.getBytes(StandardCharsets.UTF_8), shape, true);
  }
}
