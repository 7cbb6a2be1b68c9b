package dev.queencell.loader.run;

import dev.queencell.client.PopRequest;

/**
 * How messages are popped and acked.
 *
 * @param batch most messages per pop
 * @param partitions most lanes per pop; 0 for no cap
 * @param waitMs longest long poll; 0 doesn't wait
 * @param autoAck the broker acks inside the pop
 * @param emptySleepMs pause after an empty pop that didn't wait
 * @param ackAttempts attempts of an ack that fails
 * @param acksInFlight acks that a consumer may have underway while it goes on popping; 0 waits for
 *     each
 */
public record PopPlan(
    int batch,
    int partitions,
    long waitMs,
    boolean autoAck,
    int emptySleepMs,
    int ackAttempts,
    int acksInFlight) {

  /** A pop from any lanes of the member's queue. */
  public PopRequest fromQueue(Member member) {
    return complete(PopRequest.fromQueue(member.queue()).partitions(partitions), member.group());
  }

  /** A pop from one lane of it. */
  PopRequest fromPartition(Member member, String partition) {
    return complete(PopRequest.fromPartition(member.queue(), partition), member.group());
  }

  private PopRequest complete(PopRequest shape, String group) {
    var request = shape.batch(batch);
    if (!group.isEmpty()) {
      // Whatever was pushed before the group was first seen belongs to the run too.
      request = request.group(group).subscriptionMode("all");
    }
    request = autoAck ? request.autoAck() : request;
    return waitMs > 0 ? request.waitUpTo(waitMs) : request;
  }
}
