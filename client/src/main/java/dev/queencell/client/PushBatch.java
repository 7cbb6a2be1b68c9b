package dev.queencell.client;

/**
 * The body of one push, written straight into bytes. Reusable after {@link #clear()}; not
 * thread-safe.
 */
public final class PushBatch {
  private static final byte[] OPEN = JsonBytes.ascii("{\"items\":[");
  private static final byte[] QUEUE = JsonBytes.ascii("{\"queue\":");
  private static final byte[] PARTITION = JsonBytes.ascii(",\"partition\":");
  private static final byte[] TRANSACTION = JsonBytes.ascii(",\"transactionId\":");
  private static final byte[] PAYLOAD = JsonBytes.ascii(",\"payload\":");
  private static final int CAPACITY_BYTES = 512;

  private final JsonBytes json = new JsonBytes(CAPACITY_BYTES);
  private int size;

  public PushBatch() {
    json.raw(OPEN);
  }

  /**
   * Adds a message.
   *
   * @param partition the lane; null takes the queue's {@code Default}
   * @param transactionId deduplication key; null lets the broker mint one
   * @param payload holds one JSON value, taken as it is: text that is not JSON spoils the whole
   *     request
   */
  public PushBatch add(
      String queue,
      String partition,
      String transactionId,
      byte[] payload,
      int payloadOffset,
      int payloadLength) {
    if (size++ > 0) {
      json.raw(',');
    }
    json.raw(QUEUE).string(queue);
    if (partition != null) {
      json.raw(PARTITION).string(partition);
    }
    if (transactionId != null) {
      json.raw(TRANSACTION).string(transactionId);
    }
    json.raw(PAYLOAD).raw(payload, payloadOffset, payloadLength).raw('}');
    return this;
  }

  /** Adds a message with a whole array as its payload. */
  public PushBatch add(String queue, String partition, byte[] payload) {
    return add(queue, partition, null, payload, 0, payload.length);
  }

  /** How many messages it holds. */
  public int size() {
    return size;
  }

  /** Empties it for the next request. */
  public PushBatch clear() {
    json.clear();
    json.raw(OPEN);
    size = 0;
    return this;
  }

  /** Closes the document for sending; {@link #reopen} takes more items afterwards. */
  JsonBytes finish() {
    return json.raw(']').raw('}');
  }

  void reopen() {
    json.truncate(json.length() - 2);
  }
}
