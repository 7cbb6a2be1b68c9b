package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.Transactions;
import dev.queencell.broker.engine.Transactions.Ack;
import dev.queencell.broker.engine.Transactions.Operation;
import dev.queencell.broker.engine.Transactions.Outcome;
import dev.queencell.broker.engine.Transactions.Push;
import dev.queencell.broker.engine.Transactions.Reason;
import dev.queencell.broker.engine.Transactions.Result;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.UUID;

/**
 * {@code POST /api/v1/transaction}: messages and acknowledgements, all or nothing. What was
 * processed is 200, also when it was rolled back; what can't be read is 400, in the same envelope.
 */
final class TransactionRoutes {
  private static final int BAD_REQUEST = 400;
  private static final int RESULT_BYTES = 224;

  private final Engine engine;
  private final Tenancy tenancy;
  private final BodyBudget bodies;

  TransactionRoutes(Engine engine, Tenancy tenancy, BodyBudget bodies) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.bodies = bodies;
  }

  void register(RoutesConfig routes) {
    routes.post("/api/v1/transaction", this::execute);
  }

  private void execute(Context ctx) throws IOException {
    var tenant = tenancy.of(ctx);
    try (var body = bodies.read(ctx)) {
      TransactionBody parsed;
      try {
        parsed = TransactionBody.parse(body.bytes(), AccessGate.subject(ctx));
      } catch (HttpProblem e) {
        if (e.status() != BAD_REQUEST) {
          throw e;
        }
        Answer.send(ctx, BAD_REQUEST, failure("bad_request", e.getMessage()));
        return;
      }
      var outcome =
          engine
              .transactions()
              .execute(
                  new Transactions.Request(tenant, parsed.operations(), parsed.requiredLeases()));
      Answer.send(ctx, 200, document(parsed, outcome));
    }
  }

  private static JsonOut document(TransactionBody body, Outcome outcome) {
    if (outcome.reason() != null) {
      return failure(word(outcome.reason()), outcome.error());
    }
    var out = new JsonOut(body.operations().size() * RESULT_BYTES + RESULT_BYTES);
    head(out, true).raw(JsonOut.ascii(",\"results\":["));
    for (int i = 0; i < body.operations().size(); i++) {
      if (i > 0) {
        out.raw(',');
      }
      result(out, i, body.operations().get(i), outcome.results().get(i));
    }
    return out.raw(']').raw('}');
  }

  private static JsonOut failure(String reason, String error) {
    var out = new JsonOut(RESULT_BYTES);
    head(out, false).raw(JsonOut.ascii(",\"reason\":")).string(reason);
    return out.raw(JsonOut.ascii(",\"error\":"))
        .string(error)
        .raw(JsonOut.ascii(",\"results\":[]}"));
  }

  private static JsonOut head(JsonOut out, boolean success) {
    // The call's own id; it names nothing else.
    return out.raw(JsonOut.ascii("{\"transactionId\":"))
        .uuid(UUID.randomUUID())
        .raw(JsonOut.ascii(",\"success\":"))
        .bool(success);
  }

  private static void result(JsonOut out, int index, Operation operation, Result result) {
    out.raw(JsonOut.ascii("{\"index\":")).number(index);
    switch (operation) {
      case Push(var item, _) -> {
        out.raw(JsonOut.ascii(",\"type\":\"push\",\"success\":")).bool(result.success());
        transactionId(out, item.transactionId(), result.messageId());
        out.raw(JsonOut.ascii(",\"messageId\":")).uuid(result.messageId());
        out.raw(JsonOut.ascii(",\"queueName\":")).string(item.queue());
        if (result.duplicate()) {
          out.raw(JsonOut.ascii(",\"duplicate\":true"));
        }
      }
      case Ack(_, var item) -> {
        out.raw(JsonOut.ascii(",\"type\":\"ack\",\"success\":")).bool(result.success());
        transactionId(out, item.transactionId(), null);
        out.raw(JsonOut.ascii(",\"error\":")).string(result.error());
        out.raw(JsonOut.ascii(",\"dlq\":")).bool(result.deadLettered());
      }
    }
    out.raw('}');
  }

  private static void transactionId(JsonOut out, Slice own, UUID minted) {
    out.raw(JsonOut.ascii(",\"transactionId\":"));
    if (own == null) {
      out.uuid(minted);
    } else {
      out.string(own);
    }
  }

  private static String word(Reason reason) {
    return switch (reason) {
      case DUPLICATE -> "duplicate";
      case ACK_REJECTED -> "ack_rejected";
      case DB_ERROR, GONE -> "db_error";
    };
  }
}
