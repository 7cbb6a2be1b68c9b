package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.auth.AccessLevel;
import dev.queencell.broker.auth.AccessTable;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The document and the page about this API, and what is not in them. */
class OpenApiTest {
  private final FixtureEngine engine = new FixtureEngine();
  private final ApiFixture api = new ApiFixture(engine, false);
  private final OpenApi openApi = new OpenApi(api);

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void theDocumentListsWhatIsRegisteredAndNothingElse() {
    var registered = new TreeSet<String>();
    api.routes().forEach(route -> registered.add(route.method() + " " + route.path()));
    assertEquals(String.join("\n", registered), String.join("\n", openApi.routes()));
    assertEquals("3.1.0", openApi.document().get("openapi").stringValue());
  }

  @Test
  void everyOperationTellsItsAnswersItsErrorsAndItsAccessLevel() {
    for (Map.Entry<String, JsonNode> path : openApi.document().get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        var operation = method.getValue();
        var where = method.getKey() + " " + path.getKey();
        assertTrue(operation.get("summary").isString(), where);
        var level = AccessTable.levelOf(method.getKey().toUpperCase(Locale.ROOT), path.getKey());
        assertEquals(
            level.name().toLowerCase(Locale.ROOT).replace('_', '-'),
            operation.get("x-access-level").stringValue(),
            where);
        var responses = operation.get("responses");
        assertTrue(
            responses.has("200") || responses.has("201"), where + " has no answer of success");
        assertTrue(responses.has("500"), where);
        assertTrue(level == AccessLevel.PUBLIC || responses.has("401"), where);
      }
    }
  }

  @Test
  void everyReferenceLeadsSomewhere() {
    checkReferences(openApi.document());
  }

  private void checkReferences(JsonNode node) {
    if (node.has("$ref")) {
      var target = node.get("$ref").stringValue();
      assertFalse(openApi.document().at(target.substring(1)).isMissingNode(), target);
    }
    node.forEach(this::checkReferences);
  }

  @Test
  void thePageNeedsNothingFromElsewhere() {
    var page = api.get("/docs");
    assertEquals(200, page.status());
    assertTrue(page.header("Content-Type").startsWith("text/html"));
    assertTrue(page.body().contains("fetch(\"openapi.json\")"));
    assertFalse(page.body().contains("://"), "a page with an address of elsewhere");
    assertTrue(page.header("Content-Security-Policy").contains("default-src 'none'"));
  }

  @Test
  void unknownRoutesAndTheFamiliesThatAreNotThereAnswerNoSuchRoute() {
    for (var call :
        List.of(
            "GET /api/v1/queues",
            "GET /api/v1/messages/one",
            "GET /api/v2/push",
            "POST /api/v1/kv",
            "PUT /api/v1/kv/ns/key",
            "GET /api/v1/kv/ns/a/b",
            "DELETE /api/v1/kv/ns/key",
            "GET /api/v1/resources/kv/namespaces",
            "POST /api/v1/resources/kv/list",
            "POST /api/v1/timers",
            "GET /api/v1/timers/q",
            "GET /api/v1/timers/q/key",
            "DELETE /api/v1/timers/q/key",
            "POST /api/v1/ephemeral/push",
            "GET /api/v1/ephemeral/pop",
            "POST /api/v1/ephemeral/ack",
            "POST /api/v1/ephemeral/configure",
            "POST /api/v1/ephemeral/reset",
            "GET /api/v1/ephemeral/queues",
            "GET /api/v1/ephemeral/queues/q/depth",
            "DELETE /api/v1/ephemeral/queue/q",
            "POST /api/v1/fetch",
            "POST /api/v1/partitions/changed",
            "POST /streams/v1/queries",
            "POST /streams/v1/state/get",
            "POST /streams/v1/cycle",
            "GET /api/v1/system/kv-timers",
            "POST /api/v1/system/ephemeral",
            "GET /auth/me",
            "GET /auth/login",
            "POST /auth/logout")) {
      var parts = call.split(" ", 2);
      var answer = api.send(api.request(parts[1]).method(parts[0], BodyPublishers.noBody()));
      assertEquals(404, answer.status(), call);
      assertEquals("{\"error\":\"Not Found\",\"code\":\"no_such_route\"}", answer.body(), call);
    }
    assertTrue(engine.asked.isEmpty());
  }
}
