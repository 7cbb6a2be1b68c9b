package dev.queencell.state.http;

import dev.queencell.service.BuildIdentity;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.edge.ChangeFeed;
import dev.queencell.state.edge.EdgeViews;
import dev.queencell.state.quota.Reservations;
import dev.queencell.state.session.Sessions;
import dev.queencell.state.store.Database;
import dev.queencell.state.usage.Metering;
import dev.queencell.state.usage.MonthlyQuotas;
import dev.queencell.state.usage.Storage;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.NotFoundResponse;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All routes of the service on one listener. */
public final class StateApi {
  /**
   * Where to listen, which tokens open it, and where the session's cookie is sent.
   *
   * @param cookieDomain nothing for the host alone
   */
  public record Access(
      String host, int port, String adminToken, String edgeToken, Optional<String> cookieDomain) {
    @Override
    public String toString() {
      return "Access[" + host + ":" + port + "]";
    }
  }

  /** What the routes share with what runs beside them. */
  public record Parts(ChangeFeed feed, MonthlyQuotas quotas, Sessions sessions) {}

  private static final Logger LOG = LoggerFactory.getLogger(StateApi.class);

  /** Below the ten seconds that a service has for stopping. */
  private static final long STOP_TIMEOUT_MS = 5_000;

  private final Database database;
  private final BuildIdentity identity;

  private StateApi(Database database, BuildIdentity identity) {
    this.database = database;
    this.identity = identity;
  }

  /**
   * Starts listening.
   *
   * @throws IllegalStateException when the address can't be bound
   */
  public static HttpServer start(
      Access access, Database database, Ledger ledger, Parts parts, BuildIdentity identity) {
    var api = new StateApi(database, identity);
    var views = new EdgeViews(database);
    var controlPlane = new ControlPlaneRoutes(access.adminToken(), ledger, parts.quotas());
    var tenants = new TenantRoutes(ledger);
    var clusterLife = new ClusterLifeRoutes(ledger);
    var edge = new EdgeRoutes(access.edgeToken(), views, parts.feed());
    var edgeUsage =
        new EdgeUsageRoutes(
            new Metering(ledger, parts.quotas()),
            new Storage(ledger),
            new Reservations(database),
            views);
    var front = new FrontRoutes(parts.sessions(), access.cookieDomain());
    var console = new ConsoleRoutes(parts.sessions(), views, ledger);
    return HttpServer.start(
        access.host(),
        access.port(),
        STOP_TIMEOUT_MS,
        routes -> {
          api.addTo(routes);
          controlPlane.addTo(routes);
          tenants.addTo(routes);
          clusterLife.addTo(routes);
          edge.addTo(routes);
          edgeUsage.addTo(routes);
          front.addTo(routes);
          console.addTo(routes);
        });
  }

  private void addTo(RoutesConfig routes) {
    routes.get("/healthz", this::health);
    routes.exception(NotFoundResponse.class, (e, ctx) -> noSuchRoute(ctx));
  }

  private void health(Context ctx) throws IOException {
    database.ping();
    Answers.send(
        ctx,
        200,
        Json.object()
            .put("status", "ok")
            .put("version", identity.version())
            .put("commit", identity.commit()));
  }

  private static void noSuchRoute(Context ctx) {
    // Who came through the proxy is not told the path that it was carried under.
    var problem =
        ctx.path().startsWith(FrontRoutes.PREFIX + "/")
            ? new HttpProblem(404, "no such page", "not_found")
            : new HttpProblem(
                404,
                "no route %s %s".formatted(ctx.method(), Fields.cut(ctx.path())),
                "no_such_route");
    try {
      HttpServer.json(ctx, problem.status(), problem.body());
    } catch (IOException e) {
      LOG.debug("client left before its answer: {}", e.toString());
    }
  }
}
