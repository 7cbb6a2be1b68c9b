package dev.queencell.proxy.directory;

import dev.queencell.service.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Optional;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Calls to the tenant-state service. Its questions are reads, so that a connection which died
 * unnoticed is worth one more try; the number of questions at once is bounded by the pool.
 *
 * <p>Thread-safe. Whatever keeps an answer from coming is a {@link StateAwayException}.
 */
public final class StateService implements AutoCloseable {
  /** Where the change feed stands and what it said since. */
  record Feed(String epoch, long next, boolean reset, JsonNode changes) {}

  private static final int CONNECTIONS_MAX = 32;
  private static final Timeout CONNECT_TIMEOUT = Timeout.ofSeconds(1);
  private static final Timeout ANSWER_TIMEOUT = Timeout.ofSeconds(2);
  private static final long FEED_WAIT_MS = 10_000;
  private static final Timeout FEED_TIMEOUT = Timeout.ofMilliseconds(FEED_WAIT_MS + 2_000);
  private static final int ANSWER_BYTES_MAX = 4 * 1024 * 1024;
  private static final int NOT_FOUND = 404;
  private static final int OK = 200;

  private final String base;
  private final String token;
  private final CloseableHttpClient http;

  /**
   * @param base the service's address, such as {@code http://127.0.0.1:6720}
   */
  public StateService(URI base, String edgeToken) {
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
            .setRetryStrategy(new DefaultHttpRequestRetryStrategy(1, TimeValue.ZERO_MILLISECONDS))
            .disableCookieManagement()
            .disableRedirectHandling()
            .disableAuthCaching()
            .disableContentCompression()
            .build();
  }

  /** The cluster of a slug, or nothing. */
  Optional<ClusterView> clusterBySlug(String slug) {
    return ask("/api/edge/clusters/by-slug/" + encode(slug), ANSWER_TIMEOUT).map(ClusterView::of);
  }

  /** The cluster of an id, or nothing. */
  Optional<ClusterView> clusterById(String id) {
    return ask("/api/edge/clusters/by-id/" + encode(id), ANSWER_TIMEOUT).map(ClusterView::of);
  }

  /** The live key of a hash, or nothing. */
  Optional<KeyView> keyByHash(String hash) {
    return ask("/api/edge/keys/" + encode(hash), ANSWER_TIMEOUT).map(KeyView::of);
  }

  /** Where the feed stands now. */
  Feed feedStart() {
    return feed(ask("/api/edge/changes", ANSWER_TIMEOUT));
  }

  /** What changed after a position; waits for something to change. */
  Feed feedAfter(String epoch, long after) {
    var query = "?epoch=%s&after=%d&waitMs=%d".formatted(encode(epoch), after, FEED_WAIT_MS);
    return feed(ask("/api/edge/changes" + query, FEED_TIMEOUT));
  }

  /** Tells which keys were in use. */
  void markUsed(Collection<String> keyIds) {
    var body = Json.object();
    var list = body.putArray("key_ids");
    keyIds.forEach(list::add);
    var post = new HttpPost(base + "/api/edge/keys/used");
    post.setEntity(new ByteArrayEntity(Json.bytes(body), ContentType.APPLICATION_JSON));
    send(post, ANSWER_TIMEOUT);
  }

  @Override
  public void close() {
    // Cuts the running long poll too.
    http.close(CloseMode.IMMEDIATE);
  }

  private Optional<ObjectNode> ask(String pathAndQuery, Timeout timeout) {
    return send(new HttpGet(base + pathAndQuery), timeout);
  }

  private Optional<ObjectNode> send(HttpUriRequestBase request, Timeout timeout) {
    request.setHeader("x-queen-edge-token", token);
    request.setConfig(
        RequestConfig.custom()
            .setResponseTimeout(timeout)
            .setConnectionRequestTimeout(ANSWER_TIMEOUT)
            .build());
    try {
      return http.execute(
          request,
          response -> {
            var body = EntityUtils.toByteArray(response.getEntity(), ANSWER_BYTES_MAX);
            return switch (response.getCode()) {
              case OK -> Optional.of((ObjectNode) Json.mapper().readTree(body));
              case NOT_FOUND -> Optional.empty();
              default -> throw new IOException("it answered " + response.getCode());
            };
          });
    } catch (IOException | JacksonException | ClassCastException | IllegalStateException e) {
      // The last one comes from a client that is being closed.
      throw new StateAwayException("the tenant state is away: " + e.getMessage(), e);
    }
  }

  private static Feed feed(Optional<ObjectNode> answer) {
    var page =
        answer.orElseThrow(() -> new StateAwayException("the tenant state has no feed", null));
    return new Feed(
        page.get("epoch").stringValue(),
        page.get("next").longValue(),
        page.get("reset").booleanValue(),
        page.get("changes"));
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
