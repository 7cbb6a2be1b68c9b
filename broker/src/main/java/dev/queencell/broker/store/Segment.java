package dev.queencell.broker.store;

/**
 * The messages of one commit in one partition, unpacked: offsets {@code base} to {@code base +
 * count - 1}. Immutable.
 *
 * @param createdAtMicros since the epoch, shared by its messages
 * @param frames see {@link Frames}
 */
public record Segment(long base, int count, long createdAtMicros, byte[] frames) {
  /** The first offset behind it. */
  public long end() {
    return base + count;
  }
}
