package dev.queencell.proxy.body;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryCountTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"messages\":[]} | 0",
        "{\"messages\":[{}]} | 1",
        "{ \"messages\" : [ {} , {\"a\":[1,2]} ] } | 2",
        "{\"success\":true,\"messages\":[{\"data\":{\"messages\":[1,2,3]}}],\"x\":[1,2]} | 1",
        "{\"queue\":\"messages\",\"other\":[1,2]} | 0",
        "{\"messages\":5,\"other\":[1,2]} | 0",
        "{\"data\":{\"messages\":[1,2]}} | 0",
        "{\"messages\":[\"a,b\",\"[{\",1,null,true,[2],\"\\\"\"]} | 7",
        "{\"mess\\u0061ges\":[1]} | 0",
        "[{\"messages\":[1]}] | 0",
        "nonsense | 0",
        "'' | 0",
      })
  void itCountsWhatIsInTheTopLevelList(String answer, long expected) {
    assertEquals(expected, countInPieces(answer, 1));
    assertEquals(expected, countInPieces(answer, 1000));
  }

  @Property
  void anyAnswerInAnyPiecesIsCountedLikeItsTree(
      @ForAll @Size(max = 20) List<String> payloads,
      @ForAll @IntRange(min = 1, max = 64) int piece) {
    var answer = Json.object().put("success", true).put("queue", "q\"messages\":[1]");
    var messages = answer.putArray("messages");
    payloads.forEach(
        payload -> messages.addObject().put("data", payload).putArray("messages").add(payload));
    answer.put("partitionsClaimed", 1);
    assertEquals(payloads.size(), countInPieces(answer.toString(), piece));
    assertEquals(payloads.size(), countInPieces(answer.toPrettyString(), piece));
  }

  private static long countInPieces(String answer, int pieceBytes) {
    var bytes = answer.getBytes(StandardCharsets.UTF_8);
    var count = new DeliveryCount();
    for (int i = 0; i < bytes.length; i += pieceBytes) {
      count.feed(bytes, i, Math.min(pieceBytes, bytes.length - i));
    }
    return count.count();
  }
}
