package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /api/v1/consumer-groups}: who reads what, how far behind, and moving and removing them.
 */
final class GroupRoutes {
  private static final String ALL = "/api/v1/consumer-groups";
  private static final String ONE = ALL + "/{group}";
  private static final String ON_QUEUE = ONE + "/queues/{queue}";
  private static final int BODY_BYTES_MAX = 64 * 1024;
  private static final int MIN_LAG_SECONDS = 3600;

  private final Engine engine;
  private final Tenancy tenancy;
  private final BodyBudget bodies;

  GroupRoutes(Engine engine, Tenancy tenancy, BodyBudget bodies) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.bodies = bodies;
  }

  void register(RoutesConfig routes) {
    routes.get(ALL, this::list);
    // Before the route whose parameter would take its last word for a group.
    routes.get(ALL + "/lagging", this::lagging);
    routes.get(ONE, this::detail);
    routes.delete(ONE, ctx -> delete(ctx, null));
    routes.post(ONE + "/subscription", this::resubscribe);
    routes.post(ON_QUEUE + "/seek", this::seek);
    routes.post(ON_QUEUE + "/partitions/{partition}/seek", this::seekPartition);
    routes.delete(ON_QUEUE, ctx -> delete(ctx, ctx.pathParam("queue")));
  }

  private void list(Context ctx) throws IOException {
    var groups = engine.groups().list(tenancy.of(ctx));
    HttpServer.json(ctx, 200, Json.bytes(GroupDocuments.list(groups)));
  }

  private void lagging(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    int seconds = Query.of(ctx).integer("minLagSeconds", MIN_LAG_SECONDS);
    var places = engine.groups().lagging(tenant, seconds);
    HttpServer.json(ctx, 200, Json.bytes(GroupDocuments.lagging(places)));
  }

  private void detail(Context ctx) throws IOException {
    var places = engine.groups().places(tenancy.of(ctx), ctx.pathParam("group"));
    Answer.send(ctx, 200, GroupDocuments.detail(places));
  }

  private void resubscribe(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var group = ctx.pathParam("group");
    var text = text(body(ctx).get("subscriptionTimestamp"));
    if (text == null || text.isEmpty()) {
      throw HttpProblem.badRequest("subscriptionTimestamp is required");
    }
    int queues = engine.groups().resubscribe(tenant, group, instant(text, "subscriptionTimestamp"));
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("success", true)
            .put("consumerGroup", group)
            .put("newTimestamp", text)
            .put("rowsUpdated", queues));
  }

  /**
   * Where a seek goes.
   *
   * @param timestamp as it was sent; null for the end
   */
  private record Target(String timestamp, Instant from) {
    ObjectNode putInto(ObjectNode answer) {
      return answer.put("seekToEnd", from == null).put("targetTimestamp", timestamp);
    }
  }

  /** Reads where a seek goes; null when the body does not say. */
  private Target target(Context ctx) throws IOException {
    var body = body(ctx);
    var toEnd = body.get("toEnd");
    if (toEnd != null && toEnd.isBoolean() && toEnd.booleanValue()) {
      return new Target(null, null);
    }
    var text = text(body.get("timestamp"));
    return text == null || text.isEmpty() ? null : new Target(text, instant(text, "timestamp"));
  }

  private void seek(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var group = checkedGroup(ctx);
    var queue = ctx.pathParam("queue");
    var target = target(ctx);
    if (target == null) {
      throw HttpProblem.badRequest("Must specify toEnd=true or a timestamp");
    }
    var moved = engine.groups().seek(tenant, group, queue, target.from());
    if (moved.isEmpty()) {
      var missing =
          Json.object()
              .put("success", false)
              .put("error", "Queue not found or has no partitions")
              .put("consumerGroup", group)
              .put("queueName", queue)
              .put("partitionsUpdated", 0);
      Answer.send(ctx, 404, missing);
      return;
    }
    var answer =
        Json.object().put("success", true).put("consumerGroup", group).put("queueName", queue);
    Answer.send(ctx, 200, target.putInto(answer).put("partitionsUpdated", moved.getAsInt()));
  }

  private void seekPartition(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var group = checkedGroup(ctx);
    var queue = ctx.pathParam("queue");
    var partition = ctx.pathParam("partition");
    var given = target(ctx);
    // Without a body the end is meant.
    var target = given == null ? new Target(null, null) : given;
    if (!engine.groups().seekPartition(tenant, group, queue, partition, target.from())) {
      Answer.send(
          ctx, 404, Json.object().put("success", false).put("error", "Partition not found"));
      return;
    }
    var answer =
        Json.object()
            .put("success", true)
            .put("consumerGroup", group)
            .put("queueName", queue)
            .put("partitionName", partition);
    Answer.send(ctx, 200, target.putInto(answer).put("updated", true));
  }

  private void delete(Context ctx, String queue) throws IOException {
    var tenant = tenancy.of(ctx);
    var group = ctx.pathParam("group");
    boolean metadata = deletesMetadata(Query.of(ctx).text("deleteMetadata"));
    int places = engine.groups().delete(tenant, group, queue, metadata);
    var answer = Json.object().put("success", true).put("consumerGroup", group);
    if (queue != null) {
      answer.put("queueName", queue);
    }
    Answer.send(ctx, 200, answer.put("deletedPartitions", places).put("metadataDeleted", metadata));
  }

  private static boolean deletesMetadata(String value) {
    return switch (value == null ? "true" : value.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes" -> true;
      case "false", "0", "no" -> false;
      default ->
          throw HttpProblem.badRequest(
              "bad query: deleteMetadata is '%s'; it takes true or false".formatted(value));
    };
  }

  /** A seek creates the group, so that its name must be one. */
  private static String checkedGroup(Context ctx) {
    return Names.checked(ctx.pathParam("group"), "group");
  }

  private ObjectNode body(Context ctx) throws IOException {
    try (var body = bodies.read(ctx, BODY_BYTES_MAX)) {
      int invalid = Utf8.firstInvalid(body.bytes());
      if (invalid >= 0) {
        throw BodyScan.bad("invalid UTF-8 at byte " + invalid);
      }
      return Json.readObject(body.bytes());
    }
  }

  private static String text(JsonNode value) {
    return value != null && value.isString() ? value.stringValue() : null;
  }

  private static Instant instant(String text, String field) {
    var instant = Times.parse(text);
    if (instant == null) {
      throw HttpProblem.badRequest(
          "%s is '%s'; it takes a time like 2026-01-31T12:00:00Z or a date like 2026-01-31"
              .formatted(field, text));
    }
    return instant;
  }
}
