package dev.queencell.broker.engine;

/**
 * How many messages a queue holds that some group has yet to complete, for {@code maxSize}: behind
 * the slowest cursor of each partition, or all that are kept where no group reads. Pushes count up;
 * what acknowledgements and retention take away is seen when the count has reached the limit and is
 * taken anew, which a lane spends no more than a small part of its time on. So the count is never
 * too low, and a moment too high at most. Used by the lane's thread.
 */
final class QueueSize {
  /** A count is taken anew after so many times what the last one took. */
  private static final long REST_FACTOR = 20;

  private final Queue queue;
  private long atMost = Long.MAX_VALUE;
  private long nextCountNanos = System.nanoTime();

  QueueSize(Queue queue) {
    this.queue = queue;
  }

  /** Whether one more message may be taken. */
  boolean hasRoom() {
    int limit = queue.options.maxSize();
    if (limit <= 0) {
      atMost = Long.MAX_VALUE;
      return true;
    }
    if (atMost >= limit) {
      long now = System.nanoTime();
      if (now - nextCountNanos >= 0) {
        atMost = count();
        long end = System.nanoTime();
        nextCountNanos = end + REST_FACTOR * (end - now);
      }
    }
    return atMost < limit;
  }

  /** A message was taken. */
  void grew() {
    if (atMost != Long.MAX_VALUE) {
      atMost++;
    }
  }

  private long count() {
    long messages = 0;
    for (var partition : queue.partitions.values()) {
      var cursors = partition.cursors();
      long most = cursors.length == 0 ? partition.nextOffset - partition.firstOffset : 0;
      for (var cursor : cursors) {
        most = Math.max(most, cursor.pending());
      }
      messages += most;
    }
    return messages;
  }
}
