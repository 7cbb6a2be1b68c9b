package dev.queencell.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

/**
 * The answer to a push: a status per item in request order, read at once; ids only on demand, since
 * most producers never look at them. Immutable.
 */
public final class PushResult {
  private final byte[] body;
  private final PushStatus[] statuses;

  /**
   * One item's answer.
   *
   * @param messageId of a duplicate, the original's
   */
  public record Item(String messageId, String transactionId, PushStatus status) {}

  private PushResult(byte[] body, PushStatus[] statuses) {
    this.body = body;
    this.statuses = statuses;
  }

  static PushResult parse(byte[] body, int expected) {
    var statuses = new PushStatus[expected];
    int count = 0;
    try (var parser = HttpExchange.JSON.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw BadAnswer.of("push", "expected an array");
      }
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        var status = PushStatus.FAILED;
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
          var name = parser.currentName();
          parser.nextToken();
          if (name.equals("status")) {
            status = PushStatus.of(parser.getString());
          } else {
            parser.skipChildren();
          }
        }
        if (count == expected) {
          throw BadAnswer.of("push", "more rows than the " + expected + " items sent");
        }
        statuses[count++] = status;
      }
    } catch (JacksonException e) {
      throw BadAnswer.of("push", e);
    }
    if (count < expected) {
      throw BadAnswer.of("push", "%d rows for %d items".formatted(count, expected));
    }
    return new PushResult(body, statuses);
  }

  public int size() {
    return statuses.length;
  }

  public PushStatus status(int index) {
    return statuses[index];
  }

  /** Whether every item was accepted. */
  public boolean allAccepted() {
    return Arrays.stream(statuses).allMatch(PushStatus::accepted);
  }

  /** All rows with their ids. */
  public List<Item> items() {
    var items = new ArrayList<Item>(statuses.length);
    int index = 0;
    for (var row : HttpExchange.JSON.readTree(body)) {
      items.add(
          new Item(
              row.path("message_id").asString(""),
              row.path("transaction_id").asString(""),
              statuses[index++]));
    }
    return items;
  }
}
