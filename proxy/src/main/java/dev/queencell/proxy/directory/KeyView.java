package dev.queencell.proxy.directory;

import dev.queencell.proxy.route.Scope;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;

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
}
