package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.service.HttpProblem;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushBodyTest {
  @Property
  void aPayloadIsKeptByteForByteWhateverItLooksLike(
      @ForAll("json") String first, @ForAll("json") String second, @ForAll("space") String space) {
    var body =
        "{\"other\":%s,%s\"items\"%s:%s[{\"payload\":%s%s%s,\"queue\":\"q\"},{\"queue\":\"q\",\"x\":%s,\"payload\":%s}]}"
            .formatted(second, space, space, space, space, first, space, first, second);
    var items = parse(body);
    assertEquals(first, items.get(0).payload().text());
    assertEquals(second, items.get(1).payload().text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-0.0",
        "12.50",
        "9007199254740993",
        "123456789012345678901234567890123456789012345678901234567890",
        "1e400",
        "1E-400",
        "\"\"",
        "\"\\ud800\"",
        "\"\\udc00 \\uD83D\"",
        "\"\\u0000\"",
        "\"\\/ \\\" \\\\\"",
        "\"é漢😀\"",
        "[]",
        "{}",
        "[ 1 ,\t2\r\n]",
        "{\"a\":1,\"a\":2}",
        "{\"payload\":{\"queue\":\"no\"}}",
        "{\"\":{\"\":[]}}",
      })
  void unusualPayloadsStayAsTheyAre(String payload) {
    assertEquals(
        payload, onlyItem("{\"queue\":\"q\",\"payload\":" + payload + "}").payload().text());
    assertEquals(
        payload, onlyItem("{\"payload\":" + payload + ",\"queue\":\"q\"}").payload().text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "nope",
        "{",
        "{\"items\"",
        "{\"items\":[",
        "{\"items\":[]",
        "{\"items\":[]}}",
        "{\"items\":[]} x",
        "{\"items\":[]}{}",
        "{\"items\":[],}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":1},]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":01}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":+1}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":1.}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":.5}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":NaN}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":tru}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":nullx}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":'a'}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":\"\\x\"}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":\"\\u12g4\"}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":\"a\nb\"}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":\"a",
        "{\"items\":[{\"queue\":\"q\",\"payload\":\"a\\",
        "{\"items\":[{\"queue\":\"q\",\"payload\":[1,2}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":{\"a\"}}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":{a:1}}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":1/*c*/}]}",
        "{\"items\":[{\"queue\":\"q\",\"payload\":}]}",
        "{\"items\":[{\"queue\":\"q\" \"payload\":1}]}",
      })
  void whatIsNoJsonIsRefused(String body) {
    assertTrue(refusal(body).startsWith("bad body: "), refusal(body));
  }

  @Test
  void everyTruncationOfABodyIsRefused() {
    var body =
        "{\"items\":[{\"queue\":\"q\",\"partition\":\"p\",\"transactionId\":\"t\\n\","
            + "\"payload\":{\"a\":[1,-2.5e3,true,null,\"s\\u00e9é\"]}}]}";
    byte[] bytes = body.getBytes(UTF_8);
    for (int length = 0; length < bytes.length; length++) {
      var part = Arrays.copyOf(bytes, length);
      assertThrows(HttpProblem.class, () -> PushBody.parse(part, null), "cut at " + length);
    }
    assertEquals(1, PushBody.parse(bytes, null).size());
  }

  @Test
  void malformedUtf8IsRefusedAlsoInsideAPayload() {
    byte[] bytes = "{\"items\":[{\"queue\":\"q\",\"payload\":\"ab\"}]}".getBytes(UTF_8);
    bytes[new String(bytes, UTF_8).indexOf("ab")] = (byte) 0xc3;
    var problem = assertThrows(HttpProblem.class, () -> PushBody.parse(bytes, null));
    assertTrue(problem.getMessage().startsWith("bad body: invalid UTF-8 at byte "));
  }

  @Test
  void refusalsNameTheFieldAndItsPlace() {
    assertEquals("bad body: items is missing", refusal("{}"));
    assertEquals("bad body: items must be an array", refusal("{\"items\":null}"));
    assertEquals("bad body: expected an object with the field items", refusal("[]"));
    assertEquals("bad body: items[1] must be an object", refusal(items(ok(), "7")));
    assertEquals(
        "bad body: items[3].queue is missing", refusal(items(ok(), ok(), ok(), "{\"payload\":1}")));
    assertEquals(
        "bad body: items[0].queue must be a string",
        refusal(items("{\"queue\":null,\"payload\":1}")));
    assertEquals(
        "bad body: items[0].payload is missing", refusal(items("{\"queue\":\"q\",\"data\":1}")));
    assertEquals(
        "bad body: items[1].partition must be a string",
        refusal(items(ok(), "{\"queue\":\"q\",\"payload\":1,\"partition\":7}")));
    assertEquals(
        "bad body: items[0].transactionId must be a string",
        refusal(items("{\"queue\":\"q\",\"payload\":1,\"transactionId\":{}}")));
    assertEquals(
        "bad body: items[0].transactionId holds a lone surrogate, which no UTF-8 text can hold",
        refusal(items("{\"queue\":\"q\",\"payload\":1,\"transactionId\":\"\\ud800\"}")));
    assertEquals(
        "bad body: items[0].queue holds the character U+0000",
        refusal(items("{\"queue\":\"a\\u0000\",\"payload\":1}")));
  }

  @Test
  void namesHaveALimitInBytes() {
    var longest = "é".repeat(127) + "x";
    assertEquals(longest, onlyItem(item(longest, "p")).queue());
    assertEquals(longest, onlyItem(item("q", longest)).partition());
    assertEquals(
        "bad body: items[0].queue is 256 UTF-8 bytes long; at most 255",
        refusal(items(item(longest + "x", "p"))));
    assertEquals(
        "bad body: items[0].partition is 256 UTF-8 bytes long; at most 255",
        refusal(items(item("q", longest + "x"))));
  }

  @Test
  void transactionIdsAreUnescapedAndLimited() {
    assertEquals("a\"é😀\n", id("a\\\"\\u00e9\\ud83d\\ude00\\n"));
    assertEquals("plain é", id("plain é"));
    assertEquals("x".repeat(65_535), id("x".repeat(65_535)));
    assertTrue(
        refusal(
                items(
                    "{\"queue\":\"q\",\"payload\":1,\"transactionId\":\"%s\"}"
                        .formatted("x".repeat(65_536))))
            .contains("items[0].transactionId is 65536 UTF-8 bytes long"));
  }

  @Test
  void whatIsOptionalMayBeNullAbsentOrEmpty() {
    var plain =
        onlyItem("{\"queue\":\"\",\"payload\":null,\"partition\":null,\"transactionId\":null}");
    assertEquals("", plain.queue());
    assertEquals("Default", plain.partition());
    assertEquals("null", plain.payload().text());
    assertNull(plain.transactionId());
    assertNull(plain.producer());
    assertNull(onlyItem("{\"queue\":\"q\",\"payload\":1,\"transactionId\":\"\"}").transactionId());
    assertEquals(List.of(), parse("{\"items\":[]}"));
  }

  @Test
  void aProducerNamedInTheBodyIsNotBelieved() {
    assertNull(
        onlyItem("{\"queue\":\"q\",\"payload\":1,\"producerSub\":\"root\",\"traceId\":5}")
            .producer());
  }

  @Test
  void ofARepeatedFieldTheLastOneCounts() {
    var item =
        onlyItem(
            "{\"queue\":\"a\",\"payload\":1,\"queue\":\"b\",\"payload\":2,\"transactionId\":\"x\",\"transactionId\":null}");
    assertEquals("b", item.queue());
    assertEquals("2", item.payload().text());
    assertNull(item.transactionId());
    assertEquals(1, parse("{\"items\":[%s,%s],\"items\":[%s]}".formatted(ok(), ok(), ok())).size());
  }

  @Test
  void neighboursKeepTheirOwnNames() {
    var items =
        parse(
            items(
                item("q", "p"),
                item("qq", "p"),
                item("q", "pp"),
                item("é", "p"),
                item("é", "p"),
                item("\\u0071", "\\u0070"),
                ok()));
    assertEquals(
        List.of("q/p", "qq/p", "q/pp", "é/p", "é/p", "q/p", "q/Default"),
        items.stream().map(i -> i.queue() + "/" + i.partition()).toList());
  }

  @Test
  void deepPayloadsAreAcceptedUpToALimitAndThenRefused() {
    var deep = "[".repeat(5000) + "]".repeat(5000);
    assertEquals(deep, onlyItem("{\"queue\":\"q\",\"payload\":" + deep + "}").payload().text());
    var objects = "{\"a\":".repeat(5000) + "1" + "}".repeat(5000);
    assertEquals(
        objects, onlyItem("{\"queue\":\"q\",\"payload\":" + objects + "}").payload().text());
    int tooDeep = JsonGrammar.NESTING_MAX + 1;
    assertTrue(
        refusal(
                items(
                    "{\"queue\":\"q\",\"payload\":"
                        + "[".repeat(tooDeep)
                        + "]".repeat(tooDeep)
                        + "}"))
            .contains("nesting deeper than 10000"));
    assertTrue(refusal("{\"x\":" + "[".repeat(1_000_000)).contains("nesting deeper than 10000"));
  }

  @Test
  void longStringsNumbersAndNamesAreAccepted() {
    var string = "\"" + "x".repeat(Limits.MESSAGE_BYTES_MAX - 2) + "\"";
    assertEquals(
        Limits.MESSAGE_BYTES_MAX,
        onlyItem("{\"queue\":\"q\",\"payload\":" + string + "}").payload().length());
    assertTrue(
        refusal(items("{\"queue\":\"q\",\"payload\": \"x" + string.substring(1) + "}"))
            .contains("items[0].payload is 16777217 bytes long"));
    var number = "9".repeat(1_000_000);
    assertEquals(number, onlyItem("{\"queue\":\"q\",\"payload\":" + number + "}").payload().text());
    var named = "{\"" + "n".repeat(1_000_000) + "\":1}";
    assertEquals(named, onlyItem("{\"queue\":\"q\",\"payload\":" + named + "}").payload().text());
  }

  @Test
  void manyDifferentFieldNamesAreNoProblem() {
    var payload =
        IntStream.range(0, 200_000)
            .mapToObj(i -> "\"key-" + Integer.toHexString(i * 31) + "\":" + i)
            .collect(Collectors.joining(",", "{", "}"));
    assertEquals(
        payload, onlyItem("{\"queue\":\"q\",\"payload\":" + payload + "}").payload().text());
  }

  @Test
  void payloadsAreSlicesOfTheBody() {
    byte[] body = items(ok()).getBytes(UTF_8);
    var payload = PushBody.parse(body, null).getFirst().payload();
    assertSame(body, payload.array());
    assertArrayEquals("1".getBytes(UTF_8), payload.toBytes());
  }

  @Provide
  Arbitrary<String> json() {
    return JsonTexts.any();
  }

  @Provide
  Arbitrary<String> space() {
    return JsonTexts.space();
  }

  private static String id(String escaped) {
    return onlyItem("{\"queue\":\"q\",\"payload\":1,\"transactionId\":\"" + escaped + "\"}")
        .transactionId()
        .text();
  }

  private static String ok() {
    return "{\"queue\":\"q\",\"payload\":1}";
  }

  private static String item(String queue, String partition) {
    return "{\"queue\":\"%s\",\"partition\":\"%s\",\"payload\":1}".formatted(queue, partition);
  }

  private static String items(String... items) {
    return "{\"items\":[" + String.join(",", items) + "]}";
  }

  private static PushItem onlyItem(String item) {
    var items = parse(items(item));
    assertEquals(1, items.size());
    return items.getFirst();
  }

  private static List<PushItem> parse(String body) {
    return PushBody.parse(body.getBytes(UTF_8), null);
  }

  private static String refusal(String body) {
    var problem = assertThrows(HttpProblem.class, () -> parse(body), body);
    assertEquals(400, problem.status());
    return problem.getMessage();
  }
}
