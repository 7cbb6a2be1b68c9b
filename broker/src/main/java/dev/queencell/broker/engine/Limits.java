package dev.queencell.broker.engine;

/** Every bound of the engine, by name; reported in {@code /status}. */
public final class Limits {
  public static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
  public static final int BODY_BYTES_MAX = 64 * 1024 * 1024;
  public static final int NAME_BYTES_MAX = 255;
  public static final int TRANSACTION_ID_BYTES_MAX = 65_535;
  public static final int BATCH_MAX = 10_000;
  public static final int PUSH_ITEMS_MAX = 100_000;
  public static final int TRANSACTION_OPERATIONS_MAX = 10_000;
  public static final int PARKED_CONSUMERS_MAX = 100_000;
  public static final int DELAY_SECONDS_MAX = 31_536_000;
  public static final int LEASE_SECONDS_MAX = 86_400;
  public static final long WAIT_MS_MAX = 600_000;
  public static final int CONFLATED_PARTITIONS_MAX = 64;
  public static final int LAGGING_PLACES_MAX = 10_000;

  private Limits() {}
}
