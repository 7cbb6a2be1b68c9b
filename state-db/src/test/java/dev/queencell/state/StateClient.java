package dev.queencell.state;

import dev.queencell.service.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import tools.jackson.databind.node.ObjectNode;

/** Calls a running service as an operator or as the edge. */
final class StateClient implements AutoCloseable {
  static final String ADMIN_TOKEN = "admin-token-of-the-test";
  static final String EDGE_TOKEN = "edge-token-of-the-test";

  /** A status and a body. */
  record Answer(int status, ObjectNode body) {
    String text(String name) {
      return body.path(name).asString();
    }

    String error() {
      return body.path("error").asString();
    }

    String code() {
      return body.path("code").asString();
    }
  }

  private final String base;
  private final HttpClient http = HttpClient.newHttpClient();

  StateClient(int port) {
    base = "http://127.0.0.1:" + port;
  }

  Answer post(String path, String body) {
    return call("POST", path, body, "x-queen-cp-token", ADMIN_TOKEN);
  }

  Answer put(String path, String body) {
    return call("PUT", path, body, "x-queen-cp-token", ADMIN_TOKEN);
  }

  Answer get(String path) {
    return call("GET", path, null, "x-queen-cp-token", ADMIN_TOKEN);
  }

  Answer delete(String path) {
    return call("DELETE", path, null, "x-queen-cp-token", ADMIN_TOKEN);
  }

  Answer edge(String path) {
    return call("GET", path, null, "x-queen-edge-token", EDGE_TOKEN);
  }

  Answer call(String method, String path, String body, String header, String token) {
    var request = HttpRequest.newBuilder(URI.create(base + path));
    if (token != null) {
      request.header(header, token);
    }
    request.method(
        method,
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body));
    try {
      var response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Answer(response.statusCode(), Json.readObject(response.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
