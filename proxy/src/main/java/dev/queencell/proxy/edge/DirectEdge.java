package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.directory.NotRememberedException;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.route.RouteClassifier;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.service.DirectRoutes;
import dev.queencell.service.HttpExchange;
import dev.queencell.service.HttpProblem;
import java.util.concurrent.atomic.LongAdder;

/**
 * Pushes, pops and acknowledgements without a thread per request: judged where they were read, sent
 * to the broker from there, and answered where the broker's answer is read, all by the selector's
 * thread. Decided by the same parts and in the same order as in {@link EdgeHandler}, which gets
 * everything else, untouched: what the tenant state would have to be asked about, what is refused
 * before anything was taken, and bodies that are large or of unknown length.
 *
 * <p>Thread-safe.
 */
final class DirectEdge implements DirectRoutes<HttpExchange> {
  /** What every request carried here works with. */
  record Parts(
      Gatekeeper gatekeeper,
      CellUse cell,
      Quota quota,
      Brokers brokers,
      EdgePolicy policy,
      CallGate gate,
      Waiting waiting,
      Meter meter,
      LimitNotes notes,
      EdgeMetrics metrics) {}

  private static final String PREFIX = "/api/v1/";

  private final Parts parts;
  private final LongAdder carried = new LongAdder();

  DirectEdge(Parts parts) {
    this.parts = parts;
  }

  /** Requests that were carried here. */
  long carried() {
    return carried.sum();
  }

  @Override
  public boolean begin(HttpExchange direct) {
    var uri = direct.uri();
    var path = uri.getPath();
    if (path == null || !path.startsWith(PREFIX)) {
      return false;
    }
    var route = RouteClassifier.classify(direct.method(), path);
    boolean hot = route == Route.PUSH || route == Route.POP || route == Route.CONSUME_OTHER;
    if (!hot) {
      return false;
    }
    var exchange =
        new Exchange(direct.method(), uri, direct.headers(), direct.answerHeaders(), route);
    long bodyBytes = direct.waitsForGoAhead() ? -1 : exchange.bodyLength();
    if (bodyBytes < 0
        || bodyBytes > Relay.ONE_PIECE_BYTES_MAX
        || bodyBytes > parts.policy.bodyBytesMax()) {
      return false;
    }
    long startedNs = System.nanoTime();
    ClusterView cluster;
    try {
      cluster = parts.gatekeeper.admitFromMemory(exchange);
    } catch (NotRememberedException | HttpProblem e) {
      return false;
    }
    if (parts.cell.mayAsk(cluster)) {
      return false;
    }
    exchange.admittedTo(cluster, parts.cell.of(cluster));
    carried.increment();
    new DirectCall(parts, direct, exchange, startedNs).begin((int) bodyBytes);
    return true;
  }
}
