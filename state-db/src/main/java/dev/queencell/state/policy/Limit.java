package dev.queencell.state.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The limits that a plan sets and that a cluster's overrides may replace. */
public enum Limit {
  MAX_REQ_PER_SEC,
  REQ_BURST,
  MAX_MSGS_PER_SEC,
  MSGS_BURST,
  MAX_QUEUES,
  MAX_PARTITIONS_PER_QUEUE,
  MAX_PARKED_POPS,
  MAX_PAYLOAD_BYTES,
  MAX_BATCH_ITEMS,
  MAX_RETAINED_BYTES,
  MAX_RETENTION_SECONDS,
  MONTHLY_MSGS_QUOTA;

  private static final List<String> COLUMNS = Arrays.stream(values()).map(Limit::column).toList();

  /** The name in SQL and in JSON. */
  public String column() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Every name, in the order of the plan table. */
  public static List<String> columns() {
    return COLUMNS;
  }
}
