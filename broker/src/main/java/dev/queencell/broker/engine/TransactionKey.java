package dev.queencell.broker.engine;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import java.util.UUID;

/**
 * The 16 bytes by which a transaction id is found again: the id itself where it is a canonical UUID
 * (which every minted one is) other than zero, else its xxh3-128.
 */
record TransactionKey(long high, long low) {
  static final int BYTES = 16;

  static TransactionKey of(UUID id) {
    return new TransactionKey(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  static TransactionKey of(Slice id) {
    if (id.length() == 36) {
      var uuid = canonicalUuid(id);
      if (uuid != null) {
        return uuid;
      }
    }
    HashValue128 hash = Hashing.xxh3_128().hashBytesTo128Bits(id.array(), id.offset(), id.length());
    return new TransactionKey(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
  }

  /** The key of the frame that the reader stands on. */
  static TransactionKey of(Frames.Reader frame) {
    return frame.transactionIsId()
        ? new TransactionKey(frame.idHigh(), frame.idLow())
        : of(frame.transactionId());
  }

  private static TransactionKey canonicalUuid(Slice id) {
    long high = 0;
    long low = 0;
    for (int i = 0; i < 36; i++) {
      byte c = id.array()[id.offset() + i];
      if (i == 8 || i == 13 || i == 18 || i == 23) {
        if (c != '-') {
          return null;
        }
        continue;
      }
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) {
        return null;
      }
      if (i < 18) {
        high = high << 4 | digit;
      } else {
        low = low << 4 | digit;
      }
    }
    // All zeros mean "no key" where keys are stored.
    return (high | low) == 0 ? null : new TransactionKey(high, low);
  }
}
