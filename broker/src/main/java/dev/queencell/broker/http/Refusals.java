package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.EngineUnavailableException;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
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
    var owner = e.ownerUrl();
    if (owner != null && !owner.equals(ownUrl)) {
      counters.redirects.increment();
      var query = ctx.req().getQueryString();
      ctx.res()
          .setHeader(
              "Location", owner + ctx.req().getRequestURI() + (query == null ? "" : "?" + query));
      send(ctx, new HttpProblem(307, "the owner is at " + owner, "standby"));
      return;
    }
    counters.unavailable.increment();
    var code =
        switch (engine.role()) {
          case STANDBY -> "standby";
          case LOADING -> "loading";
          case OWNER -> "database_unavailable";
        };
    ctx.res().setHeader("Retry-After", Integer.toString(RETRY_AFTER_SECONDS));
    send(ctx, new HttpProblem(503, e.getMessage(), code));
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
