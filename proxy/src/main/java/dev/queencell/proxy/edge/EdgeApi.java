package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.proxy.directory.UsedKeys;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.limit.Inventory;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.service.ClientProbes;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import io.javalin.http.Context;
import java.io.IOException;

/**
 * The tenants' listener: {@code /healthz}, sign-in and console, and everything else through the
 * handler.
 */
public final class EdgeApi implements AutoCloseable {
  /** What the listener works with; all of it outlives it. */
  public record Parts(
      Directory directory,
      UsedKeys usedKeys,
      CellUse cell,
      Brokers brokers,
      Inventory inventory,
      Meter meter,
      StateClient state,
      Enforcement enforcement,
      EdgeMetrics metrics) {}

  /** For requests that run; parked pops are cut at once. */
  private static final long STOP_TIMEOUT_MS = 5_000;

  private final EdgePolicy policy;
  private final Enforcement enforcement;
  private final EdgeHandler handler;
  private final FrontDoor frontDoor;
  private final Waiting waiting;
  private final HttpServer server;

  private EdgeApi(String host, int port, EdgePolicy policy, Parts parts) {
    this.policy = policy;
    this.enforcement = parts.enforcement();
    var metrics = parts.metrics();
    var notes = new LimitNotes(metrics);
    var quota = new Quota(policy, enforcement, parts.inventory(), notes);
    var gate = new CallGate();
    metrics.gauge("calls_running", "Calls at a broker, parked pops aside", gate::running);
    metrics.gauge("calls_waiting", "Calls that wait for their turn", gate::waiting);
    var gatekeeper = new Gatekeeper(parts.directory(), parts.usedKeys(), parts.cell(), policy);
    this.waiting = new Waiting(gatekeeper);
    var forwarder =
        new Forwarder(
            parts.brokers(),
            policy,
            quota,
            gate,
            waiting,
            new Relay(parts.meter(), notes),
            parts.meter());
    var direct =
        new DirectEdge(
            new DirectEdge.Parts(
                gatekeeper,
                parts.cell(),
                quota,
                parts.brokers(),
                policy,
                gate,
                waiting,
                parts.meter(),
                notes,
                metrics));
    metrics.gauge("direct_requests", "Requests that took no thread", direct::carried);
    this.handler = new EdgeHandler(gatekeeper, parts.cell(), quota, forwarder, policy, metrics);
    this.frontDoor = new FrontDoor(parts.state(), gatekeeper);
    // Before every route: the paths are classified here, not by the server's router.
    this.server =
        HttpServer.start(
            host,
            port,
            STOP_TIMEOUT_MS,
            ClientProbes.DEFAULT,
            routes -> routes.before(this::serve),
            new HttpServer.Direct(direct, null, parts.brokers().direct()));
  }

  /**
   * Starts listening.
   *
   * @throws IllegalStateException when the address can't be bound
   */
  public static EdgeApi start(String host, int port, EdgePolicy policy, Parts parts) {
    return new EdgeApi(host, port, policy, parts);
  }

  /** The port that is listened on. */
  public int port() {
    return server.port();
  }

  /**
   * Something changed about a cluster or about who may use it: pops that wait are judged again.
   *
   * @param clusterId empty for all
   */
  public void changed(String clusterId) {
    waiting.judgeAgain(clusterId);
  }

  @Override
  public void close() {
    waiting.stop();
    server.close();
  }

  private void serve(Context ctx) throws IOException {
    ctx.skipRemainingHandlers();
    var path = ctx.req().getRequestURI();
    if (path.equals("/healthz")) {
      health(ctx);
    } else if (FrontDoor.carries(path)) {
      frontDoor.handle(ctx);
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
                .put("enforce", enforcement.isOn())
                .put("shared_hosts", policy.sharedHosts().size())
                .put("status", "ok")
                .put("tenant_header", policy.tenantHeader())));
  }
}
