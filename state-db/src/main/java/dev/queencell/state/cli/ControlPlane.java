package dev.queencell.state.cli;

import dev.queencell.service.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Calls to the control plane. What it refuses, and its silence, are {@link CommandException}s. */
final class ControlPlane implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

  private final String base;
  private final String token;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT_TIMEOUT)
          .version(HttpClient.Version.HTTP_1_1)
          .build();

  ControlPlane(String base, String token) {
    this.base = base;
    this.token = token;
  }

  JsonNode get(String path) {
    return call("GET", path, null);
  }

  JsonNode post(String path, JsonNode body) {
    return call("POST", path, body);
  }

  JsonNode put(String path, JsonNode body) {
    return call("PUT", path, body);
  }

  JsonNode delete(String path, JsonNode body) {
    return call("DELETE", path, body);
  }

  /** A text as one segment of a path or one value of a query. */
  static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    http.close();
  }

  private JsonNode call(String method, String path, JsonNode body) {
    var publisher =
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body));
    var request =
        HttpRequest.newBuilder(URI.create(base + "/api/cp" + path))
            .timeout(ANSWER_TIMEOUT)
            .header("x-queen-cp-token", token)
            .header("Content-Type", "application/json")
            .method(method, publisher)
            .build();
    try {
      var response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
      var answer = Json.mapper().readTree(response.body());
      if (response.statusCode() >= 300) {
        throw CommandException.ofRefusal(
            answer.path("error").asString(""), answer.path("code").asString(""));
      }
      return answer;
    } catch (IOException | JacksonException e) {
      throw new CommandException("the tenant state at %s does not answer: %s".formatted(base, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted");
    }
  }
}
