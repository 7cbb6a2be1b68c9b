package dev.queencell.client;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The messages of one pop, as slices of the answer's bytes: one pass finds where each value lies,
 * nothing is decoded before it is asked for. Immutable.
 */
public final class PopResult {
  /** What is remembered of a message: start and end of each of these, then its attempt. */
  static final int TRANSACTION_ID = 0;

  static final int PARTITION_ID = 2;
  static final int PARTITION = 4;
  static final int LEASE_ID = 6;
  static final int ID = 8;
  static final int CREATED_AT = 10;
  static final int PAYLOAD = 12;
  static final int ATTEMPT = 14;
  static final int FIELDS = 15;

  private static final int CAPACITY_MESSAGES = 16;

  /** Nothing popped. */
  public static final PopResult EMPTY = new PopResult(new byte[0], new int[0], 0);

  private final byte[] body;
  private int[] fields;
  private int size;

  private PopResult(byte[] body, int[] fields, int size) {
    this.body = body;
    this.fields = fields;
    this.size = size;
  }

  static PopResult parse(byte[] body) {
    var result = new PopResult(body, new int[FIELDS * CAPACITY_MESSAGES], 0);
    try (var parser = HttpExchange.JSON.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw BadAnswer.of("pop", "expected an object");
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean messages = parser.currentName().equals("messages");
        if (parser.nextToken() == JsonToken.START_ARRAY && messages) {
          while (parser.nextToken() == JsonToken.START_OBJECT) {
            result.readMessage(parser);
          }
        } else {
          parser.skipChildren();
        }
      }
    } catch (JacksonException e) {
      throw BadAnswer.of("pop", e);
    }
    return result;
  }

  private void readMessage(JsonParser parser) {
    int base = size * FIELDS;
    if (base == fields.length) {
      fields = Arrays.copyOf(fields, fields.length * 2);
    }
    Arrays.fill(fields, base, base + FIELDS, 0);
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      var name = parser.currentName();
      var token = parser.nextToken();
      int field = fieldOf(name);
      if (name.equals("deliveryAttempt") && token == JsonToken.VALUE_NUMBER_INT) {
        fields[base + ATTEMPT] = parser.getIntValue();
      } else if (field < 0 || (token == JsonToken.VALUE_NULL && field != PAYLOAD)) {
        parser.skipChildren();
      } else {
        fields[base + field] = (int) parser.currentTokenLocation().getByteOffset();
        if (token.isStructStart()) {
          parser.skipChildren();
        } else {
          parser.finishToken();
        }
        fields[base + field + 1] = (int) parser.currentLocation().getByteOffset();
      }
    }
    size++;
  }

  private static int fieldOf(String name) {
    return switch (name) {
      case "transactionId" -> TRANSACTION_ID;
      case "partitionId" -> PARTITION_ID;
      case "partition" -> PARTITION;
      case "leaseId" -> LEASE_ID;
      case "id" -> ID;
      case "createdAt" -> CREATED_AT;
      case "data" -> PAYLOAD;
      default -> -1;
    };
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** One message, a view on this result. */
  public PoppedMessage message(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("message " + index + " of " + size);
    }
    return new PoppedMessage(this, index * FIELDS);
  }

  /** All messages, views on this result. */
  public List<PoppedMessage> messages() {
    return new AbstractList<>() {
      @Override
      public PoppedMessage get(int index) {
        return message(index);
      }

      @Override
      public int size() {
        return size;
      }
    };
  }

  /** The lease that covers every message; empty when nothing was popped or the pop acked itself. */
  public String leaseId() {
    return size == 0 ? "" : message(0).leaseId();
  }

  byte[] body() {
    return body;
  }

  int field(int position) {
    return fields[position];
  }
}
