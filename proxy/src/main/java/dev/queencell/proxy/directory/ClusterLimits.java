package dev.queencell.proxy.directory;

import tools.jackson.databind.JsonNode;

/** A cluster's limits in force; {@link #UNLIMITED} where there is none. */
public record ClusterLimits(
    long requestsPerSecond,
    long requestBurst,
    long messagesPerSecond,
    long messageBurst,
    long queues,
    long partitionsPerQueue,
    long parkedPops,
    long payloadBytes,
    long batchItems,
    long retentionSeconds) {

  public static final long UNLIMITED = -1;

  static ClusterLimits of(JsonNode limits) {
    return new ClusterLimits(
        read(limits, "max_req_per_sec"),
        read(limits, "req_burst"),
        read(limits, "max_msgs_per_sec"),
        read(limits, "msgs_burst"),
        read(limits, "max_queues"),
        read(limits, "max_partitions_per_queue"),
        read(limits, "max_parked_pops"),
        read(limits, "max_payload_bytes"),
        read(limits, "max_batch_items"),
        read(limits, "max_retention_seconds"));
  }

  private static long read(JsonNode limits, String name) {
    var value = limits.path(name);
    return value.isNumber() ? value.longValue() : UNLIMITED;
  }
}
