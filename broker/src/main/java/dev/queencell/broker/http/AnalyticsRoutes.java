package dev.queencell.broker.http;

import dev.queencell.broker.engine.Analytics;
import dev.queencell.broker.engine.Analytics.Liveness;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.ProcessUse;
import dev.queencell.broker.store.HistoryReader.Bucket;
import dev.queencell.broker.store.HistoryReader.GroupBy;
import dev.queencell.broker.store.HistoryReader.Scope;
import dev.queencell.broker.store.QueueCount;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** {@code /api/v1/analytics}: what happened to a tenant's queues. */
final class AnalyticsRoutes {
  private static final String PATH = "/api/v1/analytics/";
  private static final Duration WINDOW_DEFAULT = Duration.ofHours(1);
  private static final int SIGNATURES_DEFAULT = 200;
  private static final int SIGNATURES_MAX = 1_000;
  private static final int LIVENESS_DEFAULT = 20;
  private static final int LIVENESS_MAX = 200;

  private final Engine engine;
  private final Tenancy tenancy;
  private final String hostName = ProcessUse.hostName();

  AnalyticsRoutes(Engine engine, Tenancy tenancy) {
    this.engine = engine;
    this.tenancy = tenancy;
  }

  void register(RoutesConfig routes) {
    routes.get(PATH + "queue-lag", this::lag);
    routes.get(PATH + "queue-ops", this::operations);
    routes.get(PATH + "queue-parked-replicas", this::parked);
    routes.get(PATH + "retention", this::retention);
    routes.get(PATH + "workload", this::workload);
    routes.get(PATH + "dlq-signatures", this::signatures);
    routes.get(PATH + "partition-liveness", this::liveness);
  }

  /** Whose queues, when, and what they did. */
  private record Question(Query query, Scope scope, Window window) {}

  private Question ask(Context ctx) {
    var query = Query.of(ctx);
    var scope =
        new Scope(
            tenancy.of(ctx), query.text("queue"), query.text("namespace"), query.text("task"));
    return new Question(query, scope, Window.of(query, WINDOW_DEFAULT));
  }

  private List<Bucket> buckets(Question question, GroupBy key) {
    return engine.analytics().buckets(question.scope(), Buckets.span(question.window()), key);
  }

  private void lag(Context ctx) throws IOException {
    var question = ask(ctx);
    var rows = Json.mapper().createArrayNode();
    for (var bucket : buckets(question, GroupBy.QUEUE).reversed()) {
      if (bucket.counts().get(QueueCount.POPS) > 0) {
        var row = rows.addObject().put("queueName", bucket.key());
        row.put("popCount", bucket.counts().get(QueueCount.POPS));
        Buckets.lag(row, bucket.counts())
            .put("bucketMinutes", question.window().bucketMinutes())
            .put("bucketTime", Buckets.time(bucket.minute()));
      }
    }
    HttpServer.json(ctx, 200, Json.bytes(rows));
  }

  private void operations(Context ctx) throws IOException {
    var question = ask(ctx);
    var document = Buckets.document(question.window());
    var series = document.putArray("series");
    var queues = new TreeSet<String>();
    for (var bucket : buckets(question, GroupBy.QUEUE)) {
      queues.add(bucket.key());
      var row = series.addObject().put("bucket", Buckets.time(bucket.minute()));
      row.put("queueName", bucket.key());
      Buckets.traffic(row, bucket.counts(), question.window().bucketMinutes());
    }
    document.set("queues", Json.mapper().valueToTree(queues));
    Answer.send(ctx, 200, document);
  }

  private void parked(Context ctx) throws IOException {
    var question = ask(ctx);
    var document = Buckets.document(question.window());
    var series = document.putArray("series");
    for (var bucket : buckets(question, GroupBy.QUEUE)) {
      place(series.addObject().put("bucket", Buckets.time(bucket.minute())), bucket.key())
          .put("parkedCount", bucket.counts().get(QueueCount.PARKED));
    }
    // Now, beside what was seen when minutes ended: there is one broker that serves, this one.
    var replicas = document.putArray("replicas");
    for (var queue : engine.analytics().now(question.scope())) {
      if (queue.parked() > 0) {
        place(replicas.addObject(), queue.queue()).put("parkedCount", queue.parked());
      }
    }
    Answer.send(ctx, 200, document);
  }

  private ObjectNode place(ObjectNode row, String queue) {
    return row.put("queueName", queue).put("hostname", hostName).put("workerId", 0);
  }

