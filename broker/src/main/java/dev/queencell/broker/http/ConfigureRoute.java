package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /api/v1/configure}: creates a queue or changes its options. */
final class ConfigureRoute {
  /** Some tens of options fit many times; a tree of more would cost memory for nothing. */
  private static final int BODY_BYTES_MAX = 1024 * 1024;

  private static final String SINK_HOLD = "retentionSinkHold";
  private static final String SINK_HOLD_MAX = "retentionSinkHoldMaxSeconds";
  private static final Pattern SINK_HOLD_PATTERN = Pattern.compile("[A-Za-z0-9._-]{0,64}");
  private static final long SINK_HOLD_SECONDS_MIN = 60;
  private static final long SINK_HOLD_SECONDS_MAX = 31_536_000;

  /** Top-level keys that are no options when the options stand at the top level. */
  private static final List<String> NO_OPTIONS = List.of("queue", "options", "mode", "replace");

  private final Engine engine;
  private final Tenancy tenancy;
  private final BodyBudget bodies;

  ConfigureRoute(Engine engine, Tenancy tenancy, BodyBudget bodies) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.bodies = bodies;
  }

  void register(RoutesConfig routes) {
    routes.post("/api/v1/configure", this::configure);
  }

  private void configure(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    ObjectNode request;
    try (var body = bodies.read(ctx, BODY_BYTES_MAX)) {
      int invalid = Utf8.firstInvalid(body.bytes());
      if (invalid >= 0) {
        throw BodyScan.bad("invalid UTF-8 at byte " + invalid);
      }
      request = Json.readObject(body.bytes());
    }
    var queue = queueName(request);
    boolean replace = replaces(request.get("mode"));
    var options = options(request);
    var refusal = sinkHoldRefusal(options);
    if (refusal != null) {
      Answer.send(ctx, 400, refusal);
      return;
    }
    var namespace = place(request, options, "namespace");
    var task = place(request, options, "task");
    try {
      var view = engine.configure(tenant, queue, namespace, task, options, replace);
      var answer =
          Json.object()
              .put("configured", true)
              .put("queueId", view.id().toString())
              .putNull("partitionId")
              .put("queue", view.name())
              .put("namespace", view.namespace())
              .put("task", view.task())
              .put("storage", "segments");
      answer.set("options", QueueDocuments.options(view.options()));
      answer.set("enforced", QueueDocuments.enforced(view.options()));
      Answer.send(ctx, 200, answer);
    } catch (IllegalArgumentException e) {
      throw HttpProblem.badRequest(e.getMessage());
    }
  }

  private static String queueName(ObjectNode request) {
    var queue = request.get("queue");
    if (queue == null || queue.isNull()) {
      throw BodyScan.bad("queue is missing");
    }
    if (!queue.isString()) {
      throw BodyScan.bad("queue must be a string");
    }
    var problem = Names.problemOf(queue.stringValue());
    if (problem != null) {
      throw BodyScan.bad("queue " + problem);
    }
    return queue.stringValue();
  }

  private static boolean replaces(JsonNode mode) {
    if (mode == null || mode.isNull()) {
      return false;
    }
    return switch (mode.isString() ? mode.stringValue() : "") {
      case "merge" -> false;
      case "replace" -> true;
      default -> throw HttpProblem.badRequest("mode must be \"merge\" or \"replace\", got " + mode);
    };
  }

  private static ObjectNode options(ObjectNode request) {
    var options = request.get("options");
    if (options instanceof ObjectNode object) {
      object.remove("replace");
      return object;
    }
    if (options != null && !options.isNull()) {
      throw BodyScan.bad("options must be an object");
    }
    var rest = request.deepCopy();
    rest.remove(NO_OPTIONS);
    return rest;
  }

  /**
   * Where the queue belongs: the top level wins when it says something. Null keeps what is stored,
   * an empty text resets it. Taken out of {@code options}, since it is no option of the store.
   */
  private static String place(ObjectNode request, ObjectNode options, String key) {
    var top = request.get(key);
    boolean given = options.has(key);
    var option = options.remove(key);
    if (top != null && top.isString() && !top.stringValue().isEmpty()) {
      return placeName(top, key);
    }
    if (!given) {
      return null;
    }
    return option.isNull() ? "" : placeName(option, key);
  }

  private static String placeName(JsonNode value, String key) {
    if (!value.isString()) {
      throw BodyScan.bad(key + " must be a string");
    }
    var problem = Names.problemOf(value.stringValue());
    if (problem != null) {
      throw BodyScan.bad(key + " " + problem);
    }
    return value.stringValue();
  }

  /** The two options whose refusal has a shape of its own; null when they are fine. */
  private static ObjectNode sinkHoldRefusal(ObjectNode options) {
    var hold = options.get(SINK_HOLD);
    if (hold != null
        && !hold.isNull()
        && !(hold.isString() && SINK_HOLD_PATTERN.matcher(hold.stringValue()).matches())) {
      return invalid(SINK_HOLD, "must match " + SINK_HOLD_PATTERN);
    }
    var max = options.get(SINK_HOLD_MAX);
    if (max != null
        && !max.isNull()
        && !(max.isIntegralNumber()
            && max.canConvertToLong()
            && max.longValue() >= SINK_HOLD_SECONDS_MIN
            && max.longValue() <= SINK_HOLD_SECONDS_MAX)) {
      return invalid(
          SINK_HOLD_MAX,
          "must be from %d to %d".formatted(SINK_HOLD_SECONDS_MIN, SINK_HOLD_SECONDS_MAX));
    }
    return null;
  }

  private static ObjectNode invalid(String option, String what) {
    return Json.object().put("error", option + " " + what).put("invalid", option);
  }
}
