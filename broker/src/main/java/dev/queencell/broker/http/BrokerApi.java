package dev.queencell.broker.http;

import dev.queencell.broker.engine.Engine;
import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpServer;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.List;

/**
 * The broker's HTTP API on an engine. The messages' own requests go without a thread, see {@link
 * DirectMessages}; every other one has a virtual thread, which blocks on the engine until its
 * answer is durable.
 *
 * <p>{@link #close()} stops the listener and leaves the engine alone; close the engine first, so
 * that parked pops are answered.
 */
public final class BrokerApi implements AutoCloseable {
  private final HttpServer server;

  /** Null: every request takes the routes. */
  private final DirectMessages direct;

  private BrokerApi(HttpServer server, DirectMessages direct) {
    this.server = server;
    this.direct = direct;
  }

  /**
   * Starts serving.
   *
   * @throws IllegalStateException when the address can't be bound
   */
  public static BrokerApi start(ApiConfig config, Engine engine, Gates gates, BuildIdentity build) {
    var tenancy = new Tenancy(config.tenancyHeader());
    var bodies = new BodyBudget(config.bodyBudgetBytes(), config.bodyBytesMax());
    var counters = new HttpCounters();
    var metrics = new MetricsPages(engine, build, bodies, counters, gates);
    var refusals = new Refusals(engine, config.ownUrl(), counters);
    var direct = direct(config, engine, gates, tenancy, bodies, counters, refusals);
    var server =
        HttpServer.start(
            config.bindAddr(),
            config.port(),
            config.stopTimeoutMs(),
            config.probes(),
            routes -> {
              crossOrigin(routes, config.corsOrigin());
              new AccessGate(gates.access()).register(routes);
              // Routes are tried in this order: the busiest stand first.
              new MessageRoutes(engine, gates.pushes(), tenancy, bodies).register(routes);
              new PopRoutes(engine, gates, tenancy, config, counters).register(routes);
              new TransactionRoutes(engine, tenancy, bodies).register(routes);
              new ConfigureRoute(engine, tenancy, bodies).register(routes);
              new QueueRoutes(engine, tenancy).register(routes);
              new DeadLetterRoutes(engine, tenancy, bodies, gates).register(routes);
              new BrowseRoutes(engine, tenancy, gates.cipher()).register(routes);
              new TraceRoutes(engine, tenancy, bodies).register(routes);
              new GroupRoutes(engine, tenancy, bodies).register(routes);
              new OverviewRoutes(engine, tenancy).register(routes);
              new AnalyticsRoutes(engine, tenancy).register(routes);
              new CellRoutes(engine, tenancy).register(routes);
              new StatusRoutes(engine, config, build, metrics).register(routes);
              new SystemRoutes(engine, tenancy, bodies, gates).register(routes);
              new ApiDocument().register(routes);
              refusals.register(routes);
            },
            new HttpServer.Direct(direct, direct, null));
    return new BrokerApi(server, direct);
  }

  /** The port that is listened on. */
  public int port() {
    return server.port();
  }

  /** What is registered. */
  List<HttpServer.Route> routes() {
    return server.routes();
  }

  @Override
  public void close() {
    server.close();
    if (direct != null) {
      direct.close();
    }
  }

  /**
   * The messages' short way. Not where requests must first show who they are, which may mean asking
   * another server, nor where answers carry more than themselves.
   */
  private static DirectMessages direct(
      ApiConfig config,
      Engine engine,
      Gates gates,
      Tenancy tenancy,
      BodyBudget bodies,
      HttpCounters counters,
      Refusals refusals) {
    if (gates.access().enabled() || config.corsOrigin() != null) {
      return null;
    }
    var pops = new DirectPops(engine, gates, tenancy, config, counters, refusals);
    return new DirectMessages(engine, gates.pushes(), tenancy, bodies, refusals, pops);
  }

  /**
   * A browser's preflight is always answered; it is let in only where an origin is configured,
   * since any page could otherwise read a broker that listens on its visitor's loopback.
   */
  private static void crossOrigin(RoutesConfig routes, String origin) {
    routes.options("/*", Answer::nothing);
    if (origin != null) {
      routes.before(ctx -> allow(ctx, origin));
    }
  }

  private static void allow(Context ctx, String origin) {
    var response = ctx.res();
    response.setHeader("Access-Control-Allow-Origin", origin);
    if (ctx.req().getMethod().equals("OPTIONS")) {
      response.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
      response.setHeader("Access-Control-Allow-Headers", "Content-Type, Authorization");
      response.setHeader("Access-Control-Max-Age", "86400");
    }
  }
}
