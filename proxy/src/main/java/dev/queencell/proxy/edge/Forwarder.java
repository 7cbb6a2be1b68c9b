package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.meter.Meter;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.route.RouteClassifier;
import dev.queencell.proxy.upstream.BrokerException;
import dev.queencell.proxy.upstream.BrokerRequest;
import dev.queencell.proxy.upstream.Brokers;
import dev.queencell.proxy.upstream.ClientBody;
import dev.queencell.proxy.upstream.ClientBodyException;
import dev.queencell.service.ClientWatch;
import dev.queencell.service.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends an admitted request to its broker and has the answer sent back, steps 12 and 13 of the
 * contract. Small bodies of known length cross in one piece; everything else streams. A client that
 * leaves takes its call to the broker with it: at once while its pop is parked, at the next write
 * otherwise.
 *
 * <p>Thread-safe.
 */
final class Forwarder {
  private static final int SUCCESS_MIN = 200;
  private static final int SUCCESS_MAX = 299;

  private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

  private final Brokers brokers;
  private final EdgePolicy policy;
  private final Quota quota;

  private final CallGate gate;
  private final Waiting waiting;
  private final Relay relay;
  private final Meter meter;

  Forwarder(
      Brokers brokers,
      EdgePolicy policy,
      Quota quota,
      CallGate gate,
      Waiting waiting,
      Relay relay,
      Meter meter) {
    this.gate = gate;
    this.waiting = waiting;
    this.relay = relay;
    this.meter = meter;
    this.brokers = brokers;
    this.policy = policy;
    this.quota = quota;
  }

  /**
   * Forwards.
   *
   * @param body what was read of the client's body, or null if nothing was
   * @return the broker's status
   * @throws HttpProblem when the broker gave no answer
   * @throws ClientGoneException when there is nobody to answer to
   */
  int forward(ServletExchange exchange, byte[] body) throws ClientGoneException {
    var query = exchange.route().mayWait() ? PopQuery.of(exchange.rawQuery()) : PopQuery.AT_ONCE;
    var request = request(exchange, query);
    boolean pacedByClient = setBody(exchange, request, body);
    var answer = send(exchange, request, query, pacedByClient);
    boolean relayed = false;
    try {
      relay.relay(exchange, answer);
      relayed = true;
    } finally {
      finish(request, answer, relayed);
    }
    int status = answer.getCode();
    if (exchange.route() == Route.QUEUE_DELETE && isSuccess(status)) {
      exchange.use().queues().remove(RouteClassifier.deletedQueue(exchange.rawPath()));
    }
    return status;
  }

  private BrokerRequest request(Exchange exchange, PopQuery query) {
    if (!query.waits()) {
      return brokers.request(exchange.method(), exchange.rawPathAndQuery());
    }
    return brokers.request(
        exchange.method(), exchange.rawPathAndQuery(), query.answerTimeoutMs(policy));
  }

  private ClassicHttpResponse send(
      ServletExchange exchange, BrokerRequest request, PopQuery query, boolean pacedByClient)
      throws ClientGoneException {
    if (query.waits()) {
      return sendWaiting(exchange, request);
    }
    return pacedByClient ? send(exchange, request) : sendGated(exchange, request);
  }

  /** A pop that may wait holds a place and is watched until its answer begins. */
  private ClassicHttpResponse sendWaiting(ServletExchange exchange, BrokerRequest request)
      throws ClientGoneException {
    boolean own = quota.park(exchange.cluster(), exchange.use(), exchange.pass());
    waiting.add(exchange, request::cancel);
    var watch = ClientWatch.open(exchange.ctx(), request::cancel);
    try {
      return send(exchange, request);
    } finally {
      watch.close();
      waiting.remove(exchange);
      exchange.use().unpark(own);
    }
  }

  /** The gate is left as soon as the answer begins: a client that reads slowly holds up nobody. */
  private ClassicHttpResponse sendGated(Exchange exchange, BrokerRequest request)
      throws ClientGoneException {
    try {
      gate.await(exchange.pushItems() > 0);
    } catch (HttpProblem e) {
      Bill.unanswered(meter, exchange);
      throw e;
    }
    try {
      return send(exchange, request);
    } finally {
      gate.leave();
    }
  }

  /**
   * Gives the connection back, or cuts it: closing alone would first read the rest of the answer.
   */
  private static void finish(BrokerRequest request, ClassicHttpResponse answer, boolean relayed) {
    if (!relayed) {
      request.cancel();
    }
    try {
      answer.close();
    } catch (IOException e) {
      LOG.debug("an answer did not close: {}", e.toString());
    }
  }

  private ClassicHttpResponse send(Exchange exchange, BrokerRequest request)
      throws ClientGoneException {
    var cluster = exchange.cluster();
    ForwardedHeaders.toBroker(
        exchange.headers(), cluster, policy.tenantHeader(), request::addHeader);
    try {
      return brokers.send(target(cluster), request);
    } catch (ClientBodyException e) {
      throw Refusals.bodyCutShort();
    } catch (BrokerException e) {
      if (e.kind() == BrokerException.Kind.CANCELLED) {
        var reason = waiting.reason(exchange);
        if (reason != null) {
          throw reason;
        }
        throw new ClientGoneException(e);
      }
      Bill.unanswered(meter, exchange);
      throw e.kind() == BrokerException.Kind.TIMED_OUT
          ? Refusals.brokerTimedOut()
          : Refusals.brokerUnreachable();
    }
  }

  /** Gives the request its body; true when that still has to come from the client. */
  private static boolean setBody(ServletExchange exchange, BrokerRequest request, byte[] body) {
    if (body != null) {
      request.setEntity(new ByteArrayEntity(body, null));
      return false;
    }
    long length = exchange.bodyLength();
    if (length == 0) {
      return false;
    }
    try {
      InputStream in = exchange.ctx().req().getInputStream();
      if (length < 0 || length > Relay.ONE_PIECE_BYTES_MAX) {
        request.setEntity(ClientBody.entity(in, length));
        return true;
      }
      var small = new byte[(int) length];
      if (in.readNBytes(small, 0, small.length) < small.length) {
        throw Refusals.bodyCutShort();
      }
      request.setEntity(new ByteArrayEntity(small, null));
      return false;
    } catch (IOException e) {
      throw Refusals.bodyCutShort();
    }
  }

  private static HttpHost target(ClusterView cluster) {
    return new HttpHost("http", cluster.brokerHost(), cluster.brokerPort());
  }

  private static boolean isSuccess(int status) {
    return status >= SUCCESS_MIN && status <= SUCCESS_MAX;
  }
}
