package dev.queencell.broker.http;

import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.service.HttpProblem;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.UUID;

/**
 * The query parameters of a pop, with their defaults.
 *
 * @param group never null
 * @param timeoutMs from 0 up to the limit; counts only for a long poll
 */
record PopQuery(
    int batch,
    int partitions,
    boolean autoAck,
    boolean longPoll,
    long timeoutMs,
    int leaseSeconds,
    String group,
    boolean fromNew,
    Instant from,
    String namespace,
    String task) {

  /**
   * Reads them.
   *
   * @throws HttpProblem 400 when one can't be read, or when they contradict each other
   */
  static PopQuery of(Context ctx, ApiConfig config) {
    return of(Query.of(ctx), config);
  }

  static PopQuery of(Query query, ApiConfig config) {
    var group = query.text("consumerGroup");
    boolean autoAck = query.flag("autoAck");
    boolean queueMode = group == null || group.equals(PopRequest.QUEUE_MODE);
    // Accepted without effect for now: nothing is conflated, and no answer claims so.
    if (query.flag("conflation") && (group == null || autoAck)) {
      throw HttpProblem.badRequest("conflation needs a consumerGroup and no autoAck");
    }
    query.flag("autopilot");
    var from = query.text("subscriptionFrom");
    return new PopQuery(
        Math.clamp(query.integer("batch", PopRoutes.BATCH_DEFAULT), 1, Limits.BATCH_MAX),
        query.integer("partitions", 1),
        autoAck,
        query.flag("wait"),
        Math.clamp(
            (long) query.integer("timeout", config.popDefaultTimeoutMs()), 0, Limits.WAIT_MS_MAX),
        Math.min(query.integer("leaseSeconds", 0), Limits.LEASE_SECONDS_MAX),
        queueMode ? PopRequest.QUEUE_MODE : Names.checked(group, "consumerGroup"),
        !queueMode && fromNew(query.text("subscriptionMode"), from, config.subscribeFromNew()),
        queueMode || from == null ? null : Times.parse(from),
        checkedOrNull(query, "namespace"),
        checkedOrNull(query, "task"));
  }

  PopRequest request(UUID tenant, String queue, String partition, long waitMs) {
    return new PopRequest(
        tenant,
        queue == null ? null : Names.checked(queue, "queue"),
        partition == null ? null : Names.checked(partition, "partition"),
        queue == null ? namespace : null,
        queue == null ? task : null,
        group,
        batch,
        partitions,
        autoAck,
        waitMs,
        leaseSeconds,
        fromNew,
        from);
  }

  private static boolean fromNew(String mode, String from, boolean fallback) {
    if ("now".equals(from)) {
      return true;
    }
    return switch (mode) {
      case "all" -> false;
      // Older clients' word for the same.
      case "new", "new-only" -> true;
      case null, default -> fallback;
    };
  }

  private static String checkedOrNull(Query query, String name) {
    var value = query.text(name);
    return value == null ? null : Names.checked(value, name);
  }
}
