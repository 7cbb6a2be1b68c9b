package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.body.UnreadableBodyException;
import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.ClusterUse;
import dev.queencell.proxy.limit.Inventory;
import dev.queencell.proxy.limit.QueueRegistry;
import dev.queencell.service.HttpProblem;
import java.util.List;

/**
 * How much a cluster may do: steps 7 to 11 of the contract. Sizes are always enforced; rates,
 * parked places and the number of queues only when the operator said so, and noted otherwise.
 *
 * <p>Thread-safe.
 */
final class Quota {
  private static final int PARKED_RETRY_SECONDS = 5;

  private final EdgePolicy policy;
  private final Enforcement enforcement;
  private final Inventory inventory;
  private final LimitNotes notes;

  Quota(EdgePolicy policy, Enforcement enforcement, Inventory inventory, LimitNotes notes) {
    this.policy = policy;
    this.enforcement = enforcement;
    this.inventory = inventory;
    this.notes = notes;
  }

  /** One request of any kind. */
  void takeRequest(ClusterView cluster, ClusterUse use, Pass pass) {
    int waitSeconds = use.takeRequest();
    if (waitSeconds != ClusterUse.GRANTED) {
      refuse(
          cluster,
          pass,
          "requests",
          Refusals.rateLimited("request rate limit exceeded", waitSeconds));
    }
  }

  /**
   * A body that carries messages.
   *
   * @return what it carries, for which room was taken; null when the broker has to refuse it
   */
  PushScan.Found takePush(
      ClusterView cluster, ClusterUse use, Pass pass, byte[] body, PushScan.Shape shape) {
    var found = look(cluster, body, shape);
    if (found != null) {
      take(cluster, use, pass, found, false);
    }
    return found;
  }

  /**
   * What a body carries, if its size allows it; null when the broker has to refuse it. Takes
   * nothing.
   */
  PushScan.Found look(ClusterView cluster, byte[] body, PushScan.Shape shape) {
    var limits = cluster.limits();
    boolean capsQueues =
        limits.queues() != ClusterLimits.UNLIMITED
            || limits.partitionsPerQueue() != ClusterLimits.UNLIMITED;
    var found = scan(body, shape, capsQueues);
    if (found == null) {
      notes.unreadable(cluster);
      return null;
    }
    refuseOversize(limits, found, shape);
    return found;
  }

