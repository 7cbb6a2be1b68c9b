package dev.queencell.proxy.directory;

import dev.queencell.service.Json;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * The connection to the tenant-state service, under the edge token. A question that only reads is
 * worth one more try when its connection died unnoticed; the number of calls at once is bounded by
 * the pool.
 *
 * <p>Thread-safe. Whatever keeps an answer from coming is a {@link StateAwayException}.
 */
public final class StateClient implements AutoCloseable {
  /** How the service answered, whatever that was. */
  public record Answer(int status, List<Header> headers, byte[] body) {
    public boolean isOk() {
      return status == OK;
    }

    /**
     * The body as an object.
     *
     * @throws StateAwayException when it is none
     */
    public ObjectNode json() {
      try {
        return (ObjectNode) Json.mapper().readTree(body);
      } catch (JacksonException | ClassCastException e) {
        throw new StateAwayException("the tenant state is away: it answered no JSON", e);
      }
    }
  }

  private static final int CONNECTIONS_MAX = 32;
  private static final Timeout CONNECT_TIMEOUT = Timeout.ofSeconds(1);
  private static final Timeout ANSWER_TIMEOUT = Timeout.ofSeconds(2);
  private static final int ANSWER_BYTES_MAX = 4 * 1024 * 1024;
  private static final int NOT_FOUND = 404;
  private static final int OK = 200;

  private final String base;
  private final String token;
  private final CloseableHttpClient http;
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong requestsFailed = new AtomicLong();

  /**
   * @param base the service's address, such as {@code http://127.0.0.1:6720}
   */
  public StateClient(URI base, String edgeToken) {
    this.base = base.toString().replaceAll("/+$", "");
    this.token = edgeToken;
    this.http =
        HttpClients.custom()
            .setConnectionManager(
                PoolingHttpClientConnectionManagerBuilder.create()
                    .setMaxConnTotal(CONNECTIONS_MAX)
                    .setMaxConnPerRoute(CONNECTIONS_MAX)
                    .setDefaultConnectionConfig(
                        ConnectionConfig.custom()
                            .setConnectTimeout(CONNECT_TIMEOUT)
                            .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                            .build())
                    .build())
            .setRetryStrategy(new OnceMore())
            .disableCookieManagement()
            .disableRedirectHandling()
            .disableAuthCaching()
            .disableContentCompression()
            .build();
  }

  /** The object at a path, or nothing if there is none. */
  Optional<ObjectNode> ask(String pathAndQuery) {
    return ask(pathAndQuery, ANSWER_TIMEOUT);
  }

  Optional<ObjectNode> ask(String pathAndQuery, Timeout timeout) {
    var answer = execute(new HttpUriRequestBase("GET", uri(pathAndQuery)), timeout);
    return switch (answer.status()) {
      case OK -> Optional.of(answer.json());
      case NOT_FOUND -> Optional.empty();
      default ->
          throw new StateAwayException(
              "the tenant state is away: it answered " + answer.status(), null);
    };
  }

  /** Sends a document; the answer may be any. */
  public Answer send(String method, String path, ObjectNode body) {
    return send(method, path, body, ANSWER_TIMEOUT.toMilliseconds());
  }

  /** Sends a document that somebody can't wait long for. */
  public Answer send(String method, String path, ObjectNode body, long timeoutMs) {
    var request = new HttpUriRequestBase(method, uri(path));
    request.setEntity(new ByteArrayEntity(Json.bytes(body), ContentType.APPLICATION_JSON));
    return execute(request, Timeout.ofMilliseconds(timeoutMs));
  }

  /**
   * Carries somebody else's request.
   *
   * @param timeoutMs a password takes its time to check
   */
  public Answer carry(
      String method, String pathAndQuery, List<Header> headers, byte[] body, long timeoutMs) {
    var request = new HttpUriRequestBase(method, uri(pathAndQuery));
    headers.forEach(request::addHeader);
    if (body.length > 0) {
      request.setEntity(new ByteArrayEntity(body, null));
    }
    return execute(request, Timeout.ofMilliseconds(timeoutMs));
  }

  /** Requests so far, the change feed's among them. */
  public long requests() {
    return requests.get();
  }

  /** Those of them that were not answered. */
  public long requestsFailed() {
    return requestsFailed.get();
  }

  @Override
  public void close() {
    // Cuts the running long poll too.
    http.close(CloseMode.IMMEDIATE);
  }

  private URI uri(String pathAndQuery) {
    try {
      return URI.create(base + pathAndQuery);
    } catch (IllegalArgumentException e) {
      throw new StateAwayException("the tenant state can't be asked for that", e);
    }
  }

  private Answer execute(HttpUriRequestBase request, Timeout timeout) {
    request.setHeader("x-queen-edge-token", token);
    request.setConfig(
        RequestConfig.custom()
            .setResponseTimeout(timeout)
            .setConnectionRequestTimeout(ANSWER_TIMEOUT)
            .build());
    requests.incrementAndGet();
    try {
      return http.execute(
          request,
          response -> {
            var entity = response.getEntity();
            var body =
                entity == null ? new byte[0] : EntityUtils.toByteArray(entity, ANSWER_BYTES_MAX);
            return new Answer(response.getCode(), List.of(response.getHeaders()), body);
          });
    } catch (IOException | IllegalStateException e) {
      // The last one comes from a client that is being closed.
      requestsFailed.incrementAndGet();
      throw new StateAwayException("the tenant state is away: " + e.getMessage(), e);
    }
  }

  /**
   * A connection that broke is tried once more. An answer is an answer: one of 429 would be waited
   * out here, as long as it says, with the client waiting too.
   */
  private static final class OnceMore extends DefaultHttpRequestRetryStrategy {
    OnceMore() {
      super(1, TimeValue.ZERO_MILLISECONDS);
    }

    @Override
    public boolean retryRequest(HttpResponse response, int executions, HttpContext context) {
      return false;
    }
  }
}
