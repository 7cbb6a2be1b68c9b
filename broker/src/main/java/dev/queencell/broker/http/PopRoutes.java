package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PopTicket;
import dev.queencell.service.ClientWatch;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The three pop routes. A handler blocks on the engine's ticket; whatever ends it without an answer
 * on the wire (the client left, the write failed, the deadline came first) cancels the ticket, so
 * that the engine gives the messages back.
 */
final class PopRoutes {
  static final int BATCH_DEFAULT = 200;

  /** The engine is asked to end a wait this much before the client's deadline. */
  private static final long ANSWER_MARGIN_MS = 25;

  /** Messages on their way may come late by this much to a client that waits for less. */
  private static final long DEADLINE_MIN_MS = 1000;

  /** Most pops end sooner; watching a connection costs the selector a turn. */
  private static final long WATCH_AFTER_MS = 250;

  private final Engine engine;
  private final Tenancy tenancy;
  private final ApiConfig config;
  private final HttpCounters counters;

  PopRoutes(Engine engine, Tenancy tenancy, ApiConfig config, HttpCounters counters) {
    this.engine = engine;
    this.tenancy = tenancy;
    this.config = config;
    this.counters = counters;
  }

  void register(RoutesConfig routes) {
    routes.get("/api/v1/pop/queue/{queue}", ctx -> pop(ctx, ctx.pathParam("queue"), null));
    routes.get(
        "/api/v1/pop/queue/{queue}/partition/{partition}",
        ctx -> pop(ctx, ctx.pathParam("queue"), ctx.pathParam("partition")));
    routes.get("/api/v1/pop", ctx -> pop(ctx, null, null));
  }

  private void pop(Context ctx, String queue, String partition) throws IOException {
    var tenant = tenancy.of(ctx);
    var query = PopQuery.of(ctx, config);
    if (queue == null && query.namespace() == null && query.task() == null) {
      refuseDiscovery(ctx);
      return;
    }
    long waitMs = query.longPoll() ? engineWaitMs(query.timeoutMs()) : 0;
    var request = query.request(tenant, queue, partition, waitMs);
    var ticket = engine.pop(request);
    var result = await(ctx, ticket, query);
    if (result.claims().isEmpty()) {
      Answer.nothing(ctx);
      return;
    }
    boolean written = false;
    try {
      var json = PopAnswer.write(result, queue == null ? "" : queue, request.group());
      Answer.send(ctx, 200, json);
      counters.popAnswerBytes.add(json.size());
      written = true;
    } finally {
      if (!written) {
        abandon(ticket);
      }
    }
  }

  /** The ticket's result; empty when there is no one left to write it to, or no time. */
  private PopResult await(Context ctx, PopTicket ticket, PopQuery query) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMs(query));
    try {
      if (!query.longPoll()) {
        return ticket.result().get();
      }
      try {
        return ticket.result().get(WATCH_AFTER_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        return awaitWatched(ctx, ticket, deadlineNanos);
      }
    } catch (ExecutionException e) {
      throw unavailable(e.getCause());
    } catch (InterruptedException e) {
      ticket.cancel();
      Thread.currentThread().interrupt();
      throw new HttpProblem(503, "this broker is stopping", "stopping", 1);
    }
  }

  private PopResult awaitWatched(Context ctx, PopTicket ticket, long deadlineNanos)
      throws ExecutionException, InterruptedException {
    var left = new CompletableFuture<PopResult>();
    var either = CompletableFuture.anyOf(ticket.result(), left);
    var watch =
        ClientWatch.open(
            ctx,
            () -> {
              abandon(ticket);
              left.complete(PopResult.EMPTY);
            });
    try {
      either.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      ticket.cancel();
      return PopResult.EMPTY;
    } finally {
      watch.close();
    }
    return left.isDone() ? PopResult.EMPTY : ticket.result().get();
  }

  private void abandon(PopTicket ticket) {
    counters.popsAbandoned.increment();
    ticket.cancel();
  }

  private static long engineWaitMs(long timeoutMs) {
    return timeoutMs - Math.min(ANSWER_MARGIN_MS, timeoutMs / 10);
  }

  private static long deadlineMs(PopQuery query) {
    return Math.max(DEADLINE_MIN_MS, query.timeoutMs() - Math.min(5, query.timeoutMs() / 20));
  }

  private static RuntimeException unavailable(Throwable cause) {
    return switch (cause) {
      case EngineUnavailableException e -> e;
      case RuntimeException e -> e;
      default -> new IllegalStateException("pop failed", cause);
    };
  }

  private static void refuseDiscovery(Context ctx) throws IOException {
    var refusal = Json.object().put("success", false).put("error", "namespace or task is required");
    refusal.putArray("messages");
    Answer.send(ctx, 400, refusal);
  }
}
