package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.Limits;
import dev.queencell.broker.engine.PushOutcome;
import dev.queencell.broker.spool.Pushes;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.List;

/** Push, acknowledgements, lease extension: what a client does with messages, but for pops. */
final class MessageRoutes {
  private static final int RETRY_AFTER_SECONDS = 1;
  private static final int EXTEND_SECONDS_DEFAULT = 60;
  private static final int EXTEND_BODY_BYTES_MAX = 64 * 1024;

  private final Engine engine;
  private final Pushes pushes;
  private final Tenancy tenancy;
  private final BodyBudget bodies;

  MessageRoutes(Engine engine, Pushes pushes, Tenancy tenancy, BodyBudget bodies) {
    this.engine = engine;
    this.pushes = pushes;
    this.tenancy = tenancy;
    this.bodies = bodies;
  }

  void register(RoutesConfig routes) {
    routes.post("/api/v1/push", this::push);
    routes.post("/api/v1/ack", ctx -> ack(ctx, false));
    routes.post("/api/v1/ack/batch", ctx -> ack(ctx, true));
    routes.post("/api/v1/lease/{leaseId}/extend", this::extend);
  }

  private void push(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    try (var body = bodies.read(ctx)) {
      var items = PushBody.parse(body.bytes(), AccessGate.subject(ctx));
      var result = pushes.push(tenant, items);
      Answer.send(ctx, status(result), PushAnswer.write(items, result.outcomes()));
    }
  }

  /**
   * The status of a push's answer.
   *
   * @throws HttpProblem 429 when none of it was taken, by queues that want to be heard
   */
  static int status(Pushes.Result result) {
    if (asksToSlowDown(result.outcomes())) {
      throw new HttpProblem(429, PushOutcome.BACK_PRESSURE, "queue_full", RETRY_AFTER_SECONDS);
    }
    return result.pauseRefused() ? 500 : 201;
  }

  /** Nothing of the push was taken, by queues that want to be heard. */
  private static boolean asksToSlowDown(List<PushOutcome> outcomes) {
    for (var outcome : outcomes) {
      if (!PushOutcome.BACK_PRESSURE.equals(outcome.reason())) {
        return false;
      }
    }
    return !outcomes.isEmpty();
  }

  private void ack(Context ctx, boolean batch) throws IOException {
    var tenant = tenancy.of(ctx);
    try (var body = bodies.read(ctx)) {
      var ack = batch ? AckBody.parseBatch(body.bytes()) : AckBody.parseSingle(body.bytes());
      Answer.send(
          ctx, 200, AckAnswer.write(ack.items(), engine.ack(tenant, ack.group(), ack.items())));
    }
  }

  private void extend(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var leaseId = ctx.pathParam("leaseId");
    int seconds;
    try (var body = bodies.read(ctx, EXTEND_BODY_BYTES_MAX)) {
      seconds = Math.clamp(extendSeconds(body.bytes()), 1, Limits.LEASE_SECONDS_MAX);
    }
    var outcome = engine.extend(tenant, leaseId, seconds);
    var expiresAt = outcome.expiresAt() == null ? null : Times.text(outcome.expiresAt());
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("leaseId", leaseId)
            .put("success", outcome.renewed() > 0)
            .put("renewed", outcome.renewed())
            .put("newExpiresAt", expiresAt)
            .put("expiresAt", expiresAt)
            .put("lease_expires_at", expiresAt));
  }

  /** The contract never refuses a body here: what can't be read means the default. */
  private static int extendSeconds(byte[] body) {
    try {
      var seconds = Json.readObject(body).get("seconds");
      return seconds != null && seconds.isIntegralNumber()
          ? (int) Math.clamp(seconds.asDouble(), 0, Limits.LEASE_SECONDS_MAX)
          : EXTEND_SECONDS_DEFAULT;
    } catch (HttpProblem e) {
      return EXTEND_SECONDS_DEFAULT;
    }
  }
}
