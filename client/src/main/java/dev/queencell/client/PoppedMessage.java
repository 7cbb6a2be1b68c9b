package dev.queencell.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A view on one message of a {@link PopResult}; holds no bytes of its own. Immutable. */
public final class PoppedMessage {
  private final PopResult result;
  private final int base;

  PoppedMessage(PopResult result, int base) {
    this.result = result;
    this.base = base;
  }

  public String id() {
    return text(PopResult.ID);
  }

  public String transactionId() {
    return text(PopResult.TRANSACTION_ID);
  }

  public String partition() {
    return text(PopResult.PARTITION);
  }

  public String partitionId() {
    return text(PopResult.PARTITION_ID);
  }

  public String leaseId() {
    return text(PopResult.LEASE_ID);
  }

  /** When it was stored, in the broker's own notation (ISO-8601, microseconds). */
  public String createdAt() {
    return text(PopResult.CREATED_AT);
  }

  /** 1 on the first delivery of the batch that it came in. */
  public int deliveryAttempt() {
    return result.field(base + PopResult.ATTEMPT);
  }

  /** The bytes that hold the payload, shared with the other messages: never change them. */
  public byte[] payloadBuffer() {
    return result.body();
  }

  /** Where the payload starts in {@link #payloadBuffer()}. */
  public int payloadOffset() {
    return result.field(base + PopResult.PAYLOAD);
  }

  public int payloadLength() {
    return result.field(base + PopResult.PAYLOAD + 1) - payloadOffset();
  }

  /** A copy of the payload's JSON. */
  public byte[] payload() {
    return Arrays.copyOfRange(payloadBuffer(), payloadOffset(), payloadOffset() + payloadLength());
  }

  /** Whether it lies in the same partition as the other one, by id. */
  public boolean samePartition(PoppedMessage other) {
    return Arrays.equals(
        result.body(),
        result.field(base + PopResult.PARTITION_ID),
        result.field(base + PopResult.PARTITION_ID + 1),
        other.result.body(),
        other.result.field(other.base + PopResult.PARTITION_ID),
        other.result.field(other.base + PopResult.PARTITION_ID + 1));
  }

  /** Writes a field's JSON as it came, quotes and escapes included; {@code ""} when absent. */
  void writeRaw(JsonBytes json, int field) {
    int start = result.field(base + field);
    int end = result.field(base + field + 1);
    if (start == end) {
      json.raw('"').raw('"');
    } else {
      json.raw(result.body(), start, end - start);
    }
  }

  private String text(int field) {
    int start = result.field(base + field);
    int end = result.field(base + field + 1);
    if (start == end) {
      return "";
    }
    var body = result.body();
    for (int i = start; i < end; i++) {
      if (body[i] == '\\') {
        return HttpExchange.JSON.readTree(body, start, end - start).asString();
      }
    }
    return new String(body, start + 1, end - start - 2, StandardCharsets.UTF_8);
  }
}