  private void retention(Context ctx) throws IOException {
    var question = ask(ctx);
    var groupBy = groupBy(question.query(), null);
    var key = groupBy == null ? GroupBy.ALL : groupBy;
    var buckets = buckets(question, key);
    var document = Buckets.document(question.window());
    var series = document.putArray("series");
    Buckets.byTime(buckets)
        .forEach(
            (minute, counts) ->
                Buckets.retention(series.addObject().put("bucket", Buckets.time(minute)), counts));
    Buckets.retention(document.putObject("totals"), Buckets.total(buckets));
    if (groupBy != null) {
      document.put("groupBy", word(groupBy));
      var rows = document.putArray("rows");
      byKey(buckets)
          .forEach(
              (name, own) ->
                  Buckets.retention(rows.addObject().put("key", name), Buckets.total(own)));
    }
    Answer.send(ctx, 200, document);
  }

  private void workload(Context ctx) throws IOException {
    var question = ask(ctx);
    var key = groupBy(question.query(), GroupBy.NAMESPACE);
    var window = question.window();
    var buckets = buckets(question, key);
    var document = Buckets.document(window).put("groupBy", word(key));
    var times = new ArrayList<>(Buckets.byTime(buckets).keySet());
    var names = document.putArray("buckets");
    times.forEach(minute -> names.add(Buckets.time(minute)));
    var now = new TreeMap<String, List<Analytics.QueueNow>>();
    for (var queue : engine.analytics().now(question.scope())) {
      now.computeIfAbsent(key(queue, key), name -> new ArrayList<>()).add(queue);
    }
    var history = byKey(buckets);
    history.keySet().forEach(name -> now.putIfAbsent(name, List.of()));
    var rows = document.putArray("rows");
    now.forEach(
        (name, queues) -> {
          var own = history.getOrDefault(name, List.of());
          var row = rows.addObject().put("key", name).put("queues", queues.size());
          double minutes = Math.max(1, Buckets.span(window).toMinute() - window.fromMinute());
          Buckets.traffic(row.putObject("window"), Buckets.total(own), minutes);
          var series = row.putArray("series");
          for (var bucket : own) {
            Buckets.traffic(
                series.addObject().put("bucket", Buckets.time(bucket.minute())),
                bucket.counts(),
                window.bucketMinutes());
          }
          row.set("now", StatusDocuments.now(queues));
        });
    Answer.send(ctx, 200, document.put("tenant", question.scope().tenant().toString()));
  }

  private static String key(Analytics.QueueNow queue, GroupBy key) {
    return switch (key) {
      case QUEUE -> queue.queue();
      case NAMESPACE -> queue.namespace();
      case TASK -> queue.task();
      case ALL -> "";
    };
  }

  private void signatures(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var query = Query.of(ctx);
    var queue = query.text("queue");
    if (queue == null) {
      throw HttpProblem.badRequest("queue required");
    }
    int limit = Math.clamp(query.integer("limit", SIGNATURES_DEFAULT), 1, SIGNATURES_MAX);
    var letters =
        engine
            .analytics()
            .deadLetters(tenant, queue, limit)
            .orElseThrow(() -> new HttpProblem(404, "Queue not found", null));
    Answer.send(ctx, 200, DeadLetterSignatures.document(queue, letters));
  }

  private void liveness(Context ctx) throws IOException {
    var question = ask(ctx);
    int limit = Math.clamp(question.query().integer("limit", LIVENESS_DEFAULT), 1, LIVENESS_MAX);
    var document = Json.object().put("capturedAt", Times.text(Instant.now()));
    var rows = document.putArray("rows");
    engine.analytics().liveness(question.scope()).stream()
        .sorted(
            Comparator.comparingInt(Liveness::partitions).reversed().thenComparing(Liveness::queue))
        .limit(limit)
        .forEach(
            queue ->
                rows.addObject()
                    .put("queue", queue.queue())
                    .put("namespace", queue.namespace())
                    .put("task", queue.task())
                    .put("partitions", queue.partitions())
                    .put("live1h", queue.liveHour())
                    .put("live24h", queue.liveDay())
                    .put("live7d", queue.liveWeek())
                    .put("created24h", queue.createdDay())
                    .put("oldestWriteAt", time(queue.oldestWriteAt()))
                    .put("newestWriteAt", time(queue.newestWriteAt()))
                    .put("pending", queue.pending()));
    Answer.send(ctx, 200, document);
  }

  private static String time(Instant instant) {
    return instant == null ? null : Times.text(instant);
  }

  private static Map<String, List<Bucket>> byKey(List<Bucket> buckets) {
    var byKey = new TreeMap<String, List<Bucket>>();
    for (var bucket : buckets) {
      byKey.computeIfAbsent(bucket.key(), name -> new ArrayList<>()).add(bucket);
    }
    return byKey;
  }

  private static GroupBy groupBy(Query query, GroupBy fallback) {
    var word = query.text("groupBy");
    if (word == null) {
      return fallback;
    }
    for (var key : List.of(GroupBy.NAMESPACE, GroupBy.TASK, GroupBy.QUEUE)) {
      if (word(key).equals(word)) {
        return key;
      }
    }
    throw HttpProblem.badRequest("bad groupBy");
  }

  private static String word(GroupBy key) {
    return key.name().toLowerCase(Locale.ROOT);
  }
}
