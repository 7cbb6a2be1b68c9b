package dev.queencell.client;

/**
 * The body of one batch of acks, written straight into bytes. Reusable after {@link #clear()}; not
 * thread-safe.
 */
public final class AckBatch {
  private static final byte[] TRANSACTION = JsonBytes.ascii("{\"transactionId\":");
  private static final byte[] PARTITION_ID = JsonBytes.ascii(",\"partitionId\":");
  private static final byte[] LEASE_ID = JsonBytes.ascii(",\"leaseId\":");
  private static final byte[] STATUS = JsonBytes.ascii(",\"status\":\"");
  private static final byte[] ERROR = JsonBytes.ascii(",\"error\":");
  private static final int CAPACITY_BYTES = 1024;

  private final JsonBytes json = new JsonBytes(CAPACITY_BYTES);
  private final String group;
  private int size;

  /**
   * Makes an empty batch.
   *
   * @param group the consumer group that popped; empty means queue mode
   */
  public AckBatch(String group) {
    this.group = group;
    clear();
  }

  public AckBatch add(PoppedMessage message, AckStatus status) {
    return add(message, status, null);
  }

  /**
   * Adds a verdict.
   *
   * @param error the reason, kept with a dead letter; null sends none
   */
  public AckBatch add(PoppedMessage message, AckStatus status, String error) {
    if (size++ > 0) {
      json.raw(',');
    }
    writeItem(json, message, status, error);
    json.raw('}');
    return this;
  }

  /** Writes an item up to, without, its closing brace. */
  static void writeItem(JsonBytes json, PoppedMessage message, AckStatus status, String error) {
    json.raw(TRANSACTION);
    message.writeRaw(json, PopResult.TRANSACTION_ID);
    json.raw(PARTITION_ID);
    message.writeRaw(json, PopResult.PARTITION_ID);
    json.raw(LEASE_ID);
    message.writeRaw(json, PopResult.LEASE_ID);
    json.raw(STATUS).asciiText(status.word()).raw('"');
    if (error != null) {
      json.raw(ERROR).string(error);
    }
  }

  public int size() {
    return size;
  }

  /** Empties it for the next request. */
  public AckBatch clear() {
    json.clear();
    json.raw('{');
    if (!group.isEmpty()) {
      json.raw(JsonBytes.ascii("\"consumerGroup\":")).string(group).raw(',');
    }
    json.raw(JsonBytes.ascii("\"acknowledgments\":["));
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
