package dev.queencell.broker.engine;

import java.util.List;
import java.util.UUID;

/**
 * Messages handed out. Empty {@code claims}: there was nothing until the deadline.
 *
 * @param leaseId covers every claim; null for an auto-acknowledged pop or an empty answer
 * @param policy what the group's conflation policy did
 * @param width partitions that autopilot chose; 0: it chose nothing
 */
public record PopResult(UUID leaseId, List<Claim> claims, Policy policy, int width) {
  public static final PopResult EMPTY = new PopResult(null, List.of());

  public PopResult(UUID leaseId, List<Claim> claims) {
    this(leaseId, claims, Policy.PLAIN, 0);
  }

  /**
   * The stored policy of the groups that were asked.
   *
   * @param conflation one of them takes only the newest message of a partition
   * @param conflict one of them has another policy than the pop asked for
   */
  public record Policy(boolean conflation, boolean conflict) {
    public static final Policy PLAIN = new Policy(false, false);

    Policy and(Group group, PopRequest request) {
      boolean differs = group.conflation != request.conflation();
      return (!group.conflation || conflation) && (!differs || conflict)
          ? this
          : new Policy(conflation || group.conflation, conflict || differs);
    }
  }

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
