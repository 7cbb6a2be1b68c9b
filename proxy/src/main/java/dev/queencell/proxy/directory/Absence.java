package dev.queencell.proxy.directory;

import com.github.benmanes.caffeine.cache.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the tenant-state service is away, as one caller found for all. While it is, one question
 * a pause looks whether it is back, and everybody else works from memory at once: a service that
 * hangs would otherwise hold up a request of every tenant, and one that comes back be met by
 * everybody who tried again.
 *
 * <p>Thread-safe.
 */
final class Absence {
  private final Ticker clock;
  private final long pauseNs;
  private final AtomicLong nextTryNs = new AtomicLong();
  private volatile boolean away;

  /**
   * @param pauseMs between two tries while it is away
   */
  Absence(Ticker clock, long pauseMs) {
    this.clock = clock;
    this.pauseNs = TimeUnit.MILLISECONDS.toNanos(pauseMs);
  }

  /** True for those who are to work from memory; false for the one whose turn it is to ask. */
  boolean leaveAlone() {
    if (!away) {
      return false;
    }
    long turnNs = nextTryNs.get();
    long nowNs = clock.read();
    return nowNs - turnNs < 0 || !nextTryNs.compareAndSet(turnNs, nowNs + pauseNs);
  }

  /** True while it is nobody's turn to ask; whoever only looks takes no turn. */
  boolean isLeftAlone() {
    return away && clock.read() - nextTryNs.get() < 0;
  }

  /** A question was not answered. */
  void began() {
    nextTryNs.set(clock.read() + pauseNs);
    away = true;
  }

  /** A question was answered. */
  void ended() {
    away = false;
  }
}
