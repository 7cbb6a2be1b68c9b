package dev.queencell.proxy.directory;

import dev.queencell.proxy.route.Scope;
import dev.queencell.service.Json;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A live API key: what it is bound to and good for. The key itself is nowhere in it. */
public record KeyView(String id, String clusterId, Set<Scope> scopes) {
  static KeyView of(JsonNode view) {
    var scopes = EnumSet.noneOf(Scope.class);
    var names = view.get("scopes").valueStream().map(JsonNode::stringValue).toList();
    for (var scope : Scope.values()) {
      if (names.contains(scope.wireName())) {
        scopes.add(scope);
      }
    }
    return new KeyView(view.get("id").stringValue(), view.get("cluster_id").stringValue(), scopes);
  }

  /** The same view as the tenant state words it. */
  ObjectNode json() {
    var view = Json.object().put("id", id).put("cluster_id", clusterId);
    var names = view.putArray("scopes");
    scopes.forEach(scope -> names.add(scope.wireName()));
    return view;
  }
}
