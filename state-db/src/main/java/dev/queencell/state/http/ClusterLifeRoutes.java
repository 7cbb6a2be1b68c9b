package dev.queencell.state.http;

import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.broker.BrokerCalls;
import dev.queencell.state.control.Clusters;
import dev.queencell.state.control.Ids;
import dev.queencell.state.control.Ledger;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.usage.Activity;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /api/cp}: whether clusters are used, and their queues at the broker. Under the guard of
 * {@link ControlPlaneRoutes}.
 */
final class ClusterLifeRoutes {
  private static final long BODY_BYTES_MAX = 1024 * 1024;

  private final Clusters clusters;
  private final Activity activity;
  private final BrokerCalls broker;

  ClusterLifeRoutes(Ledger ledger) {
    clusters = new Clusters(ledger);
    activity = new Activity(ledger);
    broker = new BrokerCalls(ledger);
  }

  void addTo(RoutesConfig routes) {
    routes.post("/api/cp/activity", this::activity);
    routes.get("/api/cp/clusters/{ref}/queues", this::queues);
    routes.post("/api/cp/clusters/{ref}/configure", this::configure);
  }

  private void activity(Context ctx) throws IOException {
    var slugs = Fields.of(ctx).texts("clusters", Activity.CLUSTERS_MAX);
    if (slugs == null) {
      throw Refusal.invalid(
          "clusters is missing; it takes a list of at most %d slugs"
              .formatted(Activity.CLUSTERS_MAX));
    }
    for (int i = 0; i < slugs.size(); i++) {
      var _ = Fields.checkSlug("clusters[%d]".formatted(i), slugs.get(i));
    }
    var answer = Json.object();
    var list = answer.putArray("clusters");
    for (var signs : activity.of(slugs)) {
      list.addObject()
          .put("slug", signs.slug())
          .put("found", signs.clusterId() != null)
          .put("cluster_id", Answers.text(signs.clusterId()))
          .put("last_activity_at", signs.lastActivityAt())
          .put("first_push_at", signs.firstPushAt())
          .put("last_key_used_at", signs.lastKeyUsedAt())
          .put("retained_bytes", signs.retainedBytes());
    }
    Answers.send(ctx, 200, answer);
  }

  private void queues(Context ctx) throws IOException {
    send(ctx, broker.queues(clusterId(ctx)));
  }

  private void configure(Context ctx) throws IOException {
    var body = HttpServer.body(ctx, BODY_BYTES_MAX);
    send(ctx, broker.configure(clusterId(ctx), queue(body), body));
  }

  private static String queue(byte[] body) {
    ObjectNode document;
    try {
      document = Json.readObject(body);
    } catch (HttpProblem e) {
      throw Refusal.invalid(e.getMessage());
    }
    var queue = document.path("queue").asString("");
    if (queue.isEmpty()) {
      throw Refusal.invalid("queue is missing; it takes a queue's name");
    }
    return Fields.cut(queue);
  }

  /** As the broker said it. */
  private static void send(Context ctx, BrokerCalls.Answer answer) throws IOException {
    HttpServer.json(ctx, answer.status(), answer.body());
  }

  private UUID clusterId(Context ctx) {
    var ref = ctx.pathParam("ref");
    return Ids.isUuid(ref)
        ? UUID.fromString(ref)
        : clusters.bySlug(Fields.checkSlug("cluster", ref)).id();
  }
}
