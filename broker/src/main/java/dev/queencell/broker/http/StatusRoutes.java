package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.Limits;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** Health, status and metrics: what an operator asks, without a tenant. */
final class StatusRoutes {
  private static final String ENGINE = "segments-rust";

  private final Engine engine;
  private final ApiConfig config;
  private final BuildIdentity build;
  private final MetricsPages metrics;

  StatusRoutes(Engine engine, ApiConfig config, BuildIdentity build, MetricsPages metrics) {
    this.engine = engine;
    this.config = config;
    this.build = build;
    this.metrics = metrics;
  }

  void register(RoutesConfig routes) {
    routes.get("/health", this::health);
    routes.get("/status", this::status);
    routes.get("/metrics", ctx -> Answer.send(ctx, 200, metrics.json()));
    routes.get("/metrics/prometheus", this::prometheus);
  }

  /** Ready is who can serve or stand by: a broker that is still loading is neither. */
  private void health(Context ctx) throws IOException {
    boolean connected = engine.databaseAnswers();
    var role = engine.role();
    boolean ready = connected && role != Engine.Role.LOADING;
    var answer =
        Json.object()
            .put("status", ready ? "healthy" : "unhealthy")
            .put("database", connected ? "connected" : "disconnected")
            .put("engine", ENGINE)
            .put("version", build.version())
            .put("role", word(role));
    Answer.send(ctx, ready ? 200 : 503, answer);
  }

  private void status(Context ctx) throws IOException {
    var answer =
        Json.object()
            .put("status", "ok")
            .put("engine", ENGINE)
            .put("version", build.version())
            .put("role", word(engine.role()))
            .put("ownerUrl", engine.ownerUrl());
    answer.set("limits", limits());
    Answer.send(ctx, 200, answer);
  }

  private void prometheus(Context ctx) throws IOException {
    var page = metrics.prometheus();
    var response = ctx.res();
    response.setContentType("text/plain; version=0.0.4; charset=utf-8");
    response.setHeader("Cache-Control", "no-cache");
    response.setContentLength(page.length);
    response.getOutputStream().write(page);
  }

  private ObjectNode limits() {
    return Json.object()
        .put("messageBytesMax", Limits.MESSAGE_BYTES_MAX)
        .put("bodyBytesMax", config.bodyBytesMax())
        .put("bodyBudgetBytes", config.bodyBudgetBytes())
        .put("nameBytesMax", Limits.NAME_BYTES_MAX)
        .put("transactionIdBytesMax", Limits.TRANSACTION_ID_BYTES_MAX)
        .put("batchMax", Limits.BATCH_MAX)
        .put("pushItemsMax", Limits.PUSH_ITEMS_MAX)
        .put("acknowledgmentsMax", AckBody.ITEMS_MAX)
        .put("nestingMax", JsonGrammar.NESTING_MAX)
        .put("parkedConsumersMax", Limits.PARKED_CONSUMERS_MAX)
        .put("leaseSecondsMax", Limits.LEASE_SECONDS_MAX)
        .put("delaySecondsMax", Limits.DELAY_SECONDS_MAX)
        .put("waitMsMax", Limits.WAIT_MS_MAX)
        .put("laggingPlacesMax", Limits.LAGGING_PLACES_MAX);
  }

  static String word(Engine.Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }
}
