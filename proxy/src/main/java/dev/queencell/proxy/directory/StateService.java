package dev.queencell.proxy.directory;

import dev.queencell.service.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.hc.core5.util.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The questions about clusters, keys, sessions and what changed.
 *
 * <p>Thread-safe. Whatever keeps an answer from coming is a {@link StateAwayException}.
 */
public final class StateService {
  /** Where the change feed stands and what it said since. */
  record Feed(String epoch, long next, boolean reset, JsonNode changes) {}

  /** Clusters in the order of their slugs; {@code nextAfter} is null on the last page. */
  public record Page(List<ClusterView> clusters, String nextAfter) {}

  private static final long FEED_WAIT_MS = 10_000;
  private static final Timeout FEED_TIMEOUT = Timeout.ofMilliseconds(FEED_WAIT_MS + 2_000);

  private final StateClient client;

  public StateService(StateClient client) {
    this.client = client;
  }

  /** All clusters, a page at a time; the first one is after the empty slug. */
  public Page clusters(String afterSlug) {
    var page =
        client
            .ask("/api/edge/clusters" + (afterSlug.isEmpty() ? "" : "?after=" + encode(afterSlug)))
            .orElseThrow(() -> new StateAwayException("the tenant state lists no clusters", null));
    var clusters = new ArrayList<ClusterView>();
    page.path("clusters").valueStream().map(ClusterView::of).forEach(clusters::add);
    return new Page(clusters, page.path("next_after").asString(null));
  }

  /** Whether limits are enforced; nothing when every proxy goes by its own setting. */
  public Optional<Boolean> enforce() {
    return client
        .ask("/api/edge/settings")
        .map(settings -> settings.path("enforce"))
        .filter(JsonNode::isBoolean)
        .map(JsonNode::booleanValue);
  }

  /** The cluster of a slug, or nothing. */
  Optional<ClusterView> clusterBySlug(String slug) {
    return client.ask("/api/edge/clusters/by-slug/" + encode(slug)).map(ClusterView::of);
  }

  /** The cluster of an id, or nothing. */
  Optional<ClusterView> clusterById(String id) {
    return client.ask("/api/edge/clusters/by-id/" + encode(id)).map(ClusterView::of);
  }

  /** The live key of a hash, or nothing. */
  Optional<KeyView> keyByHash(String hash) {
    return client.ask("/api/edge/keys/" + encode(hash)).map(KeyView::of);
  }

  /**
   * What a session may do.
   *
   * @throws StateAwayException when there is no answer
   */
  SessionView session(SessionQuestion question) {
    var answer = client.send("POST", "/api/edge/sessions/verify", question.body());
    return switch (answer.status()) {
      case 200 -> SessionView.of(answer.json());
      case 401, 403 -> SessionView.refused(answer.status(), answer.json());
      // A tenant state that keeps no sessions knows none.
      case 404 -> SessionView.refused(401, answer.json().put("code", "unauthorized"));
      default ->
          throw new StateAwayException(
              "the tenant state is away: it answered " + answer.status(), null);
    };
  }

  /** Where the feed stands now. */
  Feed feedStart() {
    return feed(client.ask("/api/edge/changes"));
  }

  /** What changed after a position; waits for something to change. */
  Feed feedAfter(String epoch, long after) {
    var query = "?epoch=%s&after=%d&waitMs=%d".formatted(encode(epoch), after, FEED_WAIT_MS);
    return feed(client.ask("/api/edge/changes" + query, FEED_TIMEOUT));
  }

  /** Tells which keys were in use. */
  void markUsed(Collection<String> keyIds) {
    var body = Json.object();
    var list = body.putArray("key_ids");
    keyIds.forEach(list::add);
    var answer = client.send("POST", "/api/edge/keys/used", body);
    if (!answer.isOk()) {
      throw new StateAwayException("keys in use answered " + answer.status(), null);
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
