package dev.queencell.broker.engine;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Mints UUIDv7 (RFC 9562): milliseconds, a counter, random bits, and a mark in the last 16 bits
 * that follows from all the others. By the mark the broker knows an id that it may have minted
 * itself, without keeping any; one in 65,536 of other ids bears it too, so that it decides nothing
 * but where to look. Used by one thread; different mints never collide in practice, their
 * generators are seeded apart.
 */
public final class IdMint {
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long MARK_MASK = 0xffff;

  private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
  private int counter;

  /** An id for something that happened at this instant, in microseconds since the epoch. */
  public UUID next(long micros) {
    counter = (counter + 1) & 0xfff;
    long high = ((micros / 1_000) << 16) | 0x7000 | counter;
    long low = (VARIANT | (random.nextLong() >>> 2)) & ~MARK_MASK;
    return new UUID(high, low | mark(high, low));
  }

  /** Whether a key may be the id of a message that this broker, or one like it, has stored. */
  static boolean isMinted(TransactionKey key) {
    return (key.high() & 0xf000) == 0x7000
        && (key.low() & MARK_MASK) == mark(key.high(), key.low() & ~MARK_MASK);
  }

  /** When a minted id was minted. */
  static long epochMs(TransactionKey key) {
    return key.high() >>> 16;
  }

  private static long mark(long high, long low) {
    // The finalizer of MurmurHash3; any mixing will do.
    long mixed = high * 0x9e37_79b9_7f4a_7c15L ^ low;
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51_afd7_ed55_8ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ce_b9fe_1a85_ec53L;
    return (mixed ^ (mixed >>> 33)) & MARK_MASK;
  }
}
