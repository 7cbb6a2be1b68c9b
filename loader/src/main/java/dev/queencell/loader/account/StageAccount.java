package dev.queencell.loader.account;

import java.util.NavigableSet;
import java.util.concurrent.atomic.LongAdder;

/**
 * What one stage of a pipeline received: per property which sequences, in bounded memory. Thread
 * safe.
 *
 * <p>A gap is clamped at 0 for each property before gaps are summed, so that one property's surplus
 * never hides another one's loss; a duplicate is not looked at for order.
 */
public final class StageAccount {
  private final Property[] properties;
  private final LongAdder messages = new LongAdder();
  private final LongAdder unique = new LongAdder();
  private final LongAdder violations = new LongAdder();

  private static final class Property {
    private final SequenceSet seen = new SequenceSet();
    private long distinct;
    private long highest = -1;
  }

  /**
   * A stage's sums.
   *
   * @param gaps sequences below the highest seen that never came, though they were pushed
   * @param inFlight pushed sequences above the highest seen
   */
  public record Sums(
      long messages, long unique, long duplicates, long gaps, long violations, long inFlight) {
    /** The sums over both. */
    public Sums plus(Sums other) {
      return new Sums(
          messages + other.messages,
          unique + other.unique,
          duplicates + other.duplicates,
          gaps + other.gaps,
          violations + other.violations,
          inFlight + other.inFlight);
    }

    /**
     * Whether it speaks against the broker.
     *
     * @param caused whether anything happened that makes a broker deliver again
     */
    public boolean failed(boolean caused) {
      return gaps > 0 || (!caused && (duplicates > 0 || violations > 0));
    }
  }

  public StageAccount(int propertyCount) {
    properties = new Property[propertyCount];
    for (int i = 0; i < propertyCount; i++) {
      properties[i] = new Property();
    }
  }

  /** Accounts a delivery; true for a sequence that had not come before. */
  public boolean deliver(int property, long sequence) {
    messages.increment();
    var p = properties[property];
    synchronized (p) {
      if (!p.seen.add(sequence)) {
        return false;
      }
      p.distinct++;
      if (sequence < p.highest) {
        violations.increment();
      } else {
        p.highest = sequence;
      }
    }
    unique.increment();
    return true;
  }

  /** Whether there is such a property and sequence. */
  public boolean accepts(long property, long sequence) {
    return property >= 0 && property < properties.length && sequence >= 0 && sequence < 1L << 32;
  }

  /** Distinct messages so far. */
  public long unique() {
    return unique.sum();
  }

  /** The sums, against what was pushed to the stage's queue. */
  public Sums against(Produced produced) {
    long gaps = 0;
    long inFlight = 0;
    for (int i = 0; i < properties.length; i++) {
      var p = properties[i];
      synchronized (p) {
        long base = produced.base(i);
        long span = p.highest - base + 1;
        gaps += Math.max(0, span - p.distinct - excused(p, base, produced.failed(i)));
        inFlight += Math.max(0, produced.highest(i) - Math.max(p.highest, base - 1));
      }
    }
    long all = messages.sum();
    return new Sums(all, unique.sum(), all - unique.sum(), gaps, violations.sum(), inFlight);
  }

  /**
   * Sequences whose push failed, that lie between the first and the highest seen and never came.
   */
  private static long excused(Property p, long base, NavigableSet<Long> failed) {
    return p.highest <= base
        ? 0
        : failed.subSet(base, p.highest).stream().filter(s -> !p.seen.contains(s)).count();
  }
}
