package dev.queencell.state.policy;

/**
 * Whether retained bytes block pushes: from above the cap on, until they are down to 90% of it, so
 * that a tenant at the edge doesn't flap. Pure.
 */
public final class StorageQuota {
  private static final long RELEASE_PARTS = 9;
  private static final long PARTS = 10;

  private StorageQuota() {}

  /**
   * The block after a measurement.
   *
   * @param over the block before it
   * @param capBytes null for no cap
   */
  public static boolean over(boolean over, Long capBytes, long measuredBytes) {
    if (capBytes == null) {
      return false;
    }
    return over ? measuredBytes > releaseBytes(capBytes) : measuredBytes > capBytes;
  }

  private static long releaseBytes(long capBytes) {
    return capBytes / PARTS * RELEASE_PARTS + capBytes % PARTS * RELEASE_PARTS / PARTS;
  }
}
