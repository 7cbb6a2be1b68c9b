package dev.queencell.broker.http;

import dev.queencell.broker.engine.QueueView;
import dev.queencell.broker.engine.QueueView.PartitionView;
import dev.queencell.broker.store.QueueOptions;
import dev.queencell.service.Json;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The documents of the management routes. A key of the contract whose value nobody counts here is
 * {@code null}, never a made-up number.
 */
final class QueueDocuments {
  private QueueDocuments() {}

  /** The options that are the queue's own, without its namespace and task. */
  static ObjectNode options(QueueOptions o) {
    var document = contractOptions(o);
    // Options of this broker alone show only where they are used.
    if (o.backPressure()) {
      document.put("backPressure", true);
    }
    if (o.relaxesLeases()) {
      document.put("leaseDurability", o.leaseDurability());
    }
    return document;
  }

  /** The options that are stored with a default which is not enforced, and that were asked for. */
  static ArrayNode enforced(QueueOptions o) {
    var names = Json.mapper().createArrayNode();
    if (o.ttlEnforced()) {
      names.add("ttl");
    }
    if (o.retryDelayEnforced()) {
      names.add("retryDelay");
    }
    return names;
  }

  private static ObjectNode contractOptions(QueueOptions o) {
    return Json.object()
        .put("leaseTime", o.leaseTime())
        .put("retryLimit", o.retryLimit())
        .put("deadLetterQueue", o.deadLetterQueue())
        .put("dlqAfterMaxRetries", o.dlqAfterMaxRetries())
        .put("delayedProcessing", o.delayedProcessing())
        .put("windowBuffer", o.windowBuffer())
        .put("minPopWaitTime", o.minPopWaitTime())
        .put("retentionEnabled", o.retentionEnabled())
        .put("retentionSeconds", o.retentionSeconds())
        .put("completedRetentionSeconds", o.completedRetentionSeconds())
        .put("maxWaitTimeSeconds", o.maxWaitTimeSeconds())
        .put("encryptionEnabled", o.encryptionEnabled())
        .put("dedupWindowSeconds", o.dedupWindowSeconds())
        .put("retentionSinkHold", o.retentionSinkHold())
        .put("retentionSinkHoldMaxSeconds", o.retentionSinkHoldMaxSeconds())
        .put("priority", o.priority())
        .put("ttl", o.ttl())
        .put("maxSize", o.maxSize())
        .put("retryDelay", o.retryDelay());
  }

  static ObjectNode list(List<QueueView> queues) {
    var document = Json.object();
    var array = document.putArray("queues");
    for (var queue : queues) {
      var entry = identity(queue).put("partitions", queue.partitionCount());
      array.add(storage(entry, queue));
      entry
          .putObject("messages")
          .put("total", queue.retained())
          .put("pending", queue.pending())
          .put("processing", queue.processing());
    }
    return document;
  }

  static ObjectNode detail(QueueView queue) {
    var document = identity(queue);
    var options = options(queue.options());
    options.put("namespace", queue.namespace()).put("task", queue.task());
    document.set("options", options);
    document.set("enforced", enforced(queue.options()));
    var partitions = document.putArray("partitions");
    for (var partition : queue.partitions()) {
      var entry =
          partitions
              .addObject()
              .put("id", partition.id().toString())
              .put("name", partition.name())
              .put("createdAt", Times.text(partition.createdAt()));
      entry.set(
          "stats",
          stats(
              partition.retained(),
              partition.pending(),
              partition.processing(),
              partition.deadLetters()));
      entry
          .put("oldestMessage", text(partition.oldestMessage()))
          .put("newestMessage", text(partition.newestMessage()));
    }
    document.set(
        "totals",
        stats(queue.retained(), queue.pending(), queue.processing(), queue.deadLetters()));
    return storage(document, queue);
  }

  /**
   * The backlog of a queue. A group that conflates has one message to come per partition.
   *
   * @param group the group it was counted for, or null
   */
  static ObjectNode depth(QueueView queue, String group) {
    long pendingPartitions = queue.partitions().stream().filter(p -> p.pending() > 0).count();
    long readyPartitions = queue.partitions().stream().filter(p -> ready(p) > 0).count();
    long ready = queue.partitions().stream().mapToLong(QueueDocuments::ready).sum();
    var document =
        Json.object()
            .put("queue", queue.name())
            .put("group", group)
            .put("pending", queue.pending())
            .put("processing", queue.pending() - ready)
            .put("ready", ready)
            .put("partitionsPending", pendingPartitions)
            .put("partitionsReady", readyPartitions)
            .put("conflation", queue.conflation())
            .put("effectivePending", queue.conflation() ? pendingPartitions : queue.pending())
            .put("effectiveReady", queue.conflation() ? readyPartitions : ready);
    var partitions = document.putArray("partitions");
    for (var partition : queue.partitions()) {
      partitions
          .addObject()
          .put("partition", partition.name())
          .put("pending", partition.pending())
          .put("processing", partition.pending() - ready(partition))
          .put("ready", ready(partition));
    }
    return document;
  }

  private static ObjectNode identity(QueueView queue) {
    return Json.object()
        .put("id", queue.id().toString())
        .put("name", queue.name())
        .put("namespace", queue.namespace())
        .put("task", queue.task())
        .put("createdAt", Times.text(queue.createdAt()));
  }

  private static ObjectNode storage(ObjectNode document, QueueView queue) {
    document.put("retainedBytes", queue.retainedBytes());
    document
        .putObject("segments")
        .put("segments", queue.segments())
        .put("messages", queue.retained());
    return document;
  }

  private static String text(Instant time) {
    return time == null ? null : Times.text(time);
  }

  private static ObjectNode stats(long retained, long pending, long processing, long deadLetters) {
    return Json.object()
        .put("total", retained)
        .put("pending", pending)
        .put("processing", processing)
        .put("completed", Math.max(0, retained - pending))
        .putNull("failed")
        .put("deadLetter", deadLetters);
  }

  /** Messages under a live lease can't exceed those that are pending. */
  private static long ready(PartitionView partition) {
    return Math.max(0, partition.pending() - partition.processing());
  }
}
