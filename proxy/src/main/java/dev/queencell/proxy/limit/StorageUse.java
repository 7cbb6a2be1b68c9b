package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.ClusterLimits;

/**
 * How much a cluster keeps at its broker: what the broker said last, and what was pushed since. The
 * block begins when the broker says more than the cap and ends when it says at most nine tenths of
 * it, so that it doesn't flap; between two words of the broker the estimate stops the pushes.
 *
 * <p>Thread-safe.
 */
public final class StorageUse {
  /** The broker has not said anything yet. */
  public static final long UNKNOWN = -1;

  private static final long RELEASE_TENTHS = 9;
  private static final long TENTHS = 10;

  private long measuredBytes = UNKNOWN;
  private long inFlightBytes;
  private boolean blocked;

  /** What the broker keeps for the cluster, as it says. */
  public synchronized void measured(long bytes, long capBytes) {
    if (bytes != measuredBytes) {
      measuredBytes = bytes;
      inFlightBytes = 0;
    }
    judge(capBytes);
  }

  /**
   * Takes room for a push; false when there is none: at most the one that reaches the cap passes.
   */
  public synchronized boolean take(long bytes, long capBytes) {
    if (capBytes == ClusterLimits.UNLIMITED) {
      return true;
    }
    judge(capBytes);
    if (blocked || Math.max(0, measuredBytes) + inFlightBytes >= capBytes) {
      return false;
    }
    inFlightBytes += bytes;
    return true;
  }

  /** What was taken and then not stored. */
  public synchronized void giveBack(long bytes) {
    inFlightBytes = Math.max(0, inFlightBytes - bytes);
  }

  /** True when pushes have to wait for space. */
  public synchronized boolean isBlocked(long capBytes) {
    if (capBytes == ClusterLimits.UNLIMITED) {
      return false;
    }
    judge(capBytes);
    return blocked || Math.max(0, measuredBytes) + inFlightBytes >= capBytes;
  }

  private void judge(long capBytes) {
    if (capBytes == ClusterLimits.UNLIMITED) {
      blocked = false;
    } else if (measuredBytes > capBytes) {
      blocked = true;
    } else if (measuredBytes
        <= capBytes / TENTHS * RELEASE_TENTHS + capBytes % TENTHS * RELEASE_TENTHS / TENTHS) {
      blocked = false;
    }
  }
}
