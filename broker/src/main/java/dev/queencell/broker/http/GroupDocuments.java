package dev.queencell.broker.http;

import dev.queencell.broker.engine.CursorView;
import dev.queencell.broker.engine.GroupView;
import dev.queencell.service.Json;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The documents of consumer groups. */
final class GroupDocuments {
  /** A group that is further behind than this is said to lag. */
  private static final long LAGGING_SECONDS = 300;

  private static final double SECONDS_PER_HOUR = 3600.0;

  private GroupDocuments() {}

  static ArrayNode list(List<GroupView> groups) {
    var array = Json.mapper().createArrayNode();
    for (var group : groups) {
      var entry = array.addObject().put("name", group.name());
      entry.putArray("topics").add(group.queue());
      entry
          .put("queueName", group.queue())
          .put("members", group.cursors())
          .put("partitionCursors", group.cursors())
          .put("partitionsWithLag", group.lagging())
          .put("totalLag", group.lag())
          .put("maxTimeLag", group.lagSeconds())
          .put("state", state(group))
          .put("storage", "segments")
          .put("subscriptionMode", group.mode())
          .put("subscriptionTimestamp", time(group.subscribedFrom()))
          .put("subscriptionCreatedAt", group.mode() == null ? null : time(group.createdAt()))
          .put("conflation", group.conflation());
    }
    return array;
  }

  private static String state(GroupView group) {
    if (group.lagSeconds() > LAGGING_SECONDS) {
      return "Lagging";
    }
    return group.consumed() ? "Stable" : "Dead";
  }

  static ArrayNode lagging(List<CursorView> places) {
    var array = Json.mapper().createArrayNode();
    for (var place : places) {
      array
          .addObject()
          .put("consumer_group", place.group())
          .put("queue_name", place.queue())
          .put("partition_name", place.partition())
          .put("partition_id", place.partitionId().toString())
          .put("worker_id", worker(place))
          .put("offset_lag", place.lag())
          .put("time_lag_seconds", place.lagSeconds())
          .put("lag_hours", place.lagSeconds() / SECONDS_PER_HOUR)
          .put("oldest_unconsumed_at", time(place.oldestAt()))
          .putNull("last_consumed_at");
    }
    return array;
  }

  /** A group by queue; its places are ordered by queue. */
  static ObjectNode detail(List<CursorView> places) {
    var document = Json.object();
    for (var place : places) {
      var queue =
          document.get(place.queue()) instanceof ObjectNode known
              ? known
              : document.putObject(place.queue()).put("conflation", place.conflation());
      var partitions =
          queue.get("partitions") instanceof ArrayNode known ? known : queue.putArray("partitions");
      partitions
          .addObject()
          .put("partition", place.partition())
          .put("workerId", worker(place))
          .putNull("lastConsumedAt")
          .put("totalConsumed", place.completed())
          .put("offsetLag", place.lag())
          .put("timeLagSeconds", place.lagSeconds())
          .put("leaseActive", place.leaseId() != null);
    }
    return document;
  }

  /** Who works on a place is known by its lease. */
  private static String worker(CursorView place) {
    return place.leaseId() == null ? null : place.leaseId().toString();
  }

  private static String time(Instant instant) {
    return instant == null ? null : Times.text(instant);
  }
}
