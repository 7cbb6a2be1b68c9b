package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.UsedKeys;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import io.javalin.http.Context;
import java.io.IOException;

/** The tenants' listener: {@code /healthz}, and everything else through the handler. */
public final class EdgeApi implements AutoCloseable {
  /** For requests that run; parked pops are cut at once. */
  private static final long STOP_TIMEOUT_MS = 5_000;

  private final EdgePolicy policy;
  private final EdgeHandler handler;
  private final HttpServer server;

  private EdgeApi(String host, int port, EdgePolicy policy, EdgeHandler handler) {
    this.policy = policy;
    this.handler = handler;
    // Before every route: the paths are classified here, not by the server's router.
    this.server =
        HttpServer.start(host, port, STOP_TIMEOUT_MS, routes -> routes.before(this::serve));
  }

  /**
   * Starts listening.
   *
   * @throws IllegalStateException when the address can't be bound
   */
  public static EdgeApi start(
      String host,
      int port,
      EdgePolicy policy,
      Directory directory,
      UsedKeys usedKeys,
      CellUse cell,
      Brokers brokers,
      EdgeMetrics metrics) {
    var quota = new Quota(policy, new LimitNotes(metrics));
    var gate = new CallGate();
    metrics.gauge("calls_running", "Calls at a broker, parked pops aside", gate::running);
    metrics.gauge("calls_waiting", "Calls that wait for their turn", gate::waiting);
    var handler =
        new EdgeHandler(
            new Gatekeeper(directory, usedKeys, policy),
            cell,
            quota,
            new Forwarder(brokers, policy, quota, gate),
            policy,
            metrics);
    return new EdgeApi(host, port, policy, handler);
  }

  /** The port that is listened on. */
  public int port() {
    return server.port();
  }

  @Override
  public void close() {
    handler.stopWaiting();
    server.close();
  }

  private void serve(Context ctx) throws IOException {
    ctx.skipRemainingHandlers();
    if (ctx.req().getRequestURI().equals("/healthz")) {
      health(ctx);
    } else {
      handler.handle(ctx);
    }
  }

  private void health(Context ctx) throws IOException {
    HttpServer.json(
        ctx,
        200,
        Json.bytes(
            Json.object()
                .put("enforce", policy.enforce())
                .put("shared_hosts", policy.sharedHosts().size())
                .put("status", "ok")
                .put("tenant_header", policy.tenantHeader())));
  }
}
