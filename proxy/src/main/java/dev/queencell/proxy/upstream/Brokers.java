package dev.queencell.proxy.upstream;

import dev.queencell.service.DirectClient;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.classic.MinimalHttpClient;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * Sends requests to brokers over kept connections, most recently used first, with nothing in
 * between: no redirects, cookies, authentication or compression.
 *
 * <p>A connection that a broker closed while it was idle must not fail a request. So one that has
 * rested for a while is looked at before its use, all that rest too long are closed from here, and
 * when a call finds a broker gone, every idle connection is dropped at once, since the others are
 * most likely dead too. What is left is the instant in which a broker closes a connection that is
 * just being used: a GET or HEAD whose connection ended without a byte of an answer is sent once
 * more, on a new one. Anything else is sent once: it may have been done.
 *
 * <p>Thread-safe; calls block, so make them on virtual threads.
 */
public final class Brokers implements AutoCloseable {
  /** Each parked pop holds one, so the bound lies above every cap on those. */
  private static final int CONNECTIONS_PER_BROKER_MAX = 20_000;

  private static final Timeout CONNECT_TIMEOUT = Timeout.ofSeconds(2);
  private static final Timeout LEASE_TIMEOUT = Timeout.ofSeconds(2);

  /** Looking takes a millisecond, and under load no connection rests for this long. */
  private static final TimeValue LOOK_AFTER = TimeValue.ofMilliseconds(300);

  /** Well below the five minutes after which a broker closes an idle connection. */
  private static final TimeValue IDLE_MAX = TimeValue.ofSeconds(60);

  private static final long EVICT_INTERVAL_MS = 15_000;

  private final PoolingHttpClientConnectionManager connections;
  private final MinimalHttpClient http;
  private final RequestConfig usual;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread evictor;
  private final AtomicLong repeats = new AtomicLong();
  private final DirectClient direct;
  private final long timeoutMs;

  /**
   * @param timeoutMs how long a call may be without an answer, unless it says otherwise
   * @param links whether the calls that need no thread go over links
   */
  public Brokers(long timeoutMs, boolean links) {
    this.timeoutMs = timeoutMs;
    direct = new DirectClient(links);
    connections =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
            .setConnPoolPolicy(PoolReusePolicy.LIFO)
            .setMaxConnPerRoute(CONNECTIONS_PER_BROKER_MAX)
            .setMaxConnTotal(CONNECTIONS_PER_BROKER_MAX)
            .setDefaultSocketConfig(SocketConfig.custom().setTcpNoDelay(true).build())
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(CONNECT_TIMEOUT)
                    .setValidateAfterInactivity(LOOK_AFTER)
                    .build())
            .build();
    http = HttpClients.createMinimal(connections);
    usual = config(timeoutMs);
    evictor = Thread.ofVirtual().name("broker-connections").start(this::evictIdle);
  }

  /** A request with the usual time for an answer. */
  public BrokerRequest request(String method, String pathAndQuery) {
    return new BrokerRequest(method, pathAndQuery, usual);
  }

  /** A request with a time of its own, such as a long poll. */
  public BrokerRequest request(String method, String pathAndQuery, long timeoutMs) {
    return new BrokerRequest(method, pathAndQuery, config(timeoutMs));
  }

  /**
   * Sends a request and waits for the head of the answer. The caller closes the answer; one that
   * was not read to its end takes its connection with it.
   *
   * @throws BrokerException when no answer began
   * @throws ClientBodyException when the client's body ended early; nothing of it is to blame here
   */
  public ClassicHttpResponse send(HttpHost broker, BrokerRequest request)
      throws BrokerException, ClientBodyException {
    try {
      return open(broker, request);
    } catch (ClientBodyException e) {
      throw e;
    } catch (IOException e) {
      throw failed(request, e);
    } catch (IllegalStateException e) {
      // The connections were closed under the call: this proxy is stopping.
      throw new BrokerException(BrokerException.Kind.UNREACHABLE, new IOException(e));
    }
  }

  /** The calls that need no thread; they keep connections of their own. */
  public DirectClient direct() {
    return direct;
  }

  /** How long a call may usually be without an answer. */
  public long timeoutMs() {
    return timeoutMs;
  }

  /** Requests that were sent once more. */
  public long repeats() {
    return repeats.get() + direct.repeats();
  }

  /** Connections in use now. */
  public int connectionsInUse() {
    return connections.getTotalStats().getLeased() + direct.connectionsInUse();
  }

  /** Connections kept for later. */
  public int connectionsIdle() {
    return connections.getTotalStats().getAvailable() + direct.connectionsIdle();
  }

  @Override
  public void close() {
    closing.countDown();
    evictor.interrupt();
    http.close(CloseMode.IMMEDIATE);
  }

  private ClassicHttpResponse open(HttpHost broker, BrokerRequest request) throws IOException {
    try {
      return http.executeOpen(broker, request, HttpClientContext.create());
    } catch (NoHttpResponseException | SocketException e) {
      boolean harmless = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
      if (!harmless || e instanceof ConnectException || request.isCancelled()) {
        throw e;
      }
      connections.closeIdle(TimeValue.ZERO_MILLISECONDS);
      repeats.incrementAndGet();
      return http.executeOpen(broker, request, HttpClientContext.create());
    }
  }

  private BrokerException failed(BrokerRequest request, IOException e) {
    if (request.isCancelled()) {
      return new BrokerException(BrokerException.Kind.CANCELLED, e);
    }
    boolean timedOut =
        e instanceof SocketTimeoutException
            && !(e instanceof ConnectTimeoutException)
            && !(e instanceof ConnectionRequestTimeoutException);
    if (timedOut) {
      return new BrokerException(BrokerException.Kind.TIMED_OUT, e);
    }
    connections.closeIdle(TimeValue.ZERO_MILLISECONDS);
    return new BrokerException(BrokerException.Kind.UNREACHABLE, e);
  }

  private void evictIdle() {
    try {
      while (!closing.await(EVICT_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        connections.closeIdle(IDLE_MAX);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static RequestConfig config(long timeoutMs) {
    return RequestConfig.custom()
        .setResponseTimeout(Timeout.ofMilliseconds(timeoutMs))
        .setConnectionRequestTimeout(LEASE_TIMEOUT)
        .build();
  }
}
