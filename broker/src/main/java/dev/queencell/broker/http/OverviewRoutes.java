package dev.queencell.broker.http;

import dev.queencell.broker.engine.Analytics.QueueNow;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.ProcessUse;
import dev.queencell.broker.engine.QueueView;
import dev.queencell.broker.store.HistoryReader.GroupBy;
import dev.queencell.broker.store.HistoryReader.Scope;
import dev.queencell.broker.store.HistoryReader.Span;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The state of everything a tenant has. The tenant of requests that name none is the cell's
 * operator here: where the contract says so, it sees the sums of the whole cell.
 */
final class OverviewRoutes {
  private static final int LIMIT_DEFAULT = 100;
  private static final int RATE_MINUTES = 5;
  private static final Duration STATUS_WINDOW = Duration.ofHours(1);
  private static final Duration ANALYTICS_WINDOW = Duration.ofDays(1);
  private static final int MINUTES_PER_HOUR = 60;
  private static final int MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

  private final Engine engine;
  private final Tenancy tenancy;
  private final String hostName = ProcessUse.hostName();

  OverviewRoutes(Engine engine, Tenancy tenancy) {
    this.engine = engine;
    this.tenancy = tenancy;
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/resources/overview", this::overview);
    routes.get(
        "/api/v1/resources/namespaces",
        ctx ->
            Answer.send(
                ctx,
                200,
                StatusDocuments.places(own(ctx), "namespaces", "namespace", QueueNow::namespace)));
    routes.get(
        "/api/v1/resources/tasks",
        ctx ->
            Answer.send(
                ctx, 200, StatusDocuments.places(own(ctx), "tasks", "task", QueueNow::task)));
    routes.get("/api/v1/status", this::status);
    routes.get("/api/v1/status/queues", this::queues);
    routes.get("/api/v1/status/queues/{queue}", this::queue);
    routes.get("/api/v1/status/analytics", this::analytics);
  }

  private List<QueueNow> own(Context ctx) {
    return engine.analytics().now(new Scope(tenancy.of(ctx), null, null, null));
  }

  private Scope scope(Context ctx, Query query) {
    return new Scope(
        tenancy.cellWide(ctx), query.text("queue"), query.text("namespace"), query.text("task"));
  }

  private void overview(Context ctx) throws IOException {
    var scope = new Scope(tenancy.cellWide(ctx), null, null, null);
    var now = engine.analytics().now(scope);
    int minute = (int) (Instant.now().getEpochSecond() / 60);
    var recent =
        engine
            .analytics()
            .buckets(
                scope,
                new Span(minute + 1 - RATE_MINUTES, minute + 1, RATE_MINUTES),
                GroupBy.QUEUE);
    var counts = Buckets.total(recent);
    var document =
        Json.object()
            .put("queues", now.size())
            .put("partitions", StatusDocuments.sum(now, QueueNow::partitions))
            .put("namespaces", distinct(now.stream().map(QueueNow::namespace).toList()))
            .put("tasks", distinct(now.stream().map(QueueNow::task).toList()));
    document.set("messages", StatusDocuments.messages(now));
    var lag = document.putObject("lag");
    lag.set("time", StatusDocuments.spread(StatusDocuments.lagSeconds(recent)));
    lag.set(
        "offset", StatusDocuments.spread(now.stream().mapToDouble(QueueNow::pending).toArray()));
    var throughput = document.putObject("throughput");
    Buckets.rate(
        throughput, "ingestedPerSecond", counts.get(QueueCount.PUSH_MESSAGES), RATE_MINUTES);
    Buckets.rate(
        throughput, "processedPerSecond", counts.get(QueueCount.ACK_SUCCESS), RATE_MINUTES);
    // Watermarks are read now: there is no snapshot that could be old.
    Answer.send(ctx, 200, document.put("timestamp", Times.text(Instant.now())).put("statsAge", 0));
  }

  /** Names that are there; no name is none. */
  private static long distinct(List<String> names) {
    return names.stream().filter(name -> !name.isEmpty()).distinct().count();
  }

