package dev.queencell.broker.http;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.queencell.service.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The API's own document, and what it says of an answer. */
final class OpenApi {
  private final JsonNode document;

  OpenApi(ApiFixture api) {
    document = api.get("/openapi.json").json();
  }

  JsonNode document() {
    return document;
  }

  /** Every route as method and path. */
  SortedSet<String> routes() {
    var routes = new TreeSet<String>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        routes.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
      }
    }
    return routes;
  }

  /** What an answer of a route has that the document does not know, or lacks; empty: nothing. */
  List<String> problems(String method, String path, ApiFixture.Answer answer) {
    var responses = document.get("paths").get(path).get(method).get("responses");
    var response = responses.get(Integer.toString(answer.status()));
    if (response == null) {
      return List.of("status " + answer.status() + " is not documented: " + answer.body());
    }
    if (response.has("$ref")) {
      response = document.at(response.get("$ref").stringValue().substring(1));
    }
    if (!response.has("content")) {
      return answer.body().isEmpty() ? List.of() : List.of("a body where none is documented");
    }
    ObjectNode schema = Json.object();
    schema.put("$ref", "#/components/schemas/Answer");
    var components = (ObjectNode) document.get("components").deepCopy();
    ((ObjectNode) components.get("schemas"))
        .set("Answer", closed(response.at("/content/application~1json/schema").deepCopy()));
    schema.set("components", components);
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
        .getSchema(schema.toString())
        .validate(answer.body(), InputFormat.JSON)
        .stream()
        .map(problem -> problem.getInstanceLocation() + ": " + problem.getMessage())
        .toList();
  }

  /** The outermost object may have no key that is not documented. */
  private static JsonNode closed(JsonNode schema) {
    if (schema instanceof ObjectNode object && object.has("properties")) {
      object.put("additionalProperties", false);
    }
    return schema;
  }
}
