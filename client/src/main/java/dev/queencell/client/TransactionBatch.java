package dev.queencell.client;

/**
 * The body of one transaction: acks and pushes that all happen or none does. Written straight into
 * bytes. Reusable after {@link #clear()}; not thread-safe.
 */
public final class TransactionBatch {
  private static final byte[] OPEN = JsonBytes.ascii("{\"operations\":[");
  private static final byte[] ACK_TYPE = JsonBytes.ascii(",\"type\":\"ack\"");
  private static final byte[] GROUP = JsonBytes.ascii(",\"consumerGroup\":");
  private static final byte[] PUSH = JsonBytes.ascii("{\"type\":\"push\",\"queue\":");
  private static final byte[] PARTITION = JsonBytes.ascii(",\"partition\":");
  private static final byte[] TRANSACTION = JsonBytes.ascii(",\"transactionId\":");
  private static final byte[] PAYLOAD = JsonBytes.ascii(",\"payload\":");
  private static final int CAPACITY_BYTES = 1024;

  private final JsonBytes json = new JsonBytes(CAPACITY_BYTES);
  private int size;

  public TransactionBatch() {
    json.raw(OPEN);
  }

  /**
   * Adds an ack.
   *
   * @param group the consumer group that popped; empty means queue mode
   */
  public TransactionBatch ack(String group, PoppedMessage message, AckStatus status) {
    next();
    AckBatch.writeItem(json, message, status, null);
    if (!group.isEmpty()) {
      json.raw(GROUP).string(group);
    }
    json.raw(ACK_TYPE).raw('}');
    return this;
  }

  /**
   * Adds a push.
   *
   * @param transactionId deduplication key, on which a duplicate undoes everything; null lets the
   *     broker mint one
   * @param payload holds one JSON value, taken as it is
   */
  public TransactionBatch push(
      String queue,
      String partition,
      String transactionId,
      byte[] payload,
      int payloadOffset,
      int payloadLength) {
    next();
    json.raw(PUSH).string(queue).raw(PARTITION).string(partition);
    if (transactionId != null) {
      json.raw(TRANSACTION).string(transactionId);
    }
    json.raw(PAYLOAD).raw(payload, payloadOffset, payloadLength).raw('}');
    return this;
  }

  private void next() {
    if (size++ > 0) {
      json.raw(',');
    }
  }

  /** How many operations it holds. */
  public int size() {
    return size;
  }

  /** Empties it for the next request. */
  public TransactionBatch clear() {
    json.clear();
    json.raw(OPEN);
    size = 0;
    return this;
  }

  JsonBytes finish() {
    return json.raw(']').raw('}');
  }

  void reopen() {
    json.truncate(json.length() - 2);
  }
}
