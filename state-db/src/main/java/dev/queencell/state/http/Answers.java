package dev.queencell.state.http;

import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.control.Cells;
import dev.queencell.state.control.Clusters;
import dev.queencell.state.control.Plans;
import dev.queencell.state.control.Provisioning;
import dev.queencell.state.policy.EffectiveLimits;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The control plane's values as JSON; a cell's secret is never among them. */
final class Answers {
  private Answers() {}

  static void send(Context ctx, int status, ObjectNode body) throws IOException {
    HttpServer.json(ctx, status, Json.bytes(body));
  }

  static ObjectNode json(Cells.Cell cell) {
    return Json.object()
        .put("cell_id", cell.id().toString())
        .put("slug", cell.slug())
        .put("base_url", cell.baseUrl())
        .put("region", cell.region())
        .put("class", cell.cellClass())
        .put("has_secret", cell.secret() != null);
  }

  static ObjectNode json(Plans.Plan plan) {
    var node = Json.object().put("code", plan.code()).put("cell_class", plan.cellClass());
    EffectiveLimits.write(plan.limits(), node);
    node.set("features", tree(plan.features()));
    return node;
  }

  static ObjectNode json(Clusters.Cluster cluster) {
    var node =
        Json.object()
            .put("id", cluster.id().toString())
            .put("slug", cluster.slug())
            .put("tenant_id", cluster.tenantId().toString())
            .put("tenant_slug", cluster.tenantSlug())
            .put("broker_tenant_uuid", cluster.brokerTenantUuid().toString())
            .put("plan_code", cluster.planCode())
            .put("status", cluster.status())
            .put("tenant_status", cluster.tenantStatus())
            .put("cell", cluster.cellSlug());
    node.set("overrides", tree(cluster.overrides()));
    return node;
  }

  /** The part that bootstrap and provision have in common. */
  static ObjectNode json(
      Clusters.Cluster cluster, UUID userId, UUID keyId, Provisioning.Created created) {
    var node =
        Json.object()
            .put("tenant_id", cluster.tenantId().toString())
            .put("cluster_id", cluster.id().toString())
            .put("broker_tenant_uuid", cluster.brokerTenantUuid().toString())
            .put("plan_code", cluster.planCode())
            .put("user_id", text(userId))
            .put("key_id", text(keyId));
    node.putObject("created")
        .put("tenant", created.tenant())
        .put("cluster", created.cluster())
        .put("user", created.user())
        .put("key", created.key());
    return node;
  }

  static JsonNode tree(String json) {
    return json == null ? Json.object() : Json.mapper().readTree(json);
  }

  static String text(UUID id) {
    return id == null ? null : id.toString();
  }
}
