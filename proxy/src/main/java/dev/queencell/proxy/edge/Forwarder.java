package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.DeliveryCount;
import dev.queencell.proxy.directory.ClusterView;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends an admitted request to its broker and the answer back, steps 12 and 13 of the contract.
 * Small bodies of known length cross in one piece, so that each side takes one write; everything
 * else streams. A client that leaves takes its call to the broker with it: at once while its pop is
 * parked, at the next write otherwise.
 *
 * <p>Thread-safe.
 */
final class Forwarder {
  /** What is not worth streaming. */
  private static final int ONE_PIECE_BYTES_MAX = 64 * 1024;

  private static final int CHUNK_BYTES = 32 * 1024;
  private static final int SUCCESS_MIN = 200;
  private static final int SUCCESS_MAX = 299;

  private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

  private final Brokers brokers;
  private final EdgePolicy policy;
  private final Quota quota;

  private final CallGate gate;

  /** Bounded by the parked places. */
  private final Set<BrokerRequest> waiting = ConcurrentHashMap.newKeySet();

  private volatile boolean stopping;

  Forwarder(Brokers brokers, EdgePolicy policy, Quota quota, CallGate gate) {
    this.gate = gate;
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
  int forward(Exchange exchange, byte[] body) throws ClientGoneException {
    var query = exchange.route().mayWait() ? PopQuery.of(exchange.rawQuery()) : PopQuery.AT_ONCE;
    var request = request(exchange, query);
    boolean pacedByClient = setBody(exchange, request, body);
    var answer = send(exchange, request, query, pacedByClient);
    boolean relayed = false;
    try {
      relay(exchange, answer);
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

  /**
   * Cuts all pops that wait, and those that come, so that a stop need not wait for them. To their
   * clients it looks like what it is: the server went away.
   */
  void stopWaiting() {
    stopping = true;
    waiting.forEach(BrokerRequest::cancel);
  }

  private BrokerRequest request(Exchange exchange, PopQuery query) {
    if (!query.waits()) {
      return brokers.request(exchange.method(), exchange.rawPathAndQuery());
    }
    long timeoutMs =
        Math.min(query.timeoutMs(), policy.longPollMaxMs()) + policy.longPollMarginMs();
    return brokers.request(exchange.method(), exchange.rawPathAndQuery(), timeoutMs);
  }

  private ClassicHttpResponse send(
      Exchange exchange, BrokerRequest request, PopQuery query, boolean pacedByClient)
      throws ClientGoneException {
    if (query.waits()) {
      return sendWaiting(exchange, request);
    }
    return pacedByClient ? send(exchange, request) : sendGated(exchange, request);
  }

  /** A pop that may wait holds a place and is watched until its answer begins. */
  private ClassicHttpResponse sendWaiting(Exchange exchange, BrokerRequest request)
      throws ClientGoneException {
    quota.park(exchange.cluster(), exchange.use());
    waiting.add(request);
    if (stopping) {
      request.cancel();
    }
    var watch = ClientWatch.open(exchange.ctx(), request::cancel);
    try {
      return send(exchange, request);
    } finally {
      watch.close();
      waiting.remove(request);
      exchange.use().unpark();
    }
  }

  /** The gate is left as soon as the answer begins: a client that reads slowly holds up nobody. */
  private ClassicHttpResponse sendGated(Exchange exchange, BrokerRequest request)
      throws ClientGoneException {
    gate.enter();
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
    ForwardedHeaders.toBroker(exchange.headers(), cluster, policy.tenantHeader(), request);
    try {
      return brokers.send(target(cluster), request);
    } catch (ClientBodyException e) {
      throw Refusals.bodyCutShort();
    } catch (BrokerException e) {
      if (e.kind() == BrokerException.Kind.CANCELLED) {
        throw new ClientGoneException(e);
      }
      throw e.kind() == BrokerException.Kind.TIMED_OUT
          ? Refusals.brokerTimedOut()
          : Refusals.brokerUnreachable();
    }
  }

  /** Gives the request its body; true when that still has to come from the client. */
  private static boolean setBody(Exchange exchange, BrokerRequest request, byte[] body) {
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
      if (length < 0 || length > ONE_PIECE_BYTES_MAX) {
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

  private void relay(Exchange exchange, ClassicHttpResponse answer) throws ClientGoneException {
    var entity = answer.getEntity();
    var counter = isCounted(exchange, answer) ? new DeliveryCount() : null;
    long length = entity == null ? 0 : entity.getContentLength();
    if (entity != null && length > 0 && length <= ONE_PIECE_BYTES_MAX) {
      // Read before the head is written: a broker that breaks off here is still a clean 502.
      var whole = readWhole(answer, (int) length);
      debit(exchange, counter, whole, whole.length);
      writeHead(exchange, answer);
      write(exchange, whole);
    } else {
      writeHead(exchange, answer);
      if (entity != null && length != 0) {
        stream(exchange, answer, counter, length < 0);
      }
    }
  }

  /** Counted before it is sent on: the client's next push must not outrun its pop's debit. */
  private static void debit(Exchange exchange, DeliveryCount counter, byte[] piece, int length) {
    if (counter != null) {
      long before = counter.count();
      counter.feed(piece, 0, length);
      exchange.use().debitDelivered(counter.count() - before);
    }
  }

  private static boolean isCounted(Exchange exchange, ClassicHttpResponse answer) {
    return exchange.route().mayWait()
        && answer.getCode() == SUCCESS_MIN
        && exchange.use().countsMessages();
  }

  private static byte[] readWhole(ClassicHttpResponse answer, int length) {
    var whole = new byte[length];
    try {
      var in = answer.getEntity().getContent();
      if (in.readNBytes(whole, 0, length) == length && in.read() < 0) {
        return whole;
      }
    } catch (IOException e) {
      // Told below: however it broke off, there is no answer.
    }
    throw Refusals.brokerUnreachable();
  }

  private static void writeHead(Exchange exchange, ClassicHttpResponse answer) {
    var response = exchange.request().getServletContextResponse();
    response.setStatus(answer.getCode());
    ForwardedHeaders.toClient(answer, response.getHeaders());
  }

  private static void write(Exchange exchange, byte[] whole) throws ClientGoneException {
    try {
      exchange.ctx().res().getOutputStream().write(whole);
    } catch (IOException e) {
      throw new ClientGoneException(e);
    }
  }

  /** Passes on what comes as it comes. */
  private static void stream(
      Exchange exchange, ClassicHttpResponse answer, DeliveryCount counter, boolean flushes)
      throws ClientGoneException {
    var chunk = new byte[CHUNK_BYTES];
    while (true) {
      int read;
      try {
        read = answer.getEntity().getContent().read(chunk);
      } catch (IOException e) {
        if (!exchange.ctx().res().isCommitted()) {
          exchange.ctx().res().reset();
          throw Refusals.brokerUnreachable();
        }
        // An answer that broke off must not look complete.
        throw new ClientGoneException(e);
      }
      if (read < 0) {
        return;
      }
      debit(exchange, counter, chunk, read);
      try {
        var out = exchange.ctx().res().getOutputStream();
        out.write(chunk, 0, read);
        if (flushes) {
          out.flush();
        }
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }
  }

  private static HttpHost target(ClusterView cluster) {
    return new HttpHost("http", cluster.brokerHost(), cluster.brokerPort());
  }

  private static boolean isSuccess(int status) {
    return status >= SUCCESS_MIN && status <= SUCCESS_MAX;
  }
}
