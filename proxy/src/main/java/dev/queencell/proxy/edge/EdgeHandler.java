package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.route.RouteClassifier;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import io.javalin.http.Context;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contract's order of evaluation, one request at a time. Refusals leave as {@link HttpProblem}.
 *
 * <p>Thread-safe.
 */
final class EdgeHandler {
  /** A request that broke off before it could be judged has no code in the contract. */
  static final String CODE_OF_BROKEN_REQUEST = "bad_request";

  private static final Logger LOG = LoggerFactory.getLogger(EdgeHandler.class);

  private final Gatekeeper gatekeeper;
  private final CellUse cell;
  private final Quota quota;
  private final ManagementBodies management;
  private final Forwarder forwarder;
  private final EdgePolicy policy;
  private final EdgeMetrics metrics;

  EdgeHandler(
      Gatekeeper gatekeeper,
      CellUse cell,
      Quota quota,
      Forwarder forwarder,
      EdgePolicy policy,
      EdgeMetrics metrics) {
    this.gatekeeper = gatekeeper;
    this.cell = cell;
    this.quota = quota;
    this.management = new ManagementBodies(quota);
    this.forwarder = forwarder;
    this.policy = policy;
    this.metrics = metrics;
  }

  void handle(Context ctx) {
    long startedNs = System.nanoTime();
    var request = ServletContextRequest.getServletContextRequest(ctx.req());
    var route = RouteClassifier.classify(request.getMethod(), request.getHttpURI().getPath());
    var label = route.routeClass().label();
    try {
      int status = serve(new ServletExchange(ctx, request, route));
      metrics.answered(label, status, startedNs);
    } catch (HttpProblem e) {
      metrics.answered(label, e.status(), startedNs);
      metrics.refused(e.code() == null ? CODE_OF_BROKEN_REQUEST : e.code());
      throw e;
    } catch (ClientGoneException e) {
      metrics.clientGone();
      request.getConnectionMetaData().getConnection().getEndPoint().close();
      LOG.debug("client gone: {}", e.getMessage());
    }
  }

  private int serve(ServletExchange exchange) throws ClientGoneException {
    var cluster = gatekeeper.admit(exchange);
    var use = cell.of(cluster);
    exchange.admittedTo(cluster, use);
    byte[] body;
    try {
      quota.takeRequest(cluster, use, exchange.pass());
      body = inspected(exchange);
    } finally {
      exchange.showLimits();
    }
    return forwarder.forward(exchange, body);
  }

  /** The body of a route that has to be looked at, which it then was; null for all others. */
  private byte[] inspected(ServletExchange exchange) {
    return switch (exchange.route()) {
      case PUSH -> push(exchange, body(exchange), PushScan.Shape.PUSH);
      case EPHEMERAL_PUSH -> {
        var body = body(exchange);
        quota.takeEphemeral(exchange.cluster(), exchange.use(), exchange.pass(), body);
        yield body;
      }
      case TRANSACTION -> push(exchange, body(exchange), PushScan.Shape.TRANSACTION);
      case STREAMS_CYCLE -> cycle(exchange);
      case KV_BATCH, TIMERS_BATCH -> batch(exchange);
      case CONFIGURE -> {
        var body = body(exchange);
        management.configure(exchange.cluster(), exchange.use(), exchange.pass(), body);
        yield body;
      }
      case DLQ_REPLAY -> {
        var body = body(exchange);
        management.replay(exchange.cluster(), exchange.use(), exchange.pass(), body);
        yield body;
      }
      // Its connection is watched while it waits, so that its body must be out of the way.
      case EPHEMERAL_POP, POP -> exchange.bodyLength() == 0 ? null : body(exchange);
      default -> null;
    };
  }

  private byte[] push(ServletExchange exchange, byte[] body, PushScan.Shape shape) {
    var found = quota.takePush(exchange.cluster(), exchange.use(), exchange.pass(), body, shape);
    if (found != null) {
      exchange.pushes(found.items(), found.payloadBytes());
    }
    return body;
  }

  /** A cycle that pushes nothing goes through a push block. */
  private byte[] cycle(ServletExchange exchange) {
    var body = body(exchange);
    var block = gatekeeper.pushBlock(exchange.cluster());
    if (block != null && BlockedBatches.pushes(body)) {
      throw block;
    }
    return push(exchange, body, PushScan.Shape.CYCLE);
  }

  /** Looked at only while pushes are blocked. */
  private byte[] batch(ServletExchange exchange) {
    var block = gatekeeper.pushBlock(exchange.cluster());
    if (block == null) {
      return null;
    }
    var body = body(exchange);
    if (BlockedBatches.grows(exchange.route(), body)) {
      if (exchange.route() == Route.TIMERS_BATCH) {
        exchange
            .answerHeaders()
            .put("x-queen-timers-hint", "DELETE /api/v1/timers/:queue/:timerKey cancels a timer");
      }
      throw block;
    }
    return body;
  }

  private byte[] body(ServletExchange exchange) {
    var body = HttpServer.body(exchange.ctx(), policy.bodyBytesMax());
    exchange.tookBody(body.length);
    return body;
  }
}
