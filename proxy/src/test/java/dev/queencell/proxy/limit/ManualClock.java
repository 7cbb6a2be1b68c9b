package dev.queencell.proxy.limit;

import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes when told to. */
final class ManualClock implements TimeMeter {
  private final AtomicLong nowNs = new AtomicLong(1_000_000_000_000L);

  void pass(Duration time) {
    nowNs.addAndGet(time.toNanos());
  }

  @Override
  public long currentTimeNanos() {
    return nowNs.get();
  }

  @Override
  public boolean isWallClockBased() {
    return false;
  }
}
