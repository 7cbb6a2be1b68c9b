package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.queencell.broker.engine.AckItem;
import dev.queencell.broker.engine.AckStatus;
import dev.queencell.service.HttpProblem;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AckBodyTest {
  @Test
  void aSingleAcknowledgementHasItsGroupBesideIt() {
    var ack =
        single(
            "{\"transactionId\":\"t\\u0031\",\"partitionId\":\"p\",\"status\":\"failed\","
                + "\"consumerGroup\":\"g\",\"leaseId\":\"l\",\"error\":\"why\\u0000\\ud800!\",\"x\":[1]}");
    assertEquals("g", ack.group());
    var item = ack.items().getFirst();
    assertEquals("t1", item.transactionId().text());
    assertEquals("p", item.partitionId());
    assertEquals(AckStatus.FAILED, item.status());
    assertEquals("l", item.leaseId());
    assertEquals("why\ufffd\ufffd!", item.error());
  }

  @Test
  void everythingInASingleAcknowledgementHasADefault() {
    for (var body :
        new String[] {
          "{}",
          "{\"transactionId\":null,\"partitionId\":null,\"status\":null,\"consumerGroup\":null,"
              + "\"leaseId\":null,\"error\":null}",
          "{\"consumerGroup\":\"\"}"
        }) {
      var ack = single(body);
      assertEquals("__QUEUE_MODE__", ack.group());
      var item = ack.items().getFirst();
      assertEquals(0, item.transactionId().length());
      assertEquals("", item.partitionId());
      assertEquals(AckStatus.COMPLETED, item.status());
      assertNull(item.leaseId());
      assertNull(item.error());
    }
  }

  @Test
  void aListKeepsItsOrderAndIgnoresGroupsOfItsItems() {
    var ack =
        batch(
            "{\"acknowledgments\":[{\"transactionId\":\"a\",\"partitionId\":\"p\",\"leaseId\":\"l\"},"
                + "{\"transactionId\":\"b\",\"partitionId\":\"p\",\"leaseId\":\"l\",\"consumerGroup\":\"other\"},"
                + "{\"transactionId\":\"c\",\"partitionId\":\"pp\",\"leaseId\":null,\"status\":\"retry\"}],"
                + "\"consumerGroup\":\"g\"}");
    assertEquals("g", ack.group());
    assertEquals(
        "a/p/l/COMPLETED b/p/l/COMPLETED c/pp/null/RETRY",
        String.join(
            " ",
            ack.items().stream()
                .map(
                    i ->
                        i.transactionId().text()
                            + "/"
                            + i.partitionId()
                            + "/"
                            + i.leaseId()
                            + "/"
                            + i.status())
                .toList()));
  }

  @Test
  void aReasonThatIsNoTextIsTakenAsItIsWrittenAndRefusesNothing() {
    var ack =
        batch(
            "{\"acknowledgments\":[{\"error\":{\"code\": 7}},{\"error\":[\"\u00e9\"]},{\"error\":1.50},"
                + "{\"error\":false},{\"error\":null},{\"error\":[\""
                + "\u20ac".repeat(5000)
                + "\"]}]}");
    assertEquals(
        Arrays.asList(
            "{\"code\": 7}",
            "[\"\u00e9\"]",
            "1.50",
            "false",
            null,
            "[\"" + "\u20ac".repeat(4096 - 2)),
        ack.items().stream().map(AckItem::error).toList());
    assertEquals("[0]", single("{\"error\":[0]}").items().getFirst().error());
    assertThrows(HttpProblem.class, () -> single("{\"error\":nonsense}"));
  }

  @Test
  void refusalsNameTheFieldAndItsPlace() {
    assertEquals("bad body: acknowledgments is missing", refusal("{}"));
    assertEquals("bad body: acknowledgments must be an array", refusal("{\"acknowledgments\":{}}"));
    assertEquals(
        "bad body: acknowledgments[1] must be an object", refusal("{\"acknowledgments\":[{},1]}"));
    assertEquals(
        "bad body: acknowledgments[0].transactionId must be a string",
        refusal("{\"acknowledgments\":[{\"transactionId\":1}]}"));
    assertEquals(
        "bad body: acknowledgments[1].leaseId must be a string",
        refusal("{\"acknowledgments\":[{},{\"leaseId\":[]}]}"));
    assertEquals(
        "bad body: consumerGroup must be a string",
        refusal("{\"consumerGroup\":7,\"acknowledgments\":[]}"));
    assertThrows(HttpProblem.class, () -> single(""));
    assertThrows(HttpProblem.class, () -> single("[]"));
    assertThrows(HttpProblem.class, () -> single("{} {}"));
  }

  private static AckBody single(String body) {
    return AckBody.parseSingle(body.getBytes(UTF_8));
  }

  private static AckBody batch(String body) {
    return AckBody.parseBatch(body.getBytes(UTF_8));
  }

  private static String refusal(String body) {
    var problem = assertThrows(HttpProblem.class, () -> batch(body));
    assertEquals(400, problem.status());
    return problem.getMessage();
  }
}
