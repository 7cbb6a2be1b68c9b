package dev.queencell.loader.account;

import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * What was pushed to one queue of a pipeline, per property: the first and the highest sequence, and
 * those whose push failed. Thread-safe.
 */
public final class Produced {
  private final long[] base;
  private final long[] highest;
  private final TreeSet<Long>[] failed;
  private long count;

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type can't be made directly
  public Produced(int properties) {
    base = new long[properties];
    highest = new long[properties];
    failed = new TreeSet[properties];
    for (int i = 0; i < properties; i++) {
      base[i] = -1;
      highest[i] = -1;
      failed[i] = new TreeSet<>();
    }
  }

  public int properties() {
    return base.length;
  }

  /** The broker said that it has this one. */
  public synchronized void accepted(int property, long sequence) {
    count++;
    base[property] = base[property] < 0 ? sequence : Math.min(base[property], sequence);
    highest[property] = Math.max(highest[property], sequence);
  }

  /** Its push failed: it is owed to nobody, though it may come. */
  public synchronized void failed(int property, long sequence) {
    failed[property].add(sequence);
  }

  /** How often {@link #accepted} was called. */
  public synchronized long count() {
    return count;
  }

  /** First sequence; 0 when none was pushed. */
  public synchronized long base(int property) {
    return Math.max(0, base[property]);
  }

  /** Highest sequence; -1 when none was pushed. */
  public synchronized long highest(int property) {
    return highest[property];
  }

  /** A copy of those whose push failed. */
  public synchronized NavigableSet<Long> failed(int property) {
    return new TreeSet<>(failed[property]);
  }
}
