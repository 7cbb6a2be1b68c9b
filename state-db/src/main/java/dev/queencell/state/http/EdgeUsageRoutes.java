package dev.queencell.state.http;

import dev.queencell.service.Json;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.edge.EdgeViews;
import dev.queencell.state.quota.Reservations;
import dev.queencell.state.usage.Metering;
import dev.queencell.state.usage.Storage;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * {@code /api/edge}: what the proxy tells and shares: metering, what brokers keep, tokens. Under
 * the guard of {@link EdgeRoutes}.
 */
final class EdgeUsageRoutes {
  private static final long SECONDS_PER_MINUTE = 60;
  private static final int QUEUE_NAME_CHARS_MAX = 1024;
  private static final int TIME_CHARS_MAX = 40;

  private static final List<String> BUCKETS =
      Arrays.stream(Reservations.Bucket.values()).map(Reservations.Bucket::wireName).toList();

  private final Metering metering;
  private final Storage storage;
  private final Reservations reservations;
  private final EdgeViews views;

  EdgeUsageRoutes(Metering metering, Storage storage, Reservations reservations, EdgeViews views) {
    this.metering = metering;
    this.storage = storage;
    this.reservations = reservations;
    this.views = views;
  }

  void addTo(RoutesConfig routes) {
    routes.post("/api/edge/usage", this::usage);
    routes.put("/api/edge/clusters/{id}/inventory", this::inventory);
    routes.get("/api/edge/clusters/{id}/queues", this::queues);
    routes.post("/api/edge/reservations", this::reserve);
  }

  private void usage(Context ctx) throws IOException {
    var fields = Fields.of(ctx);
    var batchId = fields.uuid("batch_id");
    var samples = fields.each("rows", Metering.ROWS_MAX, EdgeUsageRoutes::sample);
    if (samples.isEmpty()) {
      throw Refusal.invalid("rows is empty; an empty batch needs no sending");
    }
    var keys = new HashSet<String>();
    for (int i = 0; i < samples.size(); i++) {
      var sample = samples.get(i);
      if (!keys.add(sample.clusterId() + " " + sample.minute() + " " + sample.opClass())) {
        throw Refusal.invalid("rows[%d] repeats the key of another row".formatted(i));
      }
    }
    Answers.send(ctx, 200, Json.object().put("applied", metering.count(batchId, samples)));
  }

  private void inventory(Context ctx) throws IOException {
    var id = Fields.checkUuid("id", ctx.pathParam("id"));
    var fields = Fields.of(ctx);
    var queues =
        fields.each(
            "queues",
            Storage.QUEUES_MAX,
            queue ->
                new Storage.Queue(
                    queue.text("name", QUEUE_NAME_CHARS_MAX),
                    queue.number("partitions", 0, Integer.MAX_VALUE)));
    if (queues.stream().map(Storage.Queue::name).distinct().count() < queues.size()) {
      throw Refusal.invalid("queues names a queue twice");
    }
    var retained = fields.numberOr("retained_bytes", null, 0, Long.MAX_VALUE);
    storage.report(id, new Storage.Inventory(retained, fields.flagOr("complete", false), queues));
    Answers.send(ctx, 200, Json.object().set("blocks", views.clusterById(id).get("blocks")));
  }

  private void queues(Context ctx) throws IOException {
    var answer = Json.object();
    var list = answer.putArray("queues");
    for (var queue : storage.queues(Fields.checkUuid("id", ctx.pathParam("id")))) {
      list.addObject().put("name", queue.name()).put("partitions", queue.partitions());
    }
    Answers.send(ctx, 200, answer);
  }

  private void reserve(Context ctx) throws IOException {
    var asks = Fields.of(ctx).each("asks", Reservations.ASKS_MAX, EdgeUsageRoutes::ask);
    var keys = new HashSet<String>();
    for (int i = 0; i < asks.size(); i++) {
      if (!keys.add(asks.get(i).clusterId() + " " + asks.get(i).bucket())) {
        throw Refusal.invalid("asks[%d] names the bucket of another ask".formatted(i));
      }
    }
    var grants = reservations.reserve(asks);
    var answer = Json.object();
    var list = answer.putArray("grants");
    for (int i = 0; i < grants.size(); i++) {
      var grant = grants.get(i);
      list.addObject()
          .put("cluster_id", asks.get(i).clusterId().toString())
          .put("bucket", asks.get(i).bucket().wireName())
          .put("granted", grant.granted())
          .put("retry_after_ms", grant.retryAfterMs())
          .put("rate", grant.ratePerSecond())
          .put("capacity", grant.capacity());
    }
    Answers.send(ctx, 200, answer);
  }

  private static Metering.Sample sample(Fields row) {
    return new Metering.Sample(
        row.uuid("cluster_id"),
        minute(row.text("minute", TIME_CHARS_MAX)),
        row.requiredChoice("op_class", Metering.OP_CLASSES),
        row.number("reqs", 0, Metering.NUMBER_MAX),
        row.number("msgs", 0, Metering.NUMBER_MAX),
        row.number("bytes_in", 0, Metering.NUMBER_MAX),
        row.number("bytes_out", 0, Metering.NUMBER_MAX));
  }

  private static Reservations.Ask ask(Fields ask) {
    UUID clusterId = ask.uuid("cluster_id");
    var bucket = ask.requiredChoice("bucket", BUCKETS);
    long need = ask.number("need", 0, Reservations.TOKENS_MAX);
    return new Reservations.Ask(
        clusterId,
        Reservations.Bucket.valueOf(bucket.toUpperCase(Locale.ROOT)),
        need,
        ask.numberOr("want", need, need, Reservations.TOKENS_MAX),
        ask.numberOr("give_back", 0L, 0, Reservations.TOKENS_MAX),
        ask.numberOr("debit", 0L, 0, Reservations.TOKENS_MAX));
  }

  private static Instant minute(String text) {
    try {
      var minute = Instant.parse(text);
      if (minute.getNano() == 0 && minute.getEpochSecond() % SECONDS_PER_MINUTE == 0) {
        return minute;
      }
    } catch (DateTimeException e) {
      // Falls through to the one message for every unusable minute.
    }
    throw Refusal.invalid("minute takes a full minute in UTC like 2026-11-30T18:55:00Z");
  }
}
