package dev.queencell.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One request, one answer, over a pool of kept-alive connections; the only class that knows which
 * HTTP library is underneath.
 *
 * <p>The bare client is used: no cookies, redirects, compression, authentication cache or retries.
 * The most recently used connection is taken first, so that few stay warm; one that was idle for
 * {@link #VALIDATE_AFTER_IDLE_MS} is checked before use, one that was idle for longer than {@link
 * #IDLE_MAX_MS} is replaced before the server's own idle timeout can cut it under a request.
 * Thread-safe; blocks the calling thread, which should be a virtual one.
 */
final class HttpExchange implements AutoCloseable {
  static final JsonMapper JSON = JsonMapper.builder().build();

  /** The check costs a read with a 1 ms timeout, so busy connections must not pay for it. */
  private static final long VALIDATE_AFTER_IDLE_MS = 5_000;

  private static final long IDLE_MAX_MS = 60_000;
  private static final int ANSWER_MAX_BYTES = 64 * 1024 * 1024;
  private static final int ERROR_TEXT_MAX = 300;
  private static final byte[] EMPTY = new byte[0];

  private final HttpHost target;
  private final PoolingHttpClientConnectionManager pool;
  private final MinimalHttpClient http;
  private final ConcurrentMap<Long, RequestConfig> configs = new ConcurrentHashMap<>();

  /** Headers made once and sent often. */
  static final class Headers {
    private final List<Header> list = new ArrayList<>();

    /** Adds one; an empty value adds nothing. */
    Headers with(String name, String value) {
      if (!value.isEmpty()) {
        list.add(new BasicHeader(name, value));
      }
      return this;
    }
  }

  /** What came back. The body is handed over, not shared: copying it would cost every message. */
  @SuppressWarnings("ArrayRecordComponent")
  record Answer(int status, byte[] body, int retryAfterSeconds) {}

  HttpExchange(URI baseUrl, int connectionsMax, long connectTimeoutMs) {
    target = new HttpHost(baseUrl.getScheme(), baseUrl.getHost(), portOf(baseUrl));
    pool =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setMaxConnTotal(connectionsMax)
            .setMaxConnPerRoute(connectionsMax)
            .setConnPoolPolicy(PoolReusePolicy.LIFO)
            .setDefaultSocketConfig(
                SocketConfig.custom().setTcpNoDelay(true).setSoKeepAlive(true).build())
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(Timeout.ofMilliseconds(connectTimeoutMs))
                    .setValidateAfterInactivity(TimeValue.ofMilliseconds(VALIDATE_AFTER_IDLE_MS))
                    .setIdleTimeout(Timeout.ofMilliseconds(IDLE_MAX_MS))
                    .build())
            .build();
    http = HttpClients.createMinimal(pool);
  }

  private static int portOf(URI url) {
    if (url.getPort() >= 0) {
      return url.getPort();
    }
    return "https".equals(url.getScheme()) ? 443 : 80;
  }

  /**
   * Sends a request and reads the whole answer, whatever its status.
   *
   * @param body null sends none
   * @throws QueenTransportException when no complete answer came
   */
  Answer send(
      String method,
      String path,
      Headers headers,
      byte[] body,
      int bodyLength,
      long responseTimeoutMs) {
    var request = new BasicClassicHttpRequest(method, path);
    for (var header : headers.list) {
      request.addHeader(header);
    }
    if (body != null) {
      request.setEntity(new ByteArrayEntity(body, 0, bodyLength, ContentType.APPLICATION_JSON));
    }
    var context = HttpClientContext.create();
    context.setRequestConfig(
        configs.computeIfAbsent(responseTimeoutMs, HttpExchange::requestConfig));
    try (var response = http.executeOpen(target, request, context)) {
      return read(response);
    } catch (IOException e) {
      throw new QueenTransportException(method + " " + path, failureOf(e), e);
    }
  }

  /** As {@link #send}, and any status but a success is thrown. */
  Answer sendExpectingSuccess(
      String method,
      String path,
      Headers headers,
      byte[] body,
      int bodyLength,
      long responseTimeoutMs) {
    var answer = send(method, path, headers, body, bodyLength, responseTimeoutMs);
    if (answer.status() >= 200 && answer.status() < 300) {
      return answer;
    }
    throw refusal(method + " " + path, answer);
  }

  private static RequestConfig requestConfig(long responseTimeoutMs) {
    return RequestConfig.custom()
        .setResponseTimeout(Timeout.ofMilliseconds(responseTimeoutMs))
        .setConnectionRequestTimeout(Timeout.ofMilliseconds(responseTimeoutMs))
        .build();
  }

  private static Answer read(ClassicHttpResponse response) throws IOException {
    var retryAfter = response.getFirstHeader("Retry-After");
    return new Answer(
        response.getCode(),
        readBody(response.getEntity()),
        retryAfter == null ? -1 : seconds(retryAfter.getValue()));
  }

  private static byte[] readBody(HttpEntity entity) throws IOException {
    if (entity == null) {
      return EMPTY;
    }
    try (var in = entity.getContent()) {
      long announced = entity.getContentLength();
      if (announced > ANSWER_MAX_BYTES) {
        throw new IOException("answer of " + announced + " bytes is over the limit");
      }
      if (announced < 0) {
        var body = in.readNBytes(ANSWER_MAX_BYTES + 1);
        if (body.length > ANSWER_MAX_BYTES) {
          throw new IOException("answer is over " + ANSWER_MAX_BYTES + " bytes");
        }
        return body;
      }
      var body = new byte[(int) announced];
      if (in.readNBytes(body, 0, body.length) < body.length) {
        throw new EOFException("the answer ended early");
      }
      return body;
    }
  }

  private static int seconds(String retryAfter) {
    try {
      return Math.max(0, Integer.parseInt(retryAfter.strip()));
    } catch (NumberFormatException e) {
      // The HTTP-date form is not part of the contract.
      return -1;
    }
  }

  private static QueenTransportException.Failure failureOf(IOException e) {
    if (Thread.currentThread().isInterrupted()) {
      return QueenTransportException.Failure.INTERRUPTED;
    }
    return switch (e) {
      case ConnectionRequestTimeoutException _ -> QueenTransportException.Failure.POOL_EXHAUSTED;
      case ConnectTimeoutException _ -> QueenTransportException.Failure.CONNECT_TIMEOUT;
      case SocketTimeoutException _ -> QueenTransportException.Failure.TIMEOUT;
      case InterruptedIOException _ -> QueenTransportException.Failure.INTERRUPTED;
      case ConnectException _ -> QueenTransportException.Failure.REFUSED;
      default -> QueenTransportException.Failure.RESET;
    };
  }

  /** Turns a non-success answer into its exception, with the body's {@code error} and code. */
  static QueenStatusException refusal(String request, Answer answer) {
    var code = "";
    var error = "";
    try {
      var node = JSON.readTree(answer.body());
      code = node.path("code").asString("").toLowerCase(Locale.ROOT);
      error = node.path("error").asString("");
    } catch (JacksonException e) {
      error = new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8);
    }
    if (error.length() > ERROR_TEXT_MAX) {
      error = error.substring(0, ERROR_TEXT_MAX) + "…";
    }
    return new QueenStatusException(
        request, answer.status(), code, error, answer.retryAfterSeconds());
  }

  @Override
  public void close() {
    pool.close();
  }
}
