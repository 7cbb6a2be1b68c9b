package dev.queencell.state.http;

import dev.queencell.service.Json;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.edge.ChangeFeed;
import dev.queencell.state.edge.EdgeViews;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.ArrayList;
import java.util.UUID;

/** {@code /api/edge}: what the proxy asks, under a token of its own. */
final class EdgeRoutes {
  private static final String HEADER = "x-queen-edge-token";
  private static final int KEYS_USED_MAX = 1000;

  private final TokenGuard guard;
  private final EdgeViews views;
  private final ChangeFeed feed;

  EdgeRoutes(String edgeToken, EdgeViews views, ChangeFeed feed) {
    guard = new TokenGuard(HEADER, edgeToken);
    this.views = views;
    this.feed = feed;
  }

  void addTo(RoutesConfig routes) {
    routes.before("/api/edge/*", guard::check);
    routes.get("/api/edge/clusters/by-slug/{slug}", this::clusterBySlug);
    routes.get("/api/edge/clusters/by-id/{id}", this::clusterById);
    routes.get("/api/edge/keys/{hash}", this::key);
    routes.post("/api/edge/keys/used", this::markUsed);
    routes.get("/api/edge/changes", this::changes);
    routes.get("/api/edge/clusters", this::clusters);
    routes.get("/api/edge/settings", this::settings);
  }

  private void clusterBySlug(Context ctx) throws IOException {
    var slug = Fields.checkSlug("slug", ctx.pathParam("slug"));
    Answers.send(ctx, 200, views.clusterBySlug(slug));
  }

  private void clusterById(Context ctx) throws IOException {
    var id = Fields.checkUuid("id", ctx.pathParam("id"));
    Answers.send(ctx, 200, views.clusterById(id));
  }

  /** One page by slug; {@code next_after} says where the next one starts. */
  private void clusters(Context ctx) throws IOException {
    var after = ctx.queryParam("after");
    var page = views.page(after == null ? "" : Fields.checkSlug("after", after));
    var answer = Json.object();
    answer.putArray("clusters").addAll(page);
    boolean full = page.size() == EdgeViews.PAGE_ROWS_MAX;
    answer.put("next_after", full ? page.getLast().get("slug").stringValue() : null);
    Answers.send(ctx, 200, answer);
  }

  private void settings(Context ctx) throws IOException {
    Answers.send(ctx, 200, Json.object().put("enforce", views.enforce().orElse(null)));
  }

  private void key(Context ctx) throws IOException {
    var hash = Fields.checkKeyHash("hash", ctx.pathParam("hash"));
    Answers.send(ctx, 200, views.key(hash));
  }

  private void markUsed(Context ctx) throws IOException {
    var texts = Fields.of(ctx).texts("key_ids", KEYS_USED_MAX);
    if (texts == null) {
      throw Refusal.invalid(
          "key_ids is missing; it takes a list of at most %d ids".formatted(KEYS_USED_MAX));
    }
    var ids = new ArrayList<UUID>();
    for (int i = 0; i < texts.size(); i++) {
      ids.add(Fields.checkUuid("key_ids[%d]".formatted(i), texts.get(i)));
    }
    views.markUsed(ids);
    Answers.send(ctx, 200, Json.object().put("ok", true));
  }

  /** Without {@code epoch} it answers at once where the feed stands. */
  private void changes(Context ctx) throws IOException, InterruptedException {
    var epoch = ctx.queryParam("epoch");
    var page =
        epoch == null
            ? feed.start()
            : feed.after(
                Fields.checkUuid("epoch", epoch), number(ctx, "after"), number(ctx, "waitMs"));
    var answer =
        Json.object()
            .put("epoch", page.epoch().toString())
            .put("next", page.next())
            .put("reset", page.reset());
    var list = answer.putArray("changes");
    for (var change : page.changes()) {
      list.addObject()
          .put("seq", change.seq())
          .put("kind", change.kind())
          .put("cluster_id", change.clusterId())
          .put("cluster_slug", change.clusterSlug())
          .put("key_hash", change.keyHash())
          .put("jti", change.jti());
    }
    Answers.send(ctx, 200, answer);
  }

  private static long number(Context ctx, String name) {
    var text = ctx.queryParam(name);
    if (text == null) {
      return 0;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message for every unusable number.
    }
    throw Refusal.invalid(name + " takes a whole number from 0");
  }
}
