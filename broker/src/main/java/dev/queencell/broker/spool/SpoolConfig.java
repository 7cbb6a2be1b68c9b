package dev.queencell.broker.spool;

import java.nio.file.Path;

/**
 * Where and how much is spooled.
 *
 * @param directory of this broker alone; made when it is missing
 * @param bytesMax of all files together, those of failed records included
 * @param recordsPerFile after which the next file begins
 * @param batchMax records that one replayed push carries
 * @param retryMs pause of the replay while the engine can't take anything
 */
public record SpoolConfig(
    Path directory, long bytesMax, int recordsPerFile, int batchMax, long retryMs) {
  public static final long BYTES_MAX_DEFAULT = 1L << 30;
  public static final int RECORDS_PER_FILE_DEFAULT = 10_000;
  public static final int BATCH_MAX_DEFAULT = 1_000;
  public static final long RETRY_MS_DEFAULT = 100;

  /** Everything but the directory by default. */
  public static SpoolConfig in(Path directory) {
    return new SpoolConfig(
        directory,
        BYTES_MAX_DEFAULT,
        RECORDS_PER_FILE_DEFAULT,
        BATCH_MAX_DEFAULT,
        RETRY_MS_DEFAULT);
  }
}
