package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.maintenance.Maintenance;
import dev.queencell.broker.maintenance.Switches;
import dev.queencell.broker.spool.OwnerClient;
import dev.queencell.broker.spool.Pushes;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** What operators and other brokers ask: pauses, the spool, what brokers share. */
final class SystemRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(SystemRoutes.class);

  private static final int BODY_BYTES_MAX = 64 * 1024;
  private static final double BYTES_PER_MIB = 1024.0 * 1024.0;

  private static final String PUSH_ON =
      "Maintenance mode ENABLED. All PUSHes routing to file buffer.";
  private static final String PUSH_OFF =
      "Maintenance mode DISABLED. Background processor will drain buffer to DB.";
  private static final String POP_IS_ON =
      "Pop maintenance mode is ON. All POP operations return empty arrays.";
  private static final String POP_IS_OFF = "Pop maintenance mode is OFF. Normal operation.";
  private static final String POP_ON =
      "Pop maintenance mode ENABLED. All POP operations will return empty arrays.";
  private static final String POP_OFF = "Pop maintenance mode DISABLED. Normal operation resumed.";

  private final Engine engine;
  private final Tenancy tenancy;
  private final BodyBudget bodies;
  private final Maintenance maintenance;
  private final Pushes pushes;

  SystemRoutes(Engine engine, Tenancy tenancy, BodyBudget bodies, Gates gates) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.bodies = bodies;
    this.maintenance = gates.maintenance();
    this.pushes = gates.pushes();
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/system/maintenance", this::pushState);
    routes.post("/api/v1/system/maintenance", this::switchPush);
    routes.get("/api/v1/system/maintenance/pop", this::popState);
    routes.post("/api/v1/system/maintenance/pop", this::switchPop);
    routes.get("/api/v1/system/shared-state", this::sharedState);
    routes.get("/api/v1/status/buffers", this::buffers);
    routes.post("/internal/api/notify", this::notifyPops);
    routes.get("/internal/api/shared-state/stats", SystemRoutes::noPeers);
    routes.get("/internal/api/inter-instance/stats", SystemRoutes::noPeers);
    routes.post(OwnerClient.PATH, this::takeSpooled);
  }

  private void pushState(Context ctx) throws IOException {
    try {
      maintenance.refresh();
    } catch (SQLException e) {
      // What was known last holds, and is what is shown.
      LOG.debug("the switches can't be read now: {}", e.getMessage());
    }
    var status = pushes.status();
    var answer =
        Json.object()
            .put("maintenanceMode", maintenance.pushSwitch())
            .put("popMaintenanceMode", maintenance.popPaused())
            .put("bufferedMessages", status.pendingRecords())
            .put("bufferHealthy", status.healthy());
    answer
        .putObject("bufferStats")
        .put("pendingCount", status.pendingRecords())
        .put("failedCount", status.failedFiles())
        .put("dbHealthy", engine.databaseAnswers())
        .putObject("failedFiles")
        .put("count", status.failedFiles())
        .put("totalBytes", status.failedBytes())
        .put(
            "totalMB",
            Double.parseDouble(
                String.format(Locale.ROOT, "%.2f", status.failedBytes() / BYTES_PER_MIB)))
        .put("failoverCount", status.failedFiles())
        .put("qos0Count", 0);
    Answer.send(ctx, 200, answer);
  }

  private void switchPush(Context ctx) throws IOException {
    boolean enabled = enabled(ctx);
    set(Switches.Kind.PUSH, enabled);
    var status = pushes.status();
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("maintenanceMode", enabled)
            .put("bufferedMessages", status.pendingRecords())
            .put("bufferHealthy", status.healthy())
            .put("message", enabled ? PUSH_ON : PUSH_OFF));
  }

  private void popState(Context ctx) throws IOException {
    boolean paused = maintenance.popPaused();
    answerPop(ctx, paused, paused ? POP_IS_ON : POP_IS_OFF);
  }

  private void switchPop(Context ctx) throws IOException {
    boolean enabled = enabled(ctx);
    set(Switches.Kind.POP, enabled);
    answerPop(ctx, enabled, enabled ? POP_ON : POP_OFF);
  }

  private static void answerPop(Context ctx, boolean paused, String message) throws IOException {
    Answer.send(ctx, 200, Json.object().put("popMaintenanceMode", paused).put("message", message));
  }

  private boolean enabled(Context ctx) {
    var enabled = body(ctx).get("enabled");
    if (enabled == null || !enabled.isBoolean()) {
      throw HttpProblem.badRequest("enabled (boolean) is required");
    }
    return enabled.booleanValue();
  }

  private void set(Switches.Kind kind, boolean enabled) {
    try {
      maintenance.set(kind, enabled);
    } catch (SQLException e) {
      LOG.warn("a switch can't be stored: {}", e.getMessage());
      throw new HttpProblem(
          503,
          "the switch can't be stored: the database does not answer",
          "database_unavailable",
          1);
    }
  }

  private void sharedState(Context ctx) throws IOException {
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("enabled", false)
            .put("reason", "single_node_segments_broker")
            .put("maintenance_mode", maintenance.pushSwitch())
            .put("pop_maintenance_mode", maintenance.popPaused()));
  }

  private void buffers(Context ctx) throws IOException {
    var status = pushes.status();
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("pending", status.pendingRecords())
            .put("failed", status.failedFiles())
            .put("dbHealthy", engine.databaseAnswers())
            .put("worker", 0)
            .put("bytes", status.bytes())
            .put("failedBytes", status.failedBytes())
            .put("healthy", status.healthy()));
  }

  /**
   * A hint between brokers that poll the database. Here the commit that stores a message wakes who
   * waits for it, so that there is nothing left to wake: the call is checked and agreed to.
   */
  private void notifyPops(Context ctx) throws IOException {
    tenancy.of(ctx);
    var queue = body(ctx).get("queue");
    if (queue == null || !queue.isString() || queue.stringValue().isEmpty()) {
      throw HttpProblem.badRequest("queue is required");
    }
    Answer.send(ctx, 200, Json.object().put("status", "ok"));
  }

  private static void noPeers(Context ctx) throws IOException {
    Answer.send(ctx, 200, Json.object().put("enabled", false).put("reason", "no_peers"));
  }

  /** What a standby has spooled before it was one. Into the engine, never into this spool. */
  private void takeSpooled(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    try (var body = bodies.read(ctx)) {
      var items = OwnerClient.read(body.bytes(), tenant);
      Answer.send(ctx, 201, PushAnswer.write(items, engine.push(tenant, items)));
    } catch (IllegalArgumentException e) {
      throw BodyScan.bad(e.getMessage());
    }
  }

  private ObjectNode body(Context ctx) {
    try (var body = bodies.read(ctx, BODY_BYTES_MAX)) {
      return Json.readObject(body.bytes());
    }
  }
}
