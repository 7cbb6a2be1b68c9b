package dev.queencell.loader.account;

import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * The account of one partition of one tenant: which sequences were issued, accepted and delivered.
 * Two compressed bitmaps, about a bit per message while a stretch is open and a few bytes per
 * 65,536 once it is complete. Thread-safe: producers and consumers meet here.
 *
 * <p>Order. Pushes of a lane overlap, and pushes that overlap have no order. Each message says
 * which sequences come before it for certain: those that had been answered when it was sent, and
 * the earlier ones of its own request. A first delivery of a sequence that comes before an earlier
 * delivered message is a violation; nothing else is.
 */
final class Lane {
  /** A stretch of this many sequences is one bitmap container. */
  private static final int STRETCH = 1 << 16;

  private static final long SEQUENCES_MAX = 1L << 32;

  private final RoaringBitmap accepted = new RoaringBitmap();
  private final RoaringBitmap delivered = new RoaringBitmap();
  private final AnsweredWatermark answered = new AnsweredWatermark();
  private final boolean verify;
  private long issued;
  private long acceptedCount;
  private long deliveredCount;
  private long highestDelivered = -1;

  /** Highest sequence that comes before a message that has been delivered. */
  private long mustHaveCome = -1;

  /** The latest request seen: its first sequence and the highest one delivered of it. */
  private long requestBase;

  private long requestHighest = -1;

  /** Makes an empty lane; one that doesn't verify keeps counts only. */
  Lane(boolean verify) {
    this.verify = verify;
  }

  /** Hands out sequences; returns the first. */
  synchronized long issue(int count) {
    long base = issued;
    issued += count;
    if (issued > SEQUENCES_MAX) {
      throw new IllegalStateException("more than 2^32 messages for one partition");
    }
    return base;
  }

  synchronized long answeredThrough() {
    return answered.through();
  }

  synchronized void accept(long sequence) {
    acceptedCount++;
    if (!verify) {
      return;
    }
    accepted.add((int) sequence);
    if ((sequence & STRETCH - 1) == STRETCH - 1) {
      accepted.runOptimize();
    }
  }

  /** The push of these sequences has ended, well or not. */
  synchronized void conclude(long base, int count) {
    for (long s = base; s < base + count; s++) {
      answered.answered(s);
    }
  }

  /** Accounts one delivery of a sequence; {@code answeredThrough} and {@code base} are its own. */
  synchronized Judgement deliver(long sequence, long answeredThrough, long base) {
    if (sequence < 0 || sequence >= issued) {
      return Judgement.NEVER_ISSUED;
    }
    if (!verify) {
      deliveredCount++;
      highestDelivered = Math.max(highestDelivered, sequence);
      return Judgement.FIRST;
    }
    if (delivered.contains((int) sequence)) {
      return Judgement.DUPLICATE;
    }
    delivered.add((int) sequence);
    deliveredCount++;
    if ((sequence & STRETCH - 1) == STRETCH - 1) {
      delivered.runOptimize();
    }
    boolean late =
        (sequence <= mustHaveCome && accepted.contains((int) sequence))
            || (base == requestBase && sequence < requestHighest);
    highestDelivered = Math.max(highestDelivered, sequence);
    mustHaveCome = Math.max(mustHaveCome, answeredThrough);
    if (base == requestBase) {
      requestHighest = Math.max(requestHighest, sequence);
    } else {
      requestBase = base;
      requestHighest = sequence;
    }
    return late ? Judgement.OUT_OF_ORDER : Judgement.FIRST;
  }

  synchronized boolean wasDelivered(long sequence) {
    return delivered.contains((int) sequence);
  }

  /** Accepted so far and not delivered so far, as a quick upper bound without walking bitmaps. */
  synchronized long open() {
    return Math.max(0, acceptedCount - deliveredCount);
  }

  /** What the bitmaps take in memory. */
  synchronized long bitmapBytes() {
    return accepted.getLongSizeInBytes() + delivered.getLongSizeInBytes();
  }

  /** The account at the cutoff. */
  synchronized LaneTotals totals(int offendersMax) {
    var undelivered = RoaringBitmap.andNot(accepted, delivered);
    var extra = RoaringBitmap.andNot(delivered, accepted);
    return new LaneTotals(
        acceptedCount,
        deliveredCount,
        verify ? undelivered.getLongCardinality() : open(),
        extra.getLongCardinality(),
        Math.max(0, issued - 1 - Math.max(highestDelivered, -1)),
        first(undelivered, offendersMax));
  }

  private static long[] first(RoaringBitmap set, int count) {
    var found = new long[Math.min(count, set.getCardinality())];
    PeekableIntIterator each = set.getIntIterator();
    for (int i = 0; i < found.length; i++) {
      found[i] = Integer.toUnsignedLong(each.next());
    }
    return found;
  }
}
