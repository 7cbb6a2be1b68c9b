package dev.queencell.broker.engine;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Mints UUIDv7 (RFC 9562): milliseconds, a counter, 62 random bits. Used by one thread; different
 * mints never collide in practice, their generators are seeded apart.
 */
public final class IdMint {
  private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
  private int counter;

  /** An id for something that happened at this instant, in microseconds since the epoch. */
  public UUID next(long micros) {
    counter = (counter + 1) & 0xfff;
    return new UUID(
        ((micros / 1_000) << 16) | 0x7000 | counter,
        0x8000_0000_0000_0000L | (random.nextLong() >>> 2));
  }
}
