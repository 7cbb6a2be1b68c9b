package dev.queencell.loader.account;

import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * The account of one partition of one tenant: which sequences were issued, accepted, delivered and
 * completed. Thread-safe: producers and consumers meet here.
 *
 * <p>Order. Pushes of a lane overlap, and pushes that overlap have no order. Each message says
 * which sequences come before it for certain: those that had been answered when it was sent, and
 * the earlier ones of its own request. A first delivery of a sequence that comes before an earlier
 * delivered message is a violation; nothing else is. All requests of a lane are of one size.
 */
final class Lane {
  private static final long SEQUENCES_MAX = 1L << 32;

  private final SequenceSet accepted = new SequenceSet();
  private final SequenceSet delivered = new SequenceSet();
  private final SequenceSet completed = new SequenceSet();
  private final AnsweredWatermark answered = new AnsweredWatermark();
  private final boolean verify;
  private long issued;
  private int requestSize;
  private long acceptedCount;
  private long deliveredCount;
  private long highestDelivered = -1;

  /** Highest sequence that comes before a message that has been delivered. */
  private long mustHaveCome = -1;

  /** Makes an empty lane; one that doesn't verify keeps counts only. */
  Lane(boolean verify) {
    this.verify = verify;
  }

  /** Hands out sequences; returns the first. */
  synchronized long issue(int count) {
    long base = issued;
    issued += count;
    requestSize = count;
    if (issued > SEQUENCES_MAX) {
      throw new IllegalStateException("more than 2^32 messages for one partition");
    }
    return base;
  }

  /** Takes over sequences that another account of the same messages handed out. */
  synchronized void issuedElsewhere(long base, int count) {
    issued = Math.max(issued, base + count);
    requestSize = count;
  }

  synchronized long answeredThrough() {
    return answered.through();
  }

  synchronized void accept(long sequence) {
    acceptedCount++;
    if (verify) {
      accepted.add(sequence);
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
    if (!delivered.add(sequence)) {
      return Judgement.DUPLICATE;
    }
    deliveredCount++;
    boolean late =
        (sequence <= mustHaveCome && accepted.contains(sequence))
            || delivered.containsAny(sequence + 1, base + requestSize - 1);
    highestDelivered = Math.max(highestDelivered, sequence);
    mustHaveCome = Math.max(mustHaveCome, answeredThrough);
    return late ? Judgement.OUT_OF_ORDER : Judgement.FIRST;
  }

  /**
   * The broker need not hold this message any longer: its ack was carried out, or may have been.
   */
  synchronized void complete(long sequence) {
    if (verify && sequence >= 0 && sequence < issued) {
      completed.add(sequence);
    }
  }

  synchronized boolean wasDelivered(long sequence) {
    return delivered.contains(sequence);
  }

  /** Accepted so far and not delivered so far, as a quick upper bound without walking bitmaps. */
  synchronized long open() {
    return Math.max(0, acceptedCount - deliveredCount);
  }

  /** What its sets take in memory beyond their fixed part. */
  synchronized long setBytes() {
    return accepted.sizeBytes() + delivered.sizeBytes() + completed.sizeBytes();
  }

  /** How many accepted messages have not been delivered. */
  synchronized long undelivered() {
    if (!verify) {
      return open();
    }
    return delivered.coversWithoutGaps(accepted)
        ? 0
        : RoaringBitmap.andNotCardinality(accepted.toBitmap(), delivered.toBitmap());
  }

  /** How many accepted messages the broker still has to keep for the consumers. */
  synchronized long uncompleted() {
    return completed.coversWithoutGaps(accepted)
        ? 0
        : RoaringBitmap.andNotCardinality(accepted.toBitmap(), completed.toBitmap());
  }

  /** The account at the cutoff. */
  synchronized LaneTotals totals(int offendersMax) {
    long inFlight = Math.max(0, issued - 1 - Math.max(highestDelivered, -1));
    long held =
        completed.coversWithoutGaps(delivered)
            ? 0
            : RoaringBitmap.andNotCardinality(delivered.toBitmap(), completed.toBitmap());
    if (!verify || (delivered.coversWithoutGaps(accepted) && acceptedCount == deliveredCount)) {
      return new LaneTotals(acceptedCount, deliveredCount, open(), 0, inFlight, held, new long[0]);
    }
    var all = accepted.toBitmap();
    var seen = delivered.toBitmap();
    var undelivered = RoaringBitmap.andNot(all, seen);
    return new LaneTotals(
        acceptedCount,
        deliveredCount,
        undelivered.getLongCardinality(),
        RoaringBitmap.andNotCardinality(seen, all),
        inFlight,
        held,
        first(undelivered, offendersMax));
  }

  private static long[] first(RoaringBitmap set, int count) {
    var found = new long[(int) Math.min(count, set.getLongCardinality())];
    PeekableIntIterator each = set.getIntIterator();
    for (int i = 0; i < found.length; i++) {
      found[i] = Integer.toUnsignedLong(each.next());
    }
    return found;
  }
}
