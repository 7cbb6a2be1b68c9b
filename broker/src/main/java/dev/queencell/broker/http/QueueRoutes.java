package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.QueueView;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;

/** {@code /api/v1/resources/queues}: what there is, how much waits in it, and its deletion. */
final class QueueRoutes {
  private static final String ONE = "/api/v1/resources/queues/{queue}";

  private final Engine engine;
  private final Tenancy tenancy;

  QueueRoutes(Engine engine, Tenancy tenancy) {
    this.engine = engine;
    this.tenancy = tenancy;
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/resources/queues", this::list);
    routes.get(ONE, this::detail);
    routes.delete(ONE, this::delete);
    routes.get(ONE + "/depth", this::depth);
  }

  private void list(Context ctx) throws IOException {
    Answer.send(ctx, 200, QueueDocuments.list(engine.queues(tenancy.of(ctx))));
  }

  private void detail(Context ctx) throws IOException {
    Answer.send(ctx, 200, QueueDocuments.detail(find(ctx, null)));
  }

  private void depth(Context ctx) throws IOException {
    var group = Query.of(ctx).text("group");
    if (group != null) {
      Names.checked(group, "group");
    }
    Answer.send(ctx, 200, QueueDocuments.depth(find(ctx, group), group));
  }

  private void delete(Context ctx) throws IOException {
    var queue = ctx.pathParam("queue");
    // A name that can't exist is missing like any other.
    boolean existed = Names.problemOf(queue) == null && engine.deleteQueue(tenancy.of(ctx), queue);
    var answer = Json.object().put("deleted", existed).put("queue", queue).put("existed", existed);
    if (!existed) {
      answer.put("message", "Queue not found, nothing was deleted");
    }
    Answer.send(ctx, 200, answer);
  }

  private QueueView find(Context ctx, String group) {
    var tenant = tenancy.of(ctx);
    var queue = ctx.pathParam("queue");
    if (Names.problemOf(queue) != null) {
      throw notFound();
    }
    return engine.queue(tenant, queue, group).orElseThrow(QueueRoutes::notFound);
  }

  private static HttpProblem notFound() {
    return new HttpProblem(404, "Queue not found", null);
  }
}
