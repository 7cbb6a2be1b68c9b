package dev.queencell.client;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A queue as the broker lists it.
 *
 * @param partitions how many it has
 * @param messages messages it holds
 * @param pending messages that the slowest group has not completed
 * @param options effective options; empty in a listing
 */
public record QueueInfo(
    String name,
    String namespace,
    String task,
    long partitions,
    long messages,
    long pending,
    Map<String, Object> options) {

  static QueueInfo of(JsonNode node) {
    var partitions = node.path("partitions");
    var counts = node.has("totals") ? node.path("totals") : node.path("messages");
    var options = new java.util.LinkedHashMap<String, Object>();
    for (var option : node.path("options").properties()) {
      options.put(option.getKey(), HttpExchange.JSON.treeToValue(option.getValue(), Object.class));
    }
    return new QueueInfo(
        node.path("name").asString(""),
        node.path("namespace").asString(""),
        node.path("task").asString(""),
        partitions.isArray() ? partitions.size() : partitions.asLong(0),
        counts.path("total").asLong(0),
        counts.path("pending").asLong(0),
        options);
  }
}
