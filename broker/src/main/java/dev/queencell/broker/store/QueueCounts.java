package dev.queencell.broker.store;

/** One number for each {@link QueueCount}. Not thread-safe. */
public final class QueueCounts {
  private final long[] values;

  public QueueCounts() {
    this(new long[QueueCount.SIZE]);
  }

  private QueueCounts(long[] values) {
    this.values = values;
  }

  public long get(QueueCount count) {
    return values[count.column()];
  }

  public void set(QueueCount count, long value) {
    values[count.column()] = value;
  }

  public void add(QueueCount count, long more) {
    values[count.column()] += more;
  }

  /** Keeps the larger of what there is and a value. */
  public void raise(QueueCount count, long value) {
    values[count.column()] = Math.max(values[count.column()], value);
  }

  /** Takes the counts of another span in: sums, and the maxima of what is no sum. */
  public void fold(QueueCounts more) {
    for (var count : QueueCount.values()) {
      if (count.isMaximum()) {
        raise(count, more.get(count));
      } else {
        add(count, more.get(count));
      }
    }
  }

  public QueueCounts copy() {
    return new QueueCounts(values.clone());
  }

  /** Writes all of them into an array, in the order of the columns. */
  public void write(long[] into, int at) {
    System.arraycopy(values, 0, into, at, values.length);
  }
}
