package dev.queencell.client;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The answer to a batch of acks.
 *
 * @param succeeded how many were carried out
 * @param deadLettered how many of these filed a dead letter
 * @param refused the others, with the broker's reason
 */
public record AckResult(int succeeded, int deadLettered, List<Refused> refused) {
  /** The reason of an ack that came after its lease had ended. */
  public static final String LEASE_EXPIRED = "invalid or expired lease";

  /**
   * An ack that was not carried out.
   *
   * @param index position in the batch
   */
  public record Refused(int index, String error) {}

  static AckResult parse(byte[] body, int expected) {
    var counts = new Counts();
    try (var parser = HttpExchange.JSON.createParser(body)) {
      var first = parser.nextToken();
      if (first == JsonToken.START_OBJECT) {
        counts.readRow(parser);
      } else if (first == JsonToken.START_ARRAY) {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
          counts.readRow(parser);
        }
      }
    } catch (JacksonException e) {
      throw BadAnswer.of("ack", e);
    }
    if (counts.rows != expected) {
      throw BadAnswer.of("ack", "%d rows for %d acks".formatted(counts.rows, expected));
    }
    return new AckResult(counts.succeeded, counts.deadLettered, List.copyOf(counts.refused));
  }

  public boolean allSucceeded() {
    return refused.isEmpty();
  }

  /** Folds the rows as they are read. */
  private static final class Counts {
    private final List<Refused> refused = new ArrayList<>();
    private int rows;
    private int succeeded;
    private int deadLettered;

    void readRow(JsonParser parser) {
      boolean success = false;
      boolean dlq = false;
      var error = "";
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        var name = parser.currentName();
        var token = parser.nextToken();
        switch (name) {
          case "success" -> success = token == JsonToken.VALUE_TRUE;
          case "dlq" -> dlq = token == JsonToken.VALUE_TRUE;
          case "error" -> error = token == JsonToken.VALUE_STRING ? parser.getString() : "";
          default -> parser.skipChildren();
        }
      }
      if (success) {
        succeeded++;
        deadLettered += dlq ? 1 : 0;
      } else {
        refused.add(new Refused(rows, error));
      }
      rows++;
    }
  }
}
