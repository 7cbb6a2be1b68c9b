package dev.queencell.proxy.directory;

import dev.queencell.proxy.route.Feature;
import dev.queencell.service.Json;
import java.net.URI;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cluster as the edge applies it.
 *
 * @param brokerTenantUuid what the broker knows the tenant by
 * @param blocks the quotas that are used up
 * @param brokerHost where its cell's broker listens, with {@code brokerPort}
 * @param cellAuthorization the {@code Authorization} header for the broker, or null for none
 */
public record ClusterView(
    String id,
    String slug,
    String brokerTenantUuid,
    ClusterStatus status,
    ClusterLimits limits,
    Set<Feature> features,
    Blocks blocks,
    String cellSlug,
    String brokerHost,
    int brokerPort,
    String cellAuthorization) {

  private static final String SCHEME = "Bearer ";

  /**
   * The quotas that stop pushes, as the tenant state has them.
   *
   * @param storage more is kept than the plan allows
   * @param monthly the month's messages are used up
   */
  public record Blocks(boolean storage, boolean monthly) {}

  static ClusterView of(JsonNode view) {
    var broker = URI.create(view.at("/cell/base_url").stringValue());
    var secret = view.at("/cell/secret");
    return new ClusterView(
        view.get("id").stringValue(),
        view.get("slug").stringValue(),
        view.get("broker_tenant_uuid").stringValue(),
        ClusterStatus.of(view.path("status").asString(null)),
        ClusterLimits.of(view.get("limits")),
        features(view.path("features")),
        new Blocks(
            view.at("/blocks/storage").asBoolean(false),
            view.at("/blocks/monthly").asBoolean(false)),
        view.at("/cell/slug").stringValue(),
        broker.getHost(),
        broker.getPort(),
        secret.isString() ? SCHEME + secret.stringValue() : null);
  }

  /** The same view as the tenant state words it. */
  ObjectNode json() {
    var view =
        Json.object()
            .put("id", id)
            .put("slug", slug)
            .put("broker_tenant_uuid", brokerTenantUuid)
            .put("status", status.wireName());
    view.set("limits", limits.json());
    var flags = view.putObject("features");
    features.forEach(feature -> flags.put(feature.wireName(), true));
    view.putObject("blocks").put("storage", blocks.storage()).put("monthly", blocks.monthly());
    view.putObject("cell")
        .put("slug", cellSlug)
        .put("base_url", "http://%s:%d".formatted(brokerHost, brokerPort))
        .put(
            "secret",
            cellAuthorization == null ? null : cellAuthorization.substring(SCHEME.length()));
    return view;
  }

  @Override
  public String toString() {
    return "ClusterView[" + slug + "]";
  }

  private static Set<Feature> features(JsonNode flags) {
    var features = EnumSet.noneOf(Feature.class);
    for (var feature : Feature.values()) {
      var flag = flags.path(feature.wireName());
      if (flag.isBoolean() && flag.booleanValue()) {
        features.add(feature);
      }
    }
    return features;
  }
}
