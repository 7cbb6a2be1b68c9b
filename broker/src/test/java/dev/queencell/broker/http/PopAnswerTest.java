package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PopResult.Claim;
import dev.queencell.broker.engine.PopResult.Run;
import dev.queencell.broker.http.PopAnswer.Chosen;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class PopAnswerTest {
  private static final UUID LEASE = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
  private static final UUID PARTITION = UUID.fromString("fedcba98-7654-3210-0123-456789abcdef");
  private static final UUID ID = UUID.fromString("0189ffff-0000-7000-8000-00000000000a");

  @Test
  void anAnswerHasTheKeysOfTheContract() {
    var frames = new Frames.Writer(64);
    frames.add(ID, null, null, null, Slice.utf8("1"));
    frames.add(
        ID, Slice.utf8("tx \"2\"\n\\é"), LEASE, Slice.utf8("me\u0001"), Slice.utf8("{\"a\": 2}"));
    frames.add(ID, Slice.utf8("tx3"), null, null, Slice.utf8("\"\\ud800\""));
    long micros =
        ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse("2026-01-02T03:04:05.000456Z"));
    var run = new Run(41, micros, frames.toBytes(), 0, 3);
    var json = read(new PopResult(LEASE, List.of(claim("p\"1", 2, run))), "q\"", "g\\");

    assertEquals(true, json.get("success").booleanValue());
    assertEquals("q\"", json.get("queue").stringValue());
    assertEquals("p\"1", json.get("partition").stringValue());
    assertEquals(PARTITION.toString(), json.get("partitionId").stringValue());
    assertEquals(LEASE.toString(), json.get("leaseId").stringValue());
    assertEquals("g\\", json.get("consumerGroup").stringValue());
    assertEquals(1, json.get("partitionsClaimed").intValue());
    var first = json.get("messages").get(0);
    assertEquals(ID.toString(), first.get("id").stringValue());
    assertEquals(ID.toString(), first.get("transactionId").stringValue());
    assertTrue(first.get("traceId").isNull());
    assertTrue(first.get("producerSub").isNull());
    assertEquals("2026-01-02T03:04:05.000456Z", first.get("createdAt").stringValue());
    assertEquals(PARTITION.toString(), first.get("partitionId").stringValue());
    assertEquals("p\"1", first.get("partition").stringValue());
    assertEquals(LEASE.toString(), first.get("leaseId").stringValue());
    assertEquals("g\\", first.get("consumerGroup").stringValue());
    assertEquals(2, first.get("deliveryAttempt").intValue());
    assertEquals(41, first.get("offset").longValue());
    var second = json.get("messages").get(1);
    assertEquals("tx \"2\"\n\\é", second.get("transactionId").stringValue());
    assertEquals(LEASE.toString(), second.get("traceId").stringValue());
    assertEquals("me\u0001", second.get("producerSub").stringValue());
    assertEquals(43, json.get("messages").get(2).get("offset").longValue());
  }

  @Test
  void onlyTheAskedPartOfASegmentIsWritten() {
    var frames = new Frames.Writer(64);
    for (int i = 0; i < 10; i++) {
      frames.add(ID, null, null, null, Slice.utf8(Integer.toString(i)));
    }
    var bytes = frames.toBytes();
    var json =
        read(
            new PopResult(
                null,
                List.of(
                    claim("a", 1, new Run(7, 0, bytes, 7, 2), new Run(9, 0, bytes, 9, 1)),
                    claim("b", 1, new Run(0, 0, bytes, 0, 1)))),
            "",
            "g");
    assertEquals("", json.get("leaseId").stringValue());
    assertEquals(2, json.get("partitionsClaimed").intValue());
    var seen =
        json.get("messages")
            .valueStream()
            .map(m -> m.get("partition").stringValue() + m.get("data") + "@" + m.get("offset"))
            .toList();
    assertEquals(List.of("a7@7", "a8@8", "a9@9", "b0@0"), seen);
    assertEquals("", json.get("messages").get(0).get("leaseId").stringValue());
    assertEquals(
        "1970-01-01T00:00:00.000000Z", json.get("messages").get(0).get("createdAt").stringValue());
  }

  @Property(tries = 300)
  void payloadsComeOutAsTheyWentIn(@ForAll("json") String payload, @ForAll String transaction) {
    if (Utf8.encodedLength(transaction) < 0) {
      return;
    }
    var frames = new Frames.Writer(16);
    frames.add(ID, Slice.utf8(transaction), null, null, Slice.utf8(payload));
    var result =
        new PopResult(LEASE, List.of(claim("p", 1, new Run(0, 0, frames.toBytes(), 0, 1))));
    var out = PopAnswer.write(result, "q", "g", Chosen.NOTHING, PayloadCipher.NONE);
    var text = new String(out.toBytes(), UTF_8);
    int at = text.indexOf(",\"data\":") + 8;
    assertEquals(
        payload, text.substring(at, text.indexOf(",\"producerSub\":null", at + payload.length())));
    assertEquals(
        new String(new JsonOut(0).string(transaction).toBytes(), UTF_8),
        text.substring(text.indexOf("\"transactionId\":") + 16, text.indexOf(",\"traceId\":")));
  }

  @Property
  void everyUuidIsWrittenLikeTheLibraryWritesIt(@ForAll long high, @ForAll long low) {
    var out = new JsonOut(0).uuid(new UUID(high, low));
    assertEquals('"' + new UUID(high, low).toString() + '"', new String(out.toBytes(), UTF_8));
  }

  @Property
  void everyTextIsReadBackFromItsQuotedForm(@ForAll String text) {
    if (Utf8.encodedLength(text) >= 0) {
      var quoted = new JsonOut(0).string(text).toBytes();
      assertEquals(text, Json.mapper().readTree(quoted).stringValue());
    }
  }

  @Provide
  Arbitrary<String> json() {
    return JsonTexts.any();
  }

  private static Claim claim(String partition, int attempt, Run... runs) {
    int count = 0;
    for (var run : runs) {
      count += run.count();
    }
    return new Claim("q", partition, PARTITION, attempt, count, List.of(runs));
  }

  private static JsonNode read(PopResult result, String queue, String group) {
    return Json.mapper()
        .readTree(
            PopAnswer.write(result, queue, group, Chosen.NOTHING, PayloadCipher.NONE).toBytes());
  }
}
