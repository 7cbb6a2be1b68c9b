package dev.queencell.broker.http;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.DeadLetters.DeadLetter;
import dev.queencell.broker.engine.DeadLetters.NotMovedException;
import dev.queencell.broker.engine.DeadLetters.Replay;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.maintenance.Maintenance;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * Dead letters: {@code /api/v1/dlq} lists, purges and replays them by row, {@code /api/v1/messages}
 * deletes and retries them by their message's address. A live message can be neither deleted nor
 * retried.
 */
final class DeadLetterRoutes {
  private static final int LIMIT_DEFAULT = 100;
  private static final int REPLAY_BODY_BYTES_MAX = 64 * 1024;
  private static final String ADDRESS = "/api/v1/messages/{partitionId}/{transactionId}";
  private static final String NOT_FOUND = "Message not found";
  private static final String NO_ROW_AT_ADDRESS =
      "No dead-letter row for this address. Only dead letters can be deleted or retried; a live"
          + " message can't.";
  private static final String NO_ROW =
      "No dead-letter row of this id. It was replayed, deleted or purged, or never was.";
  private static final String MAINTENANCE =
      "Push maintenance mode is on: nothing was changed. Try again when it is off.";

  private final Engine engine;
  private final Tenancy tenancy;
  private final BodyBudget bodies;
  private final Maintenance maintenance;
  private final PayloadCipher cipher;

