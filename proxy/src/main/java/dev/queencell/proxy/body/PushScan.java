package dev.queencell.proxy.body;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * One pass over a produce body: counts the pushed messages, measures each payload in bytes as it
 * stands in the body, and notes which queues and partitions are named. The parser walks tokens; no
 * tree is built and payloads are never decoded.
 *
 * <p>A body may repeat a key. Which one the broker would take is not known here, so that every
 * {@code items} list counts and the largest payload of an item is the one that is measured.
 *
 * <p>Not thread-safe; one use.
 */
public final class PushScan {
  /** Where the messages of a body are. */
  public enum Shape {
    /** {@code {"items": […]}}. */
    PUSH("items"),
    /** {@code {"operations": […]}} with flat and nested pushes, and acks that don't count. */
    TRANSACTION("operations"),
    /** {@code {"push_items": […]}} of a stream's cycle. */
    CYCLE("push_items");

    private final String list;

    Shape(String list) {
      this.list = list;
    }
  }

  /** A lane that the body pushes to. */
  public record Pair(String queue, String partition) {}

  /**
   * What was found.
   *
   * @param items pushed messages
   * @param largestIndex index of the message with the largest payload; -1 without messages
   * @param largestBytes size of that payload
   * @param payloadBytes of all payloads together
   * @param pairs the lanes, each once per run of equal ones; empty when they were not asked for
   */
  public record Found(
      long items, int largestIndex, long largestBytes, long payloadBytes, List<Pair> pairs) {}

  /** Deeper nesting is refused: a parser remembers every level. */
  public static final int DEPTH_MAX = 10_000;

  private static final String PARTITION_DEFAULT = "Default";

  /** Everything but depth is bounded by the size of the body. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH_MAX)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final boolean wantsPairs;
  private final List<Pair> pairs = new ArrayList<>();
  private long items;
  private int largestIndex = -1;
  private long largestBytes = -1;
  private long payloadBytes;

  private PushScan(boolean wantsPairs) {
    this.wantsPairs = wantsPairs;
  }

  /**
   * Scans a body.
   *
   * @param wantsPairs whether the lanes are needed; leaving them out saves their strings
   * @return what was found, or null when the body is not JSON and the broker has to say so
   * @throws UnreadableBodyException for a body that the broker might read where this can't
   */
  public static Found scan(byte[] body, Shape shape, boolean wantsPairs) {
    refuseWideEncodings(body);
    var scan = new PushScan(wantsPairs);
    try (var parser = FACTORY.createParser(ObjectReadContext.empty(), body)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        scan.object(parser, shape);
      }
    } catch (StreamConstraintsException e) {
      throw new UnreadableBodyException(
          "bad body: nested deeper than %d levels".formatted(DEPTH_MAX));
    } catch (JacksonException e) {
      return null;
    }
    return new Found(
        scan.items, scan.largestIndex, scan.largestBytes, scan.payloadBytes, scan.pairs);
  }

  private void object(JsonParser parser, Shape shape) {
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean wanted = shape.list.equals(parser.currentName());
      if (parser.nextToken() == JsonToken.START_ARRAY && wanted) {
        elements(parser, shape == Shape.TRANSACTION);
      } else {
        parser.skipChildren();
      }
    }
  }

  private void elements(JsonParser parser, boolean operations) {
    while (true) {
      var token = parser.nextToken();
      if (token == JsonToken.END_ARRAY || token == null) {
        return;
      }
      if (token != JsonToken.START_OBJECT) {
        parser.skipChildren();
        if (!operations) {
          count(0, null, null);
        }
      } else if (operations) {
        operation(parser);
      } else {
        item(parser);
      }
    }
  }

  private void item(JsonParser parser) {
    long bytes = 0;
    String queue = null;
    String partition = null;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      var name = parser.currentName();
      parser.nextToken();
      if (name.equals("payload")) {
        bytes = Math.max(bytes, measure(parser));
      } else if (wantsPairs && name.equals("queue")) {
        queue = text(parser);
      } else if (wantsPairs && name.equals("partition")) {
        partition = text(parser);
      } else {
        parser.skipChildren();
      }
    }
    count(bytes, queue, partition);
  }

  /** A flat push is one message, a nested one as many as its items, an ack none. */
  private void operation(JsonParser parser) {
    boolean saysAck = false;
    boolean saysOther = false;
    boolean isNested = false;
    long bytes = 0;
    String queue = null;
    String partition = null;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      var name = parser.currentName();
      var token = parser.nextToken();
      switch (name) {
        case "type" -> {
          boolean ack = "ack".equals(text(parser));
          saysAck |= ack;
          saysOther |= !ack;
        }
        case "items" -> {
          isNested = token == JsonToken.START_ARRAY;
          if (isNested) {
            nested(parser);
          } else {
            parser.skipChildren();
          }
        }
        case "payload", "data" -> bytes = Math.max(bytes, measure(parser));
        case "queue" -> queue = text(parser);
        case "partition" -> partition = text(parser);
        default -> parser.skipChildren();
      }
    }
    if (!isNested && (saysOther || !saysAck)) {
      count(bytes, queue, partition);
    }
  }

  private void nested(JsonParser parser) {
    while (true) {
      var token = parser.nextToken();
      if (token == JsonToken.END_ARRAY || token == null) {
        return;
      }
      if (token == JsonToken.START_OBJECT) {
        nestedItem(parser);
      } else {
        parser.skipChildren();
        count(0, null, null);
      }
    }
  }

  private void nestedItem(JsonParser parser) {
    long bytes = 0;
    String queue = null;
    String partition = null;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      var name = parser.currentName();
      parser.nextToken();
      switch (name) {
        case "payload", "data" -> bytes = Math.max(bytes, measure(parser));
        case "queue" -> queue = text(parser);
        case "partition" -> partition = text(parser);
        default -> parser.skipChildren();
      }
    }
    count(bytes, queue, partition);
  }

  /** The length of the current value as it stands in the body, quotes and inner blanks included. */
  private static long measure(JsonParser parser) {
    long start = parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    // A string is read lazily: only then does the parser stand behind it.
    parser.finishToken();
    return parser.currentLocation().getByteOffset() - start;
  }

  private static String text(JsonParser parser) {
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      return parser.getString();
    }
    parser.skipChildren();
    return null;
  }

  private void count(long bytes, String queue, String partition) {
    payloadBytes += bytes;
    if (bytes > largestBytes) {
      largestBytes = bytes;
      largestIndex = (int) items;
    }
    items++;
    if (wantsPairs && queue != null) {
      var pair =
          new Pair(queue, partition == null || partition.isEmpty() ? PARTITION_DEFAULT : partition);
      if (pairs.isEmpty() || !pairs.getLast().equals(pair)) {
        pairs.add(pair);
      }
    }
  }

  /** UTF-16 and UTF-32 have no byte offsets here, but a lenient broker might well read them. */
  private static void refuseWideEncodings(byte[] body) {
    for (int i = 0; i < Math.min(body.length, 4); i++) {
      if (body[i] == 0 || body[i] == (byte) 0xfe || body[i] == (byte) 0xff) {
        throw new UnreadableBodyException("bad body: it takes JSON in UTF-8");
      }
    }
  }
}
