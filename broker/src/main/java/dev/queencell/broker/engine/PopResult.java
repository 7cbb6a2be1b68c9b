package dev.queencell.broker.engine;

import java.util.List;
import java.util.UUID;

/**
 * Messages handed out. Empty {@code claims}: there was nothing until the deadline.
 *
 * @param leaseId covers every claim; null for an auto-acknowledged pop or an empty answer
 */
public record PopResult(UUID leaseId, List<Claim> claims) {
  public static final PopResult EMPTY = new PopResult(null, List.of());

  /**
   * A span of one partition.
   *
   * @param deliveryAttempt 1-based
   */
  public record Claim(
      String queue,
      String partition,
      UUID partitionId,
      int deliveryAttempt,
      int messageCount,
      List<Run> runs) {}

  /**
   * Messages of one segment: {@code count} frames after the first {@code skip} of {@code frames}.
   *
   * @param createdAtMicros since the epoch, shared by the segment's messages
   * @param frames unpacked, to be read with {@code Frames.Reader}; shared, never to be changed
   */
  public record Run(long firstOffset, long createdAtMicros, byte[] frames, int skip, int count) {}
}