  private void status(Context ctx) throws IOException {
    var query = Query.of(ctx);
    var scope = scope(ctx, query);
    var window = Window.of(query, STATUS_WINDOW);
    var buckets = engine.analytics().buckets(scope, Buckets.span(window), GroupBy.ALL);
    var now = engine.analytics().now(scope);
    var counts = Buckets.total(buckets);
    var document = Buckets.document(window).put("pointCount", buckets.size());
    document.set(
        "throughput", StatusDocuments.throughput(Buckets.byTime(buckets), window.bucketMinutes()));
    document
        .putObject("queues")
        .put("total", now.size())
        .put("partitions", StatusDocuments.sum(now, QueueNow::partitions))
        .put("withPending", now.stream().filter(queue -> queue.pending() > 0).count());
    document.set("messages", StatusDocuments.messages(now));
    document
        .putObject("leases")
        .put("active", StatusDocuments.sum(now, QueueNow::leases))
        .put("messages", StatusDocuments.sum(now, QueueNow::processing));
    document
        .putObject("deadLetterQueue")
        .put("total", StatusDocuments.sum(now, QueueNow::deadLetters))
        .put("added", counts.get(QueueCount.DEAD_LETTERS));
    document
        .putArray("workers")
        .addObject()
        .put("hostname", hostName)
        .put("workerId", 0)
        .put("role", StatusRoutes.word(engine.role()))
        .put("uptimeSeconds", ProcessUse.uptimeMs() / 1_000);
    document.putObject("errors").put("ackFailed", counts.get(QueueCount.ACK_FAILED));
    Answer.send(ctx, 200, document.put("statsAge", 0));
  }

  private void queues(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var query = Query.of(ctx);
    var page = Page.of(query, LIMIT_DEFAULT);
    // The contract names them; queues are listed as they are now, whatever the window.
    Window.of(query, STATUS_WINDOW);
    var found =
        engine.queues(tenant).stream()
            .filter(queue -> matches(query.text("queue"), queue.name()))
            .filter(queue -> matches(query.text("namespace"), queue.namespace()))
            .filter(queue -> matches(query.text("task"), queue.task()))
            .toList();
    var document = Json.object();
    var rows = document.putArray("queues");
    found.stream()
        .skip(page.offset())
        .limit(page.limit())
        .forEach(q -> rows.add(StatusDocuments.queueRow(q)));
    document
        .putObject("pagination")
        .put("limit", page.limit())
        .put("offset", page.offset())
        .put("total", found.size());
    Answer.send(ctx, 200, document);
  }

  private static boolean matches(String wanted, String actual) {
    return wanted == null || wanted.equals(actual);
  }

  private void queue(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var name = ctx.pathParam("queue");
    var queue =
        Names.problemOf(name) == null
            ? engine.queue(tenant, name, null)
            : Optional.<QueueView>empty();
    if (queue.isEmpty()) {
      throw new HttpProblem(404, "Queue not found", null);
    }
    Answer.send(ctx, 200, StatusDocuments.detail(queue.get()));
  }

  private void analytics(Context ctx) throws IOException {
    var query = Query.of(ctx);
    var scope =
        new Scope(
            tenancy.of(ctx), query.text("queue"), query.text("namespace"), query.text("task"));
    var window = Window.of(query, ANALYTICS_WINDOW);
    var word = query.text("interval");
    var interval = word != null && List.of("minute", "day").contains(word) ? word : "hour";
    int width =
        switch (interval) {
          case "minute" -> 1;
          case "day" -> MINUTES_PER_DAY;
          default -> MINUTES_PER_HOUR;
        };
    var document = Json.object();
    var points = document.putArray("dataPoints");
    for (var bucket :
        engine
            .analytics()
            .buckets(scope, new Span(window.fromMinute(), window.toMinute(), width), GroupBy.ALL)) {
      point(points.addObject(), bucket.minute(), bucket.counts().get(QueueCount.PUSH_MESSAGES));
    }
    Answer.send(
        ctx,
        200,
        document
            .put("interval", interval)
            .put("from", Times.text(window.from()))
            .put("to", Times.text(window.to())));
  }

  private static void point(ObjectNode row, int minute, long messages) {
    row.put("timestamp", Buckets.time(minute)).put("messages", messages);
  }
}