  /** True when all lanes that a body names are known, so that nobody has to be asked. */
  static boolean lanesAreKnown(ClusterView cluster, ClusterUse use, PushScan.Found found) {
    for (var pair : found.pairs()) {
      if (!use.queues().isKnown(pair.queue(), pair.partition(), cluster.limits())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Takes room, lanes and messages.
   *
   * @param lanesAreKnown from {@link #lanesAreKnown}; false may ask the broker
   */
  void take(
      ClusterView cluster, ClusterUse use, Pass pass, PushScan.Found found, boolean lanesAreKnown) {
    // Always enforced.
    if (found.items() > 0
        && !use.storage().take(found.payloadBytes(), cluster.limits().retainedBytes())) {
      notes.blocked(cluster, "storage");
      throw Refusals.storageExceeded();
    }
    try {
      if (!lanesAreKnown) {
        admit(cluster, use, pass, found.pairs());
      }
      takeMessages(cluster, use, pass, found.items());
    } catch (HttpProblem e) {
      use.storage().giveBack(found.payloadBytes());
      throw e;
    }
  }

  /** A body whose messages are kept in memory alone: it takes neither queues nor room. */
  void takeEphemeral(ClusterView cluster, ClusterUse use, Pass pass, byte[] body) {
    var found = scan(body, PushScan.Shape.PUSH, false);
    if (found == null) {
      notes.unreadable(cluster);
      return;
    }
    refuseOversize(cluster.limits(), found, PushScan.Shape.PUSH);
    takeMessages(cluster, use, pass, found.items());
  }

  /** Lanes that a request is about to create. */
  void admit(ClusterView cluster, ClusterUse use, Pass pass, List<PushScan.Pair> pairs) {
    var limits = cluster.limits();
    for (var pair : pairs) {
      if (pass.isPassedOver()) {
        return;
      }
      var verdict = use.queues().admit(pair.queue(), pair.partition(), cluster, inventory);
      if (verdict == QueueRegistry.Verdict.TOO_MANY_QUEUES) {
        refuse(
            cluster,
            pass,
            "queues",
            Refusals.quotaExceeded("one more queue would exceed max_queues = " + limits.queues()));
      } else if (verdict == QueueRegistry.Verdict.TOO_MANY_PARTITIONS) {
        refuse(
            cluster,
            pass,
            "partitions",
            Refusals.quotaExceeded(
                "one more partition of this queue would exceed max_partitions_per_queue = "
                    + limits.partitionsPerQueue()));
      }
    }
  }

  /**
   * A place for a pop that may wait.
   *
   * @return true when it is one of the cluster's own places, false when it is over the cap or was
   *     passed over before; the caller gives it back, unless this refuses
   */
  boolean park(ClusterView cluster, ClusterUse use, Pass pass) {
    if (!pass.isPassedOver()) {
      if (use.park(policy.cellParkedMax())) {
        return true;
      }
      refuse(
          cluster,
          pass,
          "parked_pops",
          Refusals.rateLimited("too many waiting pops", PARKED_RETRY_SECONDS));
    }
    use.parkOver();
    return false;
  }

  /** Messages were handed out. */
  static void debitDelivered(ClusterUse use, Pass pass, long messages) {
    if (!pass.isPassedOver()) {
      use.debitDelivered(messages);
    }
  }

  /** Refuses if limits are enforced, else notes that it would have. */
  void refuse(ClusterView cluster, Pass pass, String limit, HttpProblem refusal) {
    if (pass.isPassedOver()) {
      return;
    }
    if (enforcement.isOn()) {
      notes.blocked(cluster, limit);
      throw refusal;
    }
    pass.passOver();
    notes.wouldBlock(cluster, limit);
  }

  private void takeMessages(ClusterView cluster, ClusterUse use, Pass pass, long items) {
    if (pass.isPassedOver()) {
      return;
    }
    int waitSeconds = use.takeMessages(items);
    if (waitSeconds != ClusterUse.GRANTED) {
      var reason =
          use.isOverBurst(items)
              ? "message rate limit exceeded: %d messages at once are more than msgs_burst ever holds; send fewer"
                  .formatted(items)
              : "message rate limit exceeded";
      refuse(cluster, pass, "messages", Refusals.rateLimited(reason, waitSeconds));
    }
  }

  private static PushScan.Found scan(byte[] body, PushScan.Shape shape, boolean wantsPairs) {
    try {
      return PushScan.scan(body, shape, wantsPairs);
    } catch (UnreadableBodyException e) {
      throw Refusals.invalidRequest(e.getMessage());
    }
  }

  private void refuseOversize(ClusterLimits limits, PushScan.Found found, PushScan.Shape shape) {
    long itemsMax =
        limits.batchItems() == ClusterLimits.UNLIMITED
            ? policy.batchItemsMax()
            : limits.batchItems();
    if (found.items() > itemsMax && shape != PushScan.Shape.CYCLE) {
      throw Refusals.tooLarge(
          "the request carries %d messages; it takes at most %d"
              .formatted(found.items(), itemsMax));
    }
    long payloadMax = limits.payloadBytes();
    if (payloadMax != ClusterLimits.UNLIMITED && found.largestBytes() > payloadMax) {
      throw Refusals.tooLarge(
          "the payload of item %d is %d bytes; it takes at most %d"
              .formatted(found.largestIndex(), found.largestBytes(), payloadMax));
    }
  }
}
