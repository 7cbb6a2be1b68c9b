package dev.queencell.broker.engine;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * The consumer groups of a broker: what they are at, and how they are moved and removed. Everything
 * is one tenant's; a group or queue of another is as good as missing. Thread-safe; throws like
 * {@link Engine}.
 */
public interface Groups {

  /** Every group of a tenant, once for each queue that it reads. */
  List<GroupView> list(UUID tenant);

  /** The places of one group on all queues, ordered by queue and partition. */
  List<CursorView> places(UUID tenant, String group);

  /**
   * The places of all groups whose oldest message left is at least this old, the oldest first; no
   * more than {@link Limits#LAGGING_PLACES_MAX}.
   */
  List<CursorView> lagging(UUID tenant, long minLagSeconds);

  /**
   * Changes since when a group wants messages, on every queue that it subscribed to. Places that it
   * has stay where they are.
   *
   * @return the number of queues
   */
  int resubscribe(UUID tenant, String group, Instant from);

  /**
   * Moves a group on a whole queue: live leases end, and what follows the new place is delivered
   * again.
   *
   * @param from the first message written since then is the next; null: behind the last
   * @return the number of partitions; empty when the queue is missing or has none
   */
  OptionalInt seek(UUID tenant, String group, String queue, Instant from);

  /** Like {@link #seek} on one partition; false when it is missing. */
  boolean seekPartition(UUID tenant, String group, String queue, String partition, Instant from);

  /**
   * Removes a group's places, and so ends its leases and waiting pops. Its next pop is a first one.
   *
   * @param queue null: on all queues
   * @param deleteMetadata removes its subscriptions too; else they decide where it starts anew
   * @return the number of places
   */
  int delete(UUID tenant, String group, String queue, boolean deleteMetadata);
}
