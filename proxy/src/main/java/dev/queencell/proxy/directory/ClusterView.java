package dev.queencell.proxy.directory;

import dev.queencell.proxy.route.Feature;
import java.net.URI;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A cluster as the edge applies it.
 *
 * @param brokerTenantUuid what the broker knows the tenant by
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
    String cellSlug,
    String brokerHost,
    int brokerPort,
    String cellAuthorization) {

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
        view.at("/cell/slug").stringValue(),
        broker.getHost(),
        broker.getPort(),
        secret.isString() ? "Bearer " + secret.stringValue() : null);
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
