package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.spool.Pushes;
import dev.queencell.service.DirectExchange;
import dev.queencell.service.DirectRoutes;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Push and acknowledgement without a thread per request, and {@link DirectPops}: begun where they
 * were read, answered there when a commit has made them durable. What may have to wait for
 * something else (a share of the body budget, a path that needs decoding) is left to {@link
 * MessageRoutes} and {@link PopRoutes}, which do the same with a thread.
 */
final class DirectMessages implements DirectRoutes<DirectExchange>, AutoCloseable {
  /** Reading more than this takes the selector's thread away from the others for too long. */
  private static final long BODY_BYTES_MAX = 256 * 1024;

  private final Engine engine;
  private final Pushes pushes;
  private final Tenancy tenancy;
  private final BodyBudget bodies;
  private final Refusals refusals;
  private final DirectPops pops;

  DirectMessages(
      Engine engine,
      Pushes pushes,
      Tenancy tenancy,
      BodyBudget bodies,
      Refusals refusals,
      DirectPops pops) {
    this.engine = engine;
    this.pushes = pushes;
    this.tenancy = tenancy;
    this.bodies = bodies;
    this.refusals = refusals;
    this.pops = pops;
  }

  /** What was begun, and how its answer is written. */
  private record Call<T>(CompletableFuture<T> outcome, Function<T, Ready> writer) {}

  private record Ready(int status, JsonOut json) {}

  @Override
  public boolean begin(DirectExchange exchange) {
    return switch (exchange.method()) {
      case "GET" -> pops.begin(exchange);
      case "POST" ->
          switch (exchange.path()) {
            case "/api/v1/push" -> withBody(exchange, body -> push(exchange, body));
            case "/api/v1/ack" -> withBody(exchange, body -> ack(exchange, body, false));
            case "/api/v1/ack/batch" -> withBody(exchange, body -> ack(exchange, body, true));
            default -> false;
          };
      default -> false;
    };
  }

  @Override
  public Runnable burst() {
    return engine.burst();
  }

  private boolean withBody(DirectExchange exchange, Function<byte[], Call<?>> begin) {
    long announced = exchange.bodyBytes();
    if (announced < 0 || announced > BODY_BYTES_MAX || !bodies.tryTake(announced)) {
      return false;
    }
    exchange.readBody(
        (int) announced,
        body -> {
          try {
            answer(exchange, announced, begin.apply(body));
          } catch (RuntimeException refusal) {
            refuse(exchange, announced, refusal);
          }
        },
        () -> refuse(exchange, announced, BodyScan.bad("the connection ended inside it")));
    return true;
  }

  private <T> void answer(DirectExchange exchange, long bodyBytes, Call<T> call) {
    var _ =
        call.outcome.whenCompleteAsync(
            (outcome, failure) -> {
              if (failure != null) {
                refuse(exchange, bodyBytes, failure);
                return;
              }
              Ready ready;
              try {
                ready = call.writer.apply(outcome);
              } catch (RuntimeException refusal) {
                refuse(exchange, bodyBytes, refusal);
                return;
              }
              bodies.giveBack(bodyBytes);
              exchange.send(ready.status, ready.json.buffer(), ready.json.size(), () -> {});
            },
            exchange);
  }

  private void refuse(DirectExchange exchange, long bodyBytes, Throwable why) {
    bodies.giveBack(bodyBytes);
    refusals.send(exchange, why);
  }

  private Call<Pushes.Result> push(DirectExchange exchange, byte[] body) {
    var tenant = tenancy.of(exchange);
    var items = PushBody.parse(body, null);
    return new Call<>(
        pushes.start(tenant, items),
        result ->
            new Ready(MessageRoutes.status(result), PushAnswer.write(items, result.outcomes())));
  }

  private Call<?> ack(DirectExchange exchange, byte[] body, boolean batch) {
    var tenant = tenancy.of(exchange);
    var ack = batch ? AckBody.parseBatch(body) : AckBody.parseSingle(body);
    return new Call<>(
        engine.startAck(tenant, ack.group(), ack.items()),
        outcomes -> new Ready(200, AckAnswer.write(ack.items(), outcomes)));
  }

  /** Ends its thread; the server has ended before. */
  @Override
  public void close() {
    pops.close();
  }
}
