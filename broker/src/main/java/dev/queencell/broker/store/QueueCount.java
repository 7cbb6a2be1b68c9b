package dev.queencell.broker.store;

/** What is counted of a queue per minute; the order is that of the columns of its table. */
public enum QueueCount {
  PUSH_REQUESTS,
  PUSH_MESSAGES,
  /** Spans of a partition that pops were served; each is one sample of the lag. */
  POPS,
  POP_MESSAGES,
  POP_EMPTY,
  ACK_REQUESTS,
  ACK_SUCCESS,
  ACK_FAILED,
  TRANSACTIONS,
  CONFLATED,
  DEAD_LETTERS,
  PARTITIONS_CREATED,
  PARTITIONS_DELETED,
  /** Messages that the age rule took, consumed or not. */
  RETENTION_MESSAGES,
  /** Messages that the rule for completed ones took. */
  COMPLETED_RETENTION_MESSAGES,
  /** Messages that waited longer than they may. */
  EVICTION_MESSAGES,
  /** Times that one of these rules took anything. */
  RETENTION_EVENTS,
  /** Age of the oldest message of each such span, summed; in milliseconds. */
  LAG_MILLIS,
  LAG_MILLIS_MAX(true),
  PARTITION_COUNT(true),
  /** Consumers waiting when the minute ended. */
  PARKED(true);

  /** How many there are. */
  public static final int SIZE = values().length;

  private final boolean maximum;

  QueueCount() {
    this(false);
  }

  QueueCount(boolean maximum) {
    this.maximum = maximum;
  }

  /** Whether spans are folded by their larger value, not by their sum. */
  boolean isMaximum() {
    return maximum;
  }

  /** Its place among the columns. */
  @SuppressWarnings("EnumOrdinal") // The order is the table's, and counting must not cost a map.
  int column() {
    return ordinal();
  }
}
