package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.PopRequest;
import dev.queencell.broker.engine.Traces;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.Serial;
import java.util.UUID;

/**
 * {@code /api/v1/traces}: clients' notes on their messages. Reads speak snake_case, as the contract
 * has it.
 */
final class TraceRoutes {
  private static final int BY_NAME_DEFAULT = 100;
  private static final int NAMES_DEFAULT = 50;

  /** Stored with every trace by the contract; there are no workers to tell apart. */
  private static final String WORKER_ID = "seg-rust";

  private final Engine engine;
  private final Tenancy tenancy;
  private final BodyBudget bodies;

  TraceRoutes(Engine engine, Tenancy tenancy, BodyBudget bodies) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.bodies = bodies;
  }

  void register(RoutesConfig routes) {
    routes.post("/api/v1/traces", this::record);
    // Routes are tried in order: the static ones win over the address.
    routes.get("/api/v1/traces/names", this::names);
    routes.get("/api/v1/traces/by-name/{traceName}", this::byName);
    routes.get("/api/v1/traces/{partitionId}/{transactionId}", this::ofMessage);
  }

  private void record(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    try (var body = bodies.read(ctx, 4 * Traces.DATA_BYTES_MAX)) {
      var trace = TraceBody.parse(body.bytes());
      var partitionId = uuid(trace.partitionId());
      if (partitionId == null) {
        throw tenancy.isEnabled()
            ? new MessageNotFound()
            : new HttpProblem(
                500,
                "trace failed: invalid input syntax for type uuid: \"%s\""
                    .formatted(trace.partitionId()),
                null);
      }
      var id =
          engine
              .traces()
              .record(
                  tenant,
                  new Traces.NewTrace(
                      partitionId,
                      trace.transactionId(),
                      trace.group() == null ? PopRequest.QUEUE_MODE : trace.group(),
                      trace.eventType(),
                      trace.data(),
                      trace.names()),
                  tenancy.isEnabled());
      if (id.isEmpty()) {
        throw new MessageNotFound();
      }
      Answer.send(ctx, 201, Json.object().put("success", true).put("traceId", id.get().toString()));
    } catch (MessageNotFound e) {
      Answer.send(ctx, 404, Json.object().put("success", false).put("error", "Message not found"));
    }
  }

  private void ofMessage(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var partitionId = uuid(ctx.pathParam("partitionId"));
    var out = new JsonOut(1024).raw(JsonOut.ascii("{\"traces\":["));
    if (partitionId != null) {
      var traces = engine.traces();
      for (var trace :
          traces.ofMessage(tenant, partitionId, Slice.utf8(ctx.pathParam("transactionId")))) {
        separate(out);
        write(out, trace).raw('}');
      }
    }
    Answer.send(ctx, 200, out.raw(']').raw('}'));
  }

  private void byName(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var page = Page.of(Query.of(ctx), BY_NAME_DEFAULT);
    var found =
        engine.traces().byName(tenant, ctx.pathParam("traceName"), page.limit(), page.offset());
    var out = new JsonOut(4096).raw(JsonOut.ascii("{\"traces\":["));
    for (var trace : found.rows()) {
      separate(out);
      write(out, trace).raw(JsonOut.ascii(",\"transaction_id\":")).string(trace.transactionId());
      out.raw(JsonOut.ascii(",\"partition_id\":")).uuid(trace.partitionId());
      out.raw(JsonOut.ascii(",\"queue_name\":")).string(trace.queue());
      out.raw(JsonOut.ascii(",\"partition_name\":")).string(trace.partition());
      out.raw(JsonOut.ascii(",\"message_payload\":null}"));
    }
    end(out, found.total(), page);
    Answer.send(ctx, 200, out);
  }

  private void names(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    var page = Page.of(Query.of(ctx), NAMES_DEFAULT);
    var found = engine.traces().names(tenant, page.limit(), page.offset());
    var out = new JsonOut(4096).raw(JsonOut.ascii("{\"trace_names\":["));
    for (var name : found.rows()) {
      separate(out);
      out.raw(JsonOut.ascii("{\"trace_name\":")).string(name.name());
      out.raw(JsonOut.ascii(",\"trace_count\":")).number(name.traces());
      out.raw(JsonOut.ascii(",\"message_count\":")).number(name.messages());
      out.raw(JsonOut.ascii(",\"last_seen\":")).time(name.lastMicros()).raw('}');
    }
    end(out, found.total(), page);
    Answer.send(ctx, 200, out);
  }

  /** Writes what all reads tell of a trace, its last brace excepted. */
  private static JsonOut write(JsonOut out, Traces.Trace trace) {
    out.raw(JsonOut.ascii("{\"id\":")).uuid(trace.id());
    out.raw(JsonOut.ascii(",\"event_type\":")).string(trace.eventType());
    out.raw(JsonOut.ascii(",\"data\":")).raw(Slice.utf8(trace.data()).array());
    out.raw(JsonOut.ascii(",\"consumer_group\":")).string(trace.group());
    out.raw(JsonOut.ascii(",\"worker_id\":")).string(WORKER_ID);
    out.raw(JsonOut.ascii(",\"created_at\":")).time(trace.createdAtMicros());
    out.raw(JsonOut.ascii(",\"trace_names\":["));
    for (var name : trace.names()) {
      separate(out);
      out.string(name);
    }
    return out.raw(']');
  }

  private static void separate(JsonOut out) {
    if (out.buffer()[out.size() - 1] != '[') {
      out.raw(',');
    }
  }

  private static void end(JsonOut out, long total, Page page) {
    out.raw(JsonOut.ascii("],\"total\":")).number(total);
    out.raw(JsonOut.ascii(",\"pagination\":{\"limit\":")).number(page.limit());
    out.raw(JsonOut.ascii(",\"offset\":")).number(page.offset()).raw('}').raw('}');
  }

  private static UUID uuid(String text) {
    try {
      return text.length() == 36 ? UUID.fromString(text) : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The partition is not there, or another tenant's, which is told the same way. */
  private static final class MessageNotFound extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    MessageNotFound() {
      super("Message not found", null, false, false);
    }
  }
}
