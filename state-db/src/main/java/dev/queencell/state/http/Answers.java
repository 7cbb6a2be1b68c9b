package dev.queencell.state.http;

import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import dev.queencell.state.control.Cells;
import dev.queencell.state.control.Clusters;
import dev.queencell.state.control.Keys;
import dev.queencell.state.control.Members;
import dev.queencell.state.control.Plans;
import dev.queencell.state.control.Provisioning;
import dev.queencell.state.control.Refusal;
import dev.queencell.state.policy.EffectiveLimits;
import dev.queencell.state.usage.UsageReport;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.List;
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

  static ObjectNode counts(String label, UsageReport.Counts counts) {
    return Json.object()
        .put(label, counts.name())
        .put("reqs", counts.reqs())
        .put("msgs", counts.msgs())
        .put("bytes_in", counts.bytesIn())
        .put("bytes_out", counts.bytesOut());
  }

  static ObjectNode minutes(List<UsageReport.Minute> minutes) {
    var answer = Json.object();
    var rows = answer.putArray("rows");
    for (var minute : minutes) {
      rows.add(counts("op_class", minute.counts()).put("minute", minute.minute()));
    }
    return answer;
  }

  /** Keys without their hashes. */
  static ObjectNode keys(List<Keys.Listed> keys) {
    var answer = Json.object();
    var list = answer.putArray("keys");
    for (var key : keys) {
      var node =
          list.addObject()
              .put("id", key.id().toString())
              .put("name", key.name())
              .put("created_at", key.createdAt())
              .put("last_used_at", key.lastUsedAt())
              .put("expires_at", key.expiresAt())
              .put("revoked_at", key.revokedAt())
              .put("replaced_by", text(key.replacedBy()));
      key.scopes().forEach(node.putArray("scopes")::add);
    }
    return answer;
  }

  static ObjectNode members(List<Members.Member> members) {
    var answer = Json.object();
    var list = answer.putArray("members");
    for (var member : members) {
      list.addObject()
          .put("user_id", member.userId().toString())
          .put("email", member.email())
          .put("role", member.role());
    }
    return answer;
  }

  /** A whole number of the query. */
  static int number(Context ctx, String name, int fallback, int min, int max) {
    var text = ctx.queryParam(name);
    if (text == null) {
      return fallback;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message for every unusable number.
    }
    throw Refusal.invalid("%s takes a whole number from %d to %d".formatted(name, min, max));
  }

  static JsonNode tree(String json) {
    return json == null ? Json.object() : Json.mapper().readTree(json);
  }

  static String text(UUID id) {
    return id == null ? null : id.toString();
  }
}
