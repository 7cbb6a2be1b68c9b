package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.ProcessUse;
import dev.queencell.broker.store.HistoryReader.Bucket;
import dev.queencell.broker.store.HistoryReader.CellBucket;
import dev.queencell.broker.store.HistoryReader.GroupBy;
import dev.queencell.broker.store.HistoryReader.Scope;
import dev.queencell.broker.store.HistoryReader.Spread;
import dev.queencell.broker.store.QueueCounts;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * The cell itself: what the broker uses, what it did, what PostgreSQL tells. There is one broker
 * that serves, so that a question for another machine or worker finds nothing.
 */
final class CellRoutes {
  private static final Duration WINDOW_DEFAULT = Duration.ofHours(1);

  private final Engine engine;
  private final Tenancy tenancy;
  private final String hostName = ProcessUse.hostName();

  CellRoutes(Engine engine, Tenancy tenancy) {
    this.engine = engine;
    this.tenancy = tenancy;
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/analytics/system-metrics", this::system);
    routes.get("/api/v1/analytics/worker-metrics", this::workers);
    routes.get("/api/v1/analytics/postgres-stats", this::postgres);
    routes.post("/api/v1/stats/refresh", this::refresh);
  }

  private boolean isAboutOthers(Query query) {
    var host = query.text("hostname");
    var worker = query.text("workerId");
    return (host != null && !host.equals(hostName)) || (worker != null && !worker.equals("0"));
  }

  private void system(Context ctx) throws IOException {
    var query = Query.of(ctx);
    var window = Window.of(query, WINDOW_DEFAULT);
    var buckets =
        isAboutOthers(query)
            ? List.<CellBucket>of()
            : engine.analytics().cell(Buckets.span(window));
    var document = Buckets.document(window).put("pointCount", buckets.size());
    var replicas = document.putArray("replicas");
    if (!buckets.isEmpty()) {
      var series = worker(replicas.addObject()).putArray("timeSeries");
      buckets.forEach(bucket -> series.add(sample(bucket)));
    }
    Answer.send(ctx, 200, document);
  }

  private ObjectNode worker(ObjectNode row) {
    return row.put("hostname", hostName).put("workerId", 0);
  }

  private static ObjectNode sample(CellBucket bucket) {
    var row = Json.object().put("timestamp", Buckets.time(bucket.minute()));
    var metrics = row.putObject("metrics");
    metrics.putObject("cpu").set("percent", leaf(bucket.cpuPercent()));
    var memory = metrics.putObject("memory");
    memory.set("rss", leaf(bucket.residentBytes()));
    memory.set("heapUsed", leaf(bucket.heapBytes()));
    metrics.putObject("database").set("sessions", leaf(bucket.sessions()));
    metrics.set("uptime", leaf(bucket.uptime()));
    return row;
  }

  private static ObjectNode leaf(Spread spread) {
    return Json.object()
        .put("avg", spread.avg())
        .put("min", spread.min())
        .put("max", spread.max())
        .put("last", spread.last());
  }

  private void workers(Context ctx) throws IOException {
    var query = Query.of(ctx);
    var window = Window.of(query, WINDOW_DEFAULT);
    // The operator sees the cell; a tenant that gets this far sees its own part of it.
    var scope = new Scope(tenancy.cellWide(ctx), query.text("queue"), null, null);
    var buckets =
        isAboutOthers(query)
            ? List.<Bucket>of()
            : engine.analytics().buckets(scope, Buckets.span(window), GroupBy.QUEUE);
    var byTime = Buckets.byTime(buckets);
    var document = Buckets.document(window).put("pointCount", byTime.size());
    var series = document.putArray("timeSeries");
    byTime.forEach(
        (minute, counts) ->
            Buckets.traffic(
                series.addObject().put("timestamp", Buckets.time(minute)),
                counts,
                window.bucketMinutes()));
    double minutes = Math.max(1, window.toMinute() - window.fromMinute());
    var workers = document.putArray("workers");
    if (!isAboutOthers(query)) {
      Buckets.traffic(worker(workers.addObject()), Buckets.total(buckets), minutes);
    }
    var byQueue = new TreeMap<String, QueueCounts>();
    for (var bucket : buckets) {
      byQueue.computeIfAbsent(bucket.key(), name -> new QueueCounts()).fold(bucket.counts());
    }
    var queues = document.putArray("queues");
    byQueue.forEach(
        (name, counts) ->
            Buckets.traffic(queues.addObject().put("queueName", name), counts, minutes));
    Buckets.traffic(document.putObject("summary"), Buckets.total(buckets), minutes);
    Answer.send(ctx, 200, document);
  }

  private void postgres(Context ctx) throws IOException {
    var found = engine.analytics().postgres();
    var document = Json.object();
    document.set("database", Json.mapper().valueToTree(found.database()));
    document.set("tables", Json.mapper().valueToTree(found.tables()));
    document.set("activity", Json.mapper().valueToTree(found.activity()));
    document.set("settings", Json.mapper().valueToTree(found.settings()));
    Answer.send(ctx, 200, document);
  }

  private void refresh(Context ctx) throws IOException {
    var done = engine.analytics().refresh();
    Answer.send(
        ctx,
        200,
        Json.object()
            .put("success", true)
            .put("engine", "segments")
            .put("queuesWritten", done.queues())
            .put("segPartitions", done.partitions()));
  }
}
