package dev.queencell.proxy.limit;

import dev.queencell.proxy.directory.StateAwayException;
import io.github.bucket4j.TimeMeter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One bucket that several proxies share, as this proxy sees it: a reserve of tokens that it was
 * granted, and a debt that it has yet to tell.
 *
 * <p>While the tenant state is away, a bucket of this process stands in with this proxy's share of
 * rate and burst. What passes then becomes debt, so that it counts when the tenant state is back.
 *
 * <p>Thread-safe; one caller asks for a new reserve while the others wait for it.
 */
final class SharedLimit implements Limit {
  /** A reserve is a small part of the burst: that is what may lie idle at another proxy. */
  private static final long RESERVES_PER_BURST = 8;

  /**
   * A refusal is believed for so long, so that a flood of refused calls is not one of questions.
   */
  private static final long REFUSAL_KEPT_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

  private final SharedLimits shared;
  private final TimeMeter clock;
  private final String clusterId;
  private final String bucket;
  private final ReentrantLock lock = new ReentrantLock();
  private Rate rate;
  private RateLimit standIn;
  private long reserve;
  private long debt;
  private long lastTakenNs;
  private long refusedNeed;
  private long refusedUntilNs;
  private int refusedSeconds;

  SharedLimit(SharedLimits shared, TimeMeter clock, String clusterId, String bucket, Rate rate) {
    this.shared = shared;
    this.clock = clock;
    this.clusterId = clusterId;
    this.bucket = bucket;
    this.rate = rate;
    this.lastTakenNs = clock.currentTimeNanos();
  }

  @Override
  public int take(long tokens) {
    if (tokens == 0) {
      return GRANTED;
    }
    lock.lock();
    try {
      long now = clock.currentTimeNanos();
      lastTakenNs = now;
      if (reserve >= tokens) {
        reserve -= tokens;
        return GRANTED;
      }
      if (shared.isAway()) {
        return takeAlone(tokens);
      }
      if (refusedSeconds > 0 && tokens >= refusedNeed && now - refusedUntilNs < 0) {
        return refusedSeconds;
      }
      return ask(tokens);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void takeRegardless(long tokens) {
    lock.lock();
    try {
      long fromReserve = Math.min(reserve, tokens);
      reserve -= fromReserve;
      debt += tokens - fromReserve;
    } finally {
      lock.unlock();
    }
    shared.inUse(this);
  }

  /**
   * The tenant state reads the plan itself; only the share and the size of reserves change here.
   */
  @Override
  public void change(Rate wanted) {
    lock.lock();
    try {
      rate = wanted;
      refusedSeconds = 0;
      if (standIn != null) {
        standIn.change(shared.share(wanted));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long remaining() {
    lock.lock();
    try {
      return Math.max(0, reserve - debt);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isAtRest() {
    lock.lock();
    try {
      return reserve == 0 && debt == 0;
    } finally {
      lock.unlock();
    }
  }

  /** What to tell the tenant state now; null when there is nothing. It counts as told. */
  SharedLimits.Ask settlement(boolean everything) {
    lock.lock();
    try {
      boolean idle = everything || clock.currentTimeNanos() - lastTakenNs >= IDLE_NS;
      long giveBack = idle ? reserve : 0;
      if (giveBack == 0 && debt == 0) {
        return null;
      }
      var ask = new SharedLimits.Ask(clusterId, bucket, 0, 0, giveBack, debt);
      reserve -= giveBack;
      debt = 0;
      return ask;
    } finally {
      lock.unlock();
    }
  }

  /** What was told did not arrive. */
  void owe(long tokens) {
    lock.lock();
    try {
      debt += tokens;
    } finally {
      lock.unlock();
    }
  }

  private int ask(long tokens) {
    long need = tokens - reserve;
    long want = need + Math.max(1, rate.burst() / RESERVES_PER_BURST) - 1;
    long told = debt;
    SharedLimits.Grant grant;
    try {
      grant =
          shared
              .ask(List.of(new SharedLimits.Ask(clusterId, bucket, need, want, 0, told)))
              .getFirst();
    } catch (StateAwayException e) {
      return takeAlone(tokens);
    }
    standIn = null;
    debt -= told;
    if (grant.granted() == SharedLimits.Grant.NO_LIMIT) {
      return GRANTED;
    }
    if (grant.granted() < need) {
      refusedNeed = need;
      long waitNs = TimeUnit.MILLISECONDS.toNanos(grant.retryAfterMs());
      refusedSeconds = Limit.retrySeconds(waitNs);
      refusedUntilNs = clock.currentTimeNanos() + Math.min(waitNs, REFUSAL_KEPT_NS);
      return refusedSeconds;
    }
    refusedSeconds = 0;
    reserve += grant.granted() - tokens;
    if (reserve > 0) {
      shared.inUse(this);
    }
    return GRANTED;
  }

  private int takeAlone(long tokens) {
    shared.noteFallback();
    if (standIn == null) {
      standIn = new RateLimit(shared.share(rate), clock);
    }
    int wait = standIn.take(tokens);
    if (wait == GRANTED) {
      debt += tokens;
      shared.inUse(this);
    }
    return wait;
  }
}
