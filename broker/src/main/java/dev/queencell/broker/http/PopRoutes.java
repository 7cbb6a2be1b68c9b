package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PopTicket;
import dev.queencell.service.ClientWatch;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
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
  private static final long ENGINE_MARGIN_MS = 25;

  /** What it did not answer this much before the client's deadline is given up. */
  private static final long DEADLINE_MARGIN_MS = 10;

  /**
   * Messages on their way may come late to a client that waits for less. Given up each time, they
   * would never reach one whose wait is shorter than a slow commit.
   */
  private static final long DEADLINE_MS_MIN = 1000;

  /** Most pops end sooner; watching a connection costs the selector a turn. */
  private static final long WATCH_AFTER_MS = 250;

  private final Engine engine;
  private final Gates gates;
  private final Tenancy tenancy;
  private final ApiConfig config;
  private final HttpCounters counters;

  PopRoutes(Engine engine, Gates gates, Tenancy tenancy, ApiConfig config, HttpCounters counters) {
    this.engine = engine;
    this.gates = gates;
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
    if (gates.maintenance().popPaused()) {
      paused(ctx, query);
      return;
    }
    long waitMs = query.longPoll() ? engineWaitMs(query.timeoutMs()) : 0;
    var chosen = query.chosen(queue, partition, config.autopilot().batch());
    var request = query.request(tenant, queue, partition, waitMs, chosen);
    var ticket = engine.pop(request);
    var result = await(ctx, ticket, query);
    if (result.claims().isEmpty()) {
      var policy = result.policy();
      if (gates.maintenance().popPaused()) {
        paused(ctx, query);
      } else if (policy.conflation() || policy.conflict()) {
        var name = queue == null ? "" : queue;
        HttpServer.json(ctx, 200, PopAnswer.empty(policy, name, request.group()));
      } else {
        Answer.nothing(ctx);
      }
      return;
    }
    boolean written = false;
    try {
      var name = queue == null ? "" : queue;
      var json = PopAnswer.write(result, name, request.group(), chosen, gates.cipher());
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
    long deadlineNanos =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMs(query.timeoutMs()));
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
    Runnable pause = ticket::endWait;
    var watch =
        ClientWatch.open(
            ctx,
            () -> {
              // First: the ticket's own end must not look like the engine's answer.
              left.complete(PopResult.EMPTY);
              abandon(ticket);
            });
    gates.maintenance().onPopPause(pause);
    try {
      waitFor(either, ticket, deadlineNanos);
    } finally {
      gates.maintenance().forget(pause);
      watch.close();
    }
    if (left.isDone()) {
      ticket.cancel();
      return PopResult.EMPTY;
    }
    return ticket.result().get();
  }

  private static void waitFor(
      CompletableFuture<Object> either, PopTicket ticket, long deadlineNanos)
      throws ExecutionException, InterruptedException {
    try {
      either.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // Now there is an answer, or what has been taken for it is about to come.
      ticket.endWait();
      either.get();
    }
  }

  private void abandon(PopTicket ticket) {
    counters.popsAbandoned.increment();
    ticket.cancel();
  }

  /** How long the engine may park a pop whose client waits for {@code timeoutMs}. */
  static long engineWaitMs(long timeoutMs) {
    return timeoutMs - Math.min(ENGINE_MARGIN_MS, timeoutMs / 10);
  }

  /** When a pop is given up whose engine does not answer. */
  static long deadlineMs(long timeoutMs) {
    return Math.max(DEADLINE_MS_MIN, timeoutMs - DEADLINE_MARGIN_MS);
  }

  private static RuntimeException unavailable(Throwable cause) {
    return switch (cause) {
      case EngineUnavailableException e -> e;
      case RuntimeException e -> e;
      default -> new IllegalStateException("pop failed", cause);
    };
  }

  /** A consumer that asked for conflation is told; to others it is as if there was nothing. */
  private static void paused(Context ctx, PopQuery query) throws IOException {
    if (query.conflation()) {
      HttpServer.json(ctx, 200, pausedBytes());
    } else {
      Answer.nothing(ctx);
    }
  }

  /** The answer to a consumer that asked for conflation while pops are paused. */
  static byte[] pausedBytes() {
    var answer = Json.object();
    answer.putArray("messages");
    return Json.bytes(answer.put("paused", true).put("conflation", true));
  }

  private static void refuseDiscovery(Context ctx) throws IOException {
    var refusal = Json.object().put("success", false).put("error", "namespace or task is required");
    refusal.putArray("messages");
    Answer.send(ctx, 400, refusal);
  }
}
