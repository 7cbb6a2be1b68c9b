package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.service.DirectExchange;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers to requests that no route answers: unknown paths, and everything that reaches a broker
 * which can't decide now. A standby sends the request on to the owner, method and body included.
 */
final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

  private static final int RETRY_AFTER_SECONDS = 1;

  private final Engine engine;
  private final String ownUrl;
  private final HttpCounters counters;

  Refusals(Engine engine, String ownUrl, HttpCounters counters) {
    this.engine = engine;
    this.ownUrl = ownUrl;
    this.counters = counters;
  }

  void register(RoutesConfig routes) {
    routes.exception(EngineUnavailableException.class, this::unavailable);
    routes.exception(HttpResponseException.class, Refusals::unmatched);
  }

  private void unavailable(EngineUnavailableException e, Context ctx) {
    var location = location(e, ctx.req().getRequestURI(), ctx.req().getQueryString());
    if (location != null) {
      ctx.res().setHeader("Location", location);
    }
    var problem = problem(e, location);
    if (problem.retryAfterSeconds() > 0) {
      ctx.res().setHeader("Retry-After", Integer.toString(problem.retryAfterSeconds()));
    }
    send(ctx, problem);
  }

  /** Answers what could not be done, whatever the reason. */
  void send(DirectExchange exchange, Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    switch (cause) {
      case HttpProblem problem -> exchange.send(problem);
      case EngineUnavailableException e -> {
        var location = location(e, exchange.path(), exchange.query());
        if (location != null) {
          exchange.answerHeader("Location", location);
        }
        exchange.send(problem(e, location));
      }
      default -> {
        LOG.error("{} {} failed", exchange.method(), exchange.path(), cause);
        exchange.send(new HttpProblem(500, "internal error", "internal"));
      }
    }
  }

  /** Where the request is to be sent instead; null when nobody else can do better. */
  private String location(EngineUnavailableException e, String path, String query) {
    var owner = e.ownerUrl();
    return owner == null || owner.equals(ownUrl)
        ? null
        : owner + path + (query == null ? "" : "?" + query);
  }

  private HttpProblem problem(EngineUnavailableException e, String location) {
    if (location != null) {
      counters.redirects.increment();
      return new HttpProblem(307, "the owner is at " + e.ownerUrl(), "standby");
    }
    counters.unavailable.increment();
    var code =
        switch (engine.role()) {
          case STANDBY -> "standby";
          case LOADING -> "loading";
          case OWNER -> "database_unavailable";
        };
    return new HttpProblem(503, e.getMessage(), code, RETRY_AFTER_SECONDS);
  }

  private static void unmatched(HttpResponseException e, Context ctx) {
    if (e.getStatus() != 404) {
      send(ctx, new HttpProblem(e.getStatus(), e.getMessage(), null));
      return;
    }
    var path = ctx.path();
    var method = ctx.req().getMethod();
    boolean page = method.equals("GET") || method.equals("HEAD");
    boolean api = path.startsWith("/api/") || path.startsWith("/auth/");
    send(ctx, new HttpProblem(404, "Not Found", api || !page ? "no_such_route" : null));
  }

  private static void send(Context ctx, HttpProblem problem) {
    try {
      HttpServer.json(ctx, problem.status(), problem.body());
    } catch (IOException e) {
      LOG.debug("client left before its answer: {}", e.toString());
    }
  }
}
