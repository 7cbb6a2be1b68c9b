package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.body.UnreadableBodyException;
import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.ClusterUse;
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
  private final LimitNotes notes;

  Quota(EdgePolicy policy, LimitNotes notes) {
    this.policy = policy;
    this.notes = notes;
  }

  /** One request of any kind. */
  void takeRequest(ClusterView cluster, ClusterUse use) {
    int waitSeconds = use.takeRequest();
    if (waitSeconds != ClusterUse.GRANTED) {
      refuse(cluster, "requests", Refusals.rateLimited("request rate limit exceeded", waitSeconds));
    }
  }

  /** A body that carries messages. */
  void takePush(ClusterView cluster, ClusterUse use, byte[] body, PushScan.Shape shape) {
    var limits = cluster.limits();
    boolean capsQueues =
        limits.queues() != ClusterLimits.UNLIMITED
            || limits.partitionsPerQueue() != ClusterLimits.UNLIMITED;
    var found = scan(body, shape, capsQueues);
    if (found == null) {
      // The broker answers its own 400.
      return;
    }
    refuseOversize(limits, found, shape);
    admit(cluster, use, found.pairs());
    int waitSeconds = use.takeMessages(found.items());
    if (waitSeconds != ClusterUse.GRANTED) {
      refuse(cluster, "messages", Refusals.rateLimited("message rate limit exceeded", waitSeconds));
    }
  }

  /** Lanes that a request is about to create. */
  void admit(ClusterView cluster, ClusterUse use, List<PushScan.Pair> pairs) {
    var limits = cluster.limits();
    for (var pair : pairs) {
      var verdict = use.queues().admit(pair.queue(), pair.partition(), limits);
      if (verdict == QueueRegistry.Verdict.TOO_MANY_QUEUES) {
        refuse(
            cluster,
            "queues",
            Refusals.quotaExceeded("one more queue would exceed max_queues = " + limits.queues()));
      } else if (verdict == QueueRegistry.Verdict.TOO_MANY_PARTITIONS) {
        refuse(
            cluster,
            "partitions",
            Refusals.quotaExceeded(
                "one more partition of this queue would exceed max_partitions_per_queue = "
                    + limits.partitionsPerQueue()));
      }
    }
  }

  /** A place for a pop that may wait; the caller gives it back, unless this refuses. */
  void park(ClusterView cluster, ClusterUse use) {
    if (use.park(policy.cellParkedMax())) {
      return;
    }
    if (policy.enforce()) {
      use.unpark();
    }
    refuse(
        cluster,
        "parked_pops",
        Refusals.rateLimited("too many waiting pops", PARKED_RETRY_SECONDS));
  }

  /** Refuses if limits are enforced, else notes that it would have. */
  void refuse(ClusterView cluster, String limit, HttpProblem refusal) {
    if (policy.enforce()) {
      notes.blocked(cluster, limit);
      throw refusal;
    }
    notes.wouldBlock(cluster, limit);
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
