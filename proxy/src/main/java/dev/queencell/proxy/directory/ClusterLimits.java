package dev.queencell.proxy.directory;

import dev.queencell.service.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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
    long retentionSeconds,
    long retainedBytes) {

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
        read(limits, "max_retention_seconds"),
        read(limits, "max_retained_bytes"));
  }

  ObjectNode json() {
    var limits = Json.object();
    write(limits, "max_req_per_sec", requestsPerSecond);
    write(limits, "req_burst", requestBurst);
    write(limits, "max_msgs_per_sec", messagesPerSecond);
    write(limits, "msgs_burst", messageBurst);
    write(limits, "max_queues", queues);
    write(limits, "max_partitions_per_queue", partitionsPerQueue);
    write(limits, "max_parked_pops", parkedPops);
    write(limits, "max_payload_bytes", payloadBytes);
    write(limits, "max_batch_items", batchItems);
    write(limits, "max_retention_seconds", retentionSeconds);
    write(limits, "max_retained_bytes", retainedBytes);
    return limits;
  }

  private static void write(ObjectNode limits, String name, long value) {
    if (value != UNLIMITED) {
      limits.put(name, value);
    }
  }

  private static long read(JsonNode limits, String name) {
    var value = limits.path(name);
    return value.isNumber() ? value.longValue() : UNLIMITED;
  }
}