  DeadLetterRoutes(Engine engine, Tenancy tenancy, BodyBudget bodies, Gates gates) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.bodies = bodies;
    this.maintenance = gates.maintenance();
    this.cipher = gates.cipher();
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/dlq", this::list);
    routes.delete("/api/v1/dlq", this::purge);
    routes.post("/api/v1/dlq/{id}/replay", this::replay);
    routes.delete(ADDRESS, this::delete);
    routes.post(ADDRESS + "/retry", this::retry);
  }

  private void list(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var query = Query.of(ctx);
    var page = Page.of(query, LIMIT_DEFAULT);
    var letters =
        engine
            .deadLetters()
            .list(
                tenant,
                named(query, "queue"),
                named(query, "consumerGroup"),
                page.limit(),
                page.offset());
    var out = new JsonOut(4096).raw(JsonOut.ascii("{\"messages\":["));
    for (int i = 0; i < letters.size(); i++) {
      if (i > 0) {
        out.raw(',');
      }
      write(out, letters.get(i));
    }
    out.raw(JsonOut.ascii("],\"pagination\":{\"limit\":")).number(page.limit());
    out.raw(JsonOut.ascii(",\"offset\":")).number(page.offset());
    out.raw(JsonOut.ascii("},\"total\":")).number(letters.size());
    Answer.send(ctx, 200, out.raw('}'));
  }

  private void write(JsonOut out, DeadLetter letter) {
    var payload = letter.payload();
    var opened = cipher.open(payload.array(), payload.offset(), payload.length());
    out.raw(JsonOut.ascii("{\"id\":")).uuid(letter.id());
    out.raw(JsonOut.ascii(",\"transactionId\":")).string(letter.transactionId());
    out.raw(JsonOut.ascii(",\"partitionId\":")).uuid(letter.partitionId());
    out.raw(JsonOut.ascii(",\"queue\":")).string(letter.queue());
    out.raw(JsonOut.ascii(",\"partition\":")).string(letter.partition());
    out.raw(JsonOut.ascii(",\"consumerGroup\":")).string(letter.group());
    out.raw(JsonOut.ascii(",\"errorMessage\":")).string(letter.error());
    out.raw(JsonOut.ascii(",\"retryCount\":")).number(letter.retryCount());
    out.raw(JsonOut.ascii(",\"data\":"));
    if (opened == null) {
      out.raw(payload.array(), payload.offset(), payload.length());
    } else {
      out.raw(opened).raw(JsonOut.ascii(",\"isEncrypted\":true"));
    }
    out.raw(JsonOut.ascii(",\"producerSub\":null,\"createdAt\":")).time(letter.failedAtMicros());
    out.raw(JsonOut.ascii(",\"failedAt\":")).time(letter.failedAtMicros()).raw('}');
  }

  private void purge(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var query = Query.of(ctx);
    var queue = query.text("queue");
    if (queue == null || queue.isEmpty()) {
      throw HttpProblem.badRequest("queue is required");
    }
    Names.checked(queue, "queue");
    var group = named(query, "consumerGroup");
    long deleted = engine.deadLetters().purge(tenant, queue, group);
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("success", true)
            .put("deleted", deleted)
            .put("queue", queue)
            .put("consumerGroup", group));
  }

  /** A name to filter by; null when it is absent or empty. */
  private static String named(Query query, String field) {
    var name = query.text(field);
    return name == null || name.isEmpty() ? null : Names.checked(name, field);
  }

  private void delete(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var partitionId = ctx.pathParam("partitionId");
    var transactionId = ctx.pathParam("transactionId");
    int deleted = engine.deadLetters().delete(tenant, partitionId, Slice.utf8(transactionId));
    if (deleted == 0) {
      Answer.send(ctx, 404, nothingAt(partitionId, transactionId));
      return;
    }
    Answer.send(
        ctx,
        200,
        address(true, partitionId, transactionId).put("message", "Message deleted successfully"));
  }

  private static ObjectNode address(boolean success, String partitionId, String transactionId) {
    return Json.object()
        .put("success", success)
        .put("partitionId", partitionId)
        .put("transactionId", transactionId);
  }

  private static ObjectNode nothingAt(String partitionId, String transactionId) {
    return address(false, partitionId, transactionId)
        .put("error", NOT_FOUND)
        .put("message", NO_ROW_AT_ADDRESS);
  }

  private void retry(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    if (isPaused(ctx)) {
      return;
    }
    var partitionId = ctx.pathParam("partitionId");
    var transactionId = ctx.pathParam("transactionId");
    Optional<UUID> id;
    try {
      id = engine.deadLetters().newest(tenant, partitionId, Slice.utf8(transactionId));
    } catch (IllegalStateException e) {
      throw new HttpProblem(500, "dlq lookup failed: " + e.getMessage(), null);
    }
    var replay = id.isEmpty() ? null : move(ctx, tenant, id.get(), null, null);
    if (id.isEmpty() || (replay != null && replay.isEmpty())) {
      Answer.send(ctx, 404, nothingAt(partitionId, transactionId));
    } else if (replay != null) {
      Answer.send(ctx, 200, document(replay.get()));
    }
  }

  private void replay(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    if (isPaused(ctx)) {
      return;
    }
    String queue;
    String partition;
    try (var body = bodies.read(ctx, REPLAY_BODY_BYTES_MAX)) {
      var destination = isBlank(body.bytes()) ? Json.object() : Json.readObject(body.bytes());
      queue = half(destination, "queue");
      partition = half(destination, "partition");
    }
    var text = ctx.pathParam("id");
    var id = Uuids.parse(text);
    var replay = id == null ? Optional.<Replay>empty() : move(ctx, tenant, id, queue, partition);
    if (replay == null) {
      return;
    }
    if (replay.isEmpty()) {
      Answer.send(
          ctx,
          404,
          Json.object()
              .put("success", false)
              .put("result", "gone")
              .put("dlqId", text)
              .put("error", NOT_FOUND)
              .put("message", NO_ROW));
      return;
    }
    Answer.send(ctx, 200, document(replay.get()));
  }

  private static boolean isBlank(byte[] body) {
    return Slice.of(body).text().isBlank();
  }

  /** Half of a destination, trimmed; null when it is not given. */
  private static String half(ObjectNode destination, String field) {
    var value = destination.get(field);
    if (value == null || value.isNull()) {
      return null;
    }
    if (!value.isString()) {
      throw HttpProblem.badRequest("bad body: " + field + " must be a string");
    }
    var name = value.stringValue().strip();
    if (name.isEmpty()) {
      throw HttpProblem.badRequest("bad body: " + field + " is blank");
    }
    return Names.checked(name, field);
  }

  private boolean isPaused(Context ctx) throws IOException {
    if (!maintenance.pushPaused()) {
      return false;
    }
    Answer.send(
        ctx,
        503,
        Json.object()
            .put("success", false)
            .put("result", "maintenance")
            .put("dlqRowRemoved", false)
            .put("error", MAINTENANCE));
    return true;
  }

  /** Moves a row; null when that failed and has been answered. */
  private Optional<Replay> move(Context ctx, UUID tenant, UUID id, String queue, String partition)
      throws IOException {
    try {
      return engine.deadLetters().replay(tenant, id, queue, partition);
    } catch (NotMovedException e) {
      Answer.send(ctx, 500, failed(id, e.getMessage()).put("dlqRowRemoved", false));
      return null;
    } catch (EngineUnavailableException e) {
      if (!e.inDoubt()) {
        throw e;
      }
      Answer.send(ctx, 500, failed(id, e.getMessage()).putNull("dlqRowRemoved"));
      return null;
    }
  }

  private static ObjectNode failed(UUID id, String error) {
    return Json.object()
        .put("success", false)
        .put("dlqId", id.toString())
        .put("error", "replay failed: " + error);
  }

  private static ObjectNode document(Replay replay) {
    var answer =
        Json.object()
            .put("success", true)
            .put("result", replay.moved() ? "moved" : "duplicate")
            .put("queue", replay.queue())
            .put("partition", replay.partition())
            .put("consumerGroup", replay.group())
            .put("dlqId", replay.id().toString())
            .put("originalTransactionId", replay.originalTransactionId());
    answer
        .putObject("replayedAs")
        .put("index", 0)
        .put("message_id", replay.messageId().toString())
        .put("transaction_id", replay.transactionId())
        .put("queueName", replay.queue())
        .put("status", replay.moved() ? "queued" : "duplicate")
        .put("offset", replay.offset());
    return answer.put("dlqRowRemoved", replay.moved());
  }
}
