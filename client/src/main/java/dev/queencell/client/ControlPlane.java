package dev.queencell.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The tenant-state service's admin calls that make tenants usable. Thread-safe; blocks. */
public final class ControlPlane {
  /** How many hashes one {@link #checkKeys} call takes. */
  public static final int KEY_HASHES_MAX = 256;

  private final HttpExchange exchange;
  private final long timeoutMs;
  private final HttpExchange.Headers headers;

  ControlPlane(HttpExchange exchange, long timeoutMs, String adminToken) {
    this.exchange = exchange;
    this.timeoutMs = timeoutMs;
    this.headers = new HttpExchange.Headers().with("x-queen-cp-token", adminToken);
  }

  /**
   * A tenant with one cluster of the same slug.
   *
   * @param apiKey plain text of the key that this very call created; empty when it created none
   */
  public record Tenant(
      String tenantId, String clusterId, String brokerTenantUuid, String keyId, String apiKey) {}

  /**
   * Creates tenant, cluster and key where they are missing; names that exist are left alone.
   *
   * @param cell slug of the cell to place it on; empty takes the only one
   * @param keyName a key of this name is created when there is none yet
   */
  public Tenant bootstrap(String slug, String plan, String cell, String keyName) {
    var request = new LinkedHashMap<String, Object>();
    request.put("tenant_slug", slug);
    request.put("plan", plan);
    request.put("key_name", keyName);
    if (!cell.isEmpty()) {
      request.put("cell", cell);
    }
    var answer = post("/api/cp/bootstrap", request);
    return new Tenant(
        answer.path("tenant_id").asString(""),
        answer.path("cluster_id").asString(""),
        answer.path("broker_tenant_uuid").asString(""),
        answer.path("key_id").asString(""),
        answer.path("api_key").asString(""));
  }

  /**
   * Issues one more key for a cluster, with every scope.
   *
   * @param name must be new to the cluster
   * @return the key's plain text, told this once
   */
  public String issueKey(String clusterId, String name) {
    var request = new LinkedHashMap<String, Object>();
    request.put("cluster_id", clusterId);
    request.put("name", name);
    request.put("scopes", List.of("produce", "consume", "admin", "read"));
    return post("/api/cp/keys", request).path("api_key").asString("");
  }

  /**
   * Which keys are still accepted.
   *
   * @param sha256Hex lowercase hex SHA-256 of keys, at most {@link #KEY_HASHES_MAX}
   * @return per hash the slug of the cluster that it opens; empty for one that is not accepted
   */
  public Map<String, String> checkKeys(List<String> sha256Hex) {
    var clusters = new LinkedHashMap<String, String>();
    for (var row : post("/api/cp/keys/check", Map.of("key_hashes", sha256Hex)).path("results")) {
      boolean valid = row.path("valid").asBoolean(false);
      clusters.put(
          row.path("key_hash").asString(""), valid ? row.path("cluster_slug").asString("") : "");
    }
    return clusters;
  }

  private JsonNode post(String path, Object request) {
    var body = HttpExchange.JSON.writeValueAsBytes(request);
    var answer = exchange.sendExpectingSuccess("POST", path, headers, body, body.length, timeoutMs);
    return HttpExchange.JSON.readTree(answer.body());
  }
}
