package dev.queencell.proxy.body;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerCountTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[] | 0",
        "[{\"status\":\"queued\"}] | 1",
        "[{\"index\":0,\"status\":\"queued\"},{\"status\":\"duplicate\"}] | 1",
        "[ { \"status\" : \"buffered\" } , {\"status\":\"failed\"},{\"status\":\"error\"} ] | 1",
        "[{\"transaction_id\":\"status\\\":\\\"queued\",\"status\":\"duplicate\"}] | 0",
        "[{\"transaction_id\":\"},{\\\"status\\\":\\\"queued\\\"}\",\"status\":\"queued\"}] | 1",
        "[{\"x\":{\"status\":\"queued\"},\"status\":\"queued\"}] | 1",
        "[{\"status\":\"queued \"},{\"status\":\"queue\"},{\"status\":\"queuedd\"}] | 0",
        "{\"status\":\"queued\"} | 0",
        "nonsense | 0",
        "'' | 0",
      })
  void aPushCountsWhatTheBrokerTook(String answer, long expected) {
    for (int piece : new int[] {1, 7, 10_000}) {
      assertEquals(expected, count(new PushCount(), answer, piece));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"success\":true,\"results\":[{\"type\":\"push\"},{\"type\":\"push\"}]} | 2",
        "{\"success\":true,\"results\":[{\"duplicate\":true},{\"duplicate\":false}]} | 1",
        "{\"results\":[{\"duplicate\":true,\"success\":false}],\"success\":true} | 1",
        "{\"success\":false,\"reason\":\"duplicate\",\"results\":[]} | 0",
        "{\"results\":[]} | 0",
        "{\"x\":{\"success\":true}} | 0",
        "{\"success\":true,\"results\":[{\"duplicate\":true},{\"duplicate\":true},{\"duplicate\":true}]} | 0",
      })
  void aTransactionCountsItsPushesOnceItIsCommitted(String answer, long expected) {
    for (int piece : new int[] {1, 10_000}) {
      assertEquals(expected, count(new TransactionCount(2), answer, piece));
    }
  }

  @Test
  void replaysTimersEphemeralPushesAndCyclesCountWhatTheySay() {
    assertEquals(1, member(MemberCount.Of.REPLAY, "{\"result\":\"moved\",\"x\":1}"));
    assertEquals(0, member(MemberCount.Of.REPLAY, "{\"result\":\"missing\"}"));
    assertEquals(
        2,
        member(
            MemberCount.Of.TIMERS,
            "{\"results\":[{\"status\":\"scheduled\"},{\"status\":\"rescheduled\"},"
                + "{\"status\":\"cancelled\"},{\"status\":\"too_late\"}]}"));
    assertEquals(1, member(MemberCount.Of.TIMERS, "[{\"status\":\"scheduled\"}]"));
    assertEquals(37, member(MemberCount.Of.EPHEMERAL_PUSH, "{\"pushed\":37}"));
    assertEquals(0, member(MemberCount.Of.EPHEMERAL_PUSH, "{\"pushed\":-3}"));
    assertEquals(
        1,
        member(
            MemberCount.Of.CYCLE,
            "{\"success\":true,\"push_results\":[{\"status\":\"queued\"},{\"status\":\"failed\"}]}"));
    assertEquals(
        0,
        member(
            MemberCount.Of.CYCLE,
            "{\"push_results\":[{\"status\":\"queued\"}],\"success\":false}"));
  }

  @Property
  void anyPushAnswerInAnyPiecesIsCountedLikeItsTree(
      @ForAll @From("statuses") List<String> statuses,
      @ForAll String transactionId,
      @ForAll @IntRange(min = 1, max = 64) int piece) {
    var answer = Json.mapper().createArrayNode();
    statuses.forEach(
        status ->
            answer
                .addObject()
                .put("index", 1)
                .put("transaction_id", transactionId)
                .put("status", status)
                .put("queueName", transactionId));
    long expected =
        statuses.stream().filter(s -> s.equals("queued") || s.equals("buffered")).count();
    assertEquals(expected, count(new PushCount(), answer.toString(), piece));
    assertEquals(expected, count(new PushCount(), answer.toPrettyString(), piece));
  }

  @Provide
  Arbitrary<List<String>> statuses() {
    return Arbitraries.of("queued", "duplicate", "buffered", "failed", "error")
        .list()
        .ofMaxSize(50);
  }

  private static long member(MemberCount.Of what, String answer) {
    return count(new MemberCount(what), answer, 3);
  }

  private static long count(AnswerCount count, String answer, int pieceBytes) {
    var bytes = answer.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i += pieceBytes) {
      count.feed(bytes, i, Math.min(pieceBytes, bytes.length - i));
    }
    return count.count();
  }
}
