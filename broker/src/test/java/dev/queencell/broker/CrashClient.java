package dev.queencell.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** One tenant's client of a broker that comes back under another address. */
record CrashClient(HttpClient http, Supplier<URI> url, UUID tenant) {
  /** A request that can be sent to one broker and again to its successor. */
  record Request(String method, String path, String body) {
    static Request get(String path) {
      return new Request("GET", path, "");
    }

    static Request post(String path, String body) {
      return new Request("POST", path, body);
    }

    static Request delete(String path) {
      return new Request("DELETE", path, "");
    }
  }

  HttpResponse<String> send(Request request) {
    try {
      return http.send(toHttp(request), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  CompletableFuture<HttpResponse<String>> sendAsync(Request request) {
    return http.sendAsync(toHttp(request), BodyHandlers.ofString());
  }

  private HttpRequest toHttp(Request request) {
    return HttpRequest.newBuilder(url.get().resolve(request.path()))
        .header("x-queen-tenant", tenant.toString())
        .method(
            request.method(),
            request.body().isEmpty()
                ? BodyPublishers.noBody()
                : BodyPublishers.ofString(request.body()))
        .build();
  }

  JsonNode json(Request request) {
    var answer = send(request);
    assertTrue(answer.statusCode() < 300, () -> request + ": " + answer.body());
    return Json.mapper().readTree(answer.body());
  }

  /** A push of texts with transaction ids that are the texts themselves. */
  static Request push(String queue, String... texts) {
    var body = Json.object();
    var items = body.putArray("items");
    for (var text : texts) {
      items.addObject().put("queue", queue).put("transactionId", text).put("payload", text);
    }
    return Request.post("/api/v1/push", body.toString());
  }

  /** Pushes, all of it for the first time. */
  void pushNew(String queue, String... texts) {
    assertEquals(
        List.of("queued"), statuses(json(push(queue, texts))).stream().distinct().toList());
  }

  static List<String> statuses(JsonNode rows) {
    var statuses = new ArrayList<String>();
    rows.forEach(row -> statuses.add(row.get("status").stringValue()));
    return statuses;
  }

  static Request pop(String queue, String query) {
    return Request.get("/api/v1/pop/queue/" + queue + "?" + query);
  }

  /** The messages of a pop; none for a 204. */
  List<JsonNode> popped(Request pop) {
    var answer = send(pop);
    if (answer.statusCode() == 204) {
      return List.of();
    }
    assertEquals(200, answer.statusCode(), answer.body());
    var messages = new ArrayList<JsonNode>();
    Json.mapper().readTree(answer.body()).get("messages").forEach(messages::add);
    return messages;
  }

  static List<String> texts(List<JsonNode> messages) {
    return messages.stream().map(message -> message.get("data").stringValue()).toList();
  }

  /** All messages of a queue, the oldest first, without taking them. */
  List<String> stored(String queue) {
    var messages = new ArrayList<JsonNode>();
    json(Request.get("/api/v1/messages?queue=" + queue)).get("messages").forEach(messages::add);
    return texts(messages).reversed();
  }

  /** Pops one message under a lease that outlives the test; the body of its acknowledgement. */
  String leasedAck(String queue, String status) {
    var message = popped(pop(queue, "batch=1&leaseSeconds=600")).getFirst();
    return Json.object()
        .put("transactionId", message.get("transactionId").stringValue())
        .put("partitionId", message.get("partitionId").stringValue())
        .put("leaseId", message.get("leaseId").stringValue())
        .put("status", status)
        .toString();
  }
}
