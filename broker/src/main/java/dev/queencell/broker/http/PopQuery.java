package dev.queencell.broker.http;

import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.http.ApiConfig.Autopilot.Mode;
import dev.queencell.service.HttpProblem;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.UUID;

/**
 * The query parameters of a pop, with their defaults.
 *
 * @param batch as it was sent, or the default
 * @param batchSent whether it was sent
 * @param partitionsSent whether {@code partitions} was sent
 * @param group never null
 * @param timeoutMs from 0 up to the limit; counts only for a long poll
 * @param timeoutSent whether {@code timeout} was sent
 * @param autopilot who takes the knobs that were not sent
 */
record PopQuery(
    int batch,
    boolean batchSent,
    int partitions,
    boolean partitionsSent,
    boolean autoAck,
    boolean longPoll,
    long timeoutMs,
    boolean timeoutSent,
    int leaseSeconds,
    String group,
    boolean fromNew,
    Instant from,
    boolean conflation,
    ApiConfig.Autopilot.Mode autopilot,
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
    boolean conflation = query.flag("conflation");
    if (conflation && (group == null || autoAck)) {
      throw HttpProblem.badRequest("conflation needs a consumerGroup and no autoAck");
    }
    var from = query.text("subscriptionFrom");
    return new PopQuery(
        Math.clamp(query.integer("batch", PopRoutes.BATCH_DEFAULT), 1, Limits.BATCH_MAX),
        query.text("batch") != null,
        query.integer("partitions", 1),
        query.text("partitions") != null,
        autoAck,
        query.flag("wait"),
        Math.clamp(
            (long) query.integer("timeout", config.popDefaultTimeoutMs()), 0, Limits.WAIT_MS_MAX),
        query.text("timeout") != null,
        Math.min(query.integer("leaseSeconds", 0), Limits.LEASE_SECONDS_MAX),
        queueMode ? PopRequest.QUEUE_MODE : Names.checked(group, "consumerGroup"),
        !queueMode && fromNew(query.text("subscriptionMode"), from, config.subscribeFromNew()),
        queueMode || from == null ? null : Times.parse(from),
        conflation,
        query.flag("autopilot") && group != null && !conflation
            ? config.autopilot().mode()
            : Mode.OFF,
        checkedOrNull(query, "namespace"),
        checkedOrNull(query, "task"));
  }

  /** The mode of autopilot for a pop on this route. */
  private Mode mode(String queue, String partition) {
    return queue != null && partition == null ? autopilot : Mode.OFF;
  }

  /**
   * What autopilot chooses for a pop on this route.
   *
   * @param autopilotBatch messages wanted where it chooses
   */
  PopAnswer.Chosen chosen(String queue, String partition, int autopilotBatch) {
    boolean chooses = mode(queue, partition) == Mode.ON;
    return new PopAnswer.Chosen(
        chooses && !batchSent ? autopilotBatch : 0,
        chooses && longPoll && !timeoutSent ? timeoutMs : 0);
  }

  /** The wish of a pop on this route. */
  PopRequest request(
      UUID tenant, String queue, String partition, long waitMs, PopAnswer.Chosen chosen) {
    var width =
        partitionsSent
            ? PopRequest.Width.SENT
            : switch (mode(queue, partition)) {
              case ON -> PopRequest.Width.AUTOPILOT;
              case SHADOW -> PopRequest.Width.SHADOW;
              case OFF -> PopRequest.Width.DEFAULT;
            };
    return new PopRequest(
        tenant,
        queue == null ? null : Names.checked(queue, "queue"),
        partition == null ? null : Names.checked(partition, "partition"),
        queue == null ? namespace : null,
        queue == null ? task : null,
        group,
        chosen.batch() > 0 ? chosen.batch() : batch,
        partitions,
        autoAck,
        waitMs,
        leaseSeconds,
        fromNew,
        from,
        width,
        conflation);
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
