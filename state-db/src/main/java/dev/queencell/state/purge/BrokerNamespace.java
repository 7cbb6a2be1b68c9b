package dev.queencell.state.purge;

import dev.queencell.service.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.core.JacksonException;

/** One tenant's queues at its broker, over the broker's own HTTP API. Not thread-safe. */
final class BrokerNamespace implements AutoCloseable {
  /** A queue as the broker lists it. */
  record Queue(String name, long partitions) {}

  private static final String QUEUES = "/api/v1/resources/queues";
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
  private static final int OK = 200;

  /** A round deletes so many; the next one goes on. */
  private static final int QUEUES_MAX = 200;

  private final String baseUrl;
  private final String secret;
  private final UUID tenant;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT_TIMEOUT)
          .version(HttpClient.Version.HTTP_1_1)
          // A standby points to the owner.
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  /**
   * @param secret the cell's bearer token, or null for none
   */
  BrokerNamespace(String baseUrl, String secret, UUID tenant) {
    this.baseUrl = baseUrl;
    this.secret = secret;
    this.tenant = tenant;
  }

  /** The first of the tenant's queues; none means that there are none. */
  List<Queue> queues() throws IOException, InterruptedException {
    var answer = send(request(QUEUES).GET());
    try {
      var listed = Json.mapper().readTree(answer).path("queues");
      if (!listed.isArray()) {
        throw new IOException("the broker's list of queues has no queues");
      }
      var queues = new ArrayList<Queue>();
      for (int i = 0; i < Math.min(listed.size(), QUEUES_MAX); i++) {
        var queue = listed.get(i);
        queues.add(new Queue(queue.path("name").asString(), queue.path("partitions").asLong(0)));
      }
      return queues;
    } catch (JacksonException e) {
      throw new IOException("the broker's list of queues is not JSON", e);
    }
  }

  /** Deletes a queue; one that is gone already is fine. */
  void delete(String queue) throws IOException, InterruptedException {
    var name = URLEncoder.encode(queue, StandardCharsets.UTF_8).replace("+", "%20");
    var _ = send(request(QUEUES + "/" + name).DELETE());
  }

  @Override
  public void close() {
    http.close();
  }

  private HttpRequest.Builder request(String path) {
    var request =
        HttpRequest.newBuilder(URI.create(baseUrl + path))
            .timeout(ANSWER_TIMEOUT)
            .header("x-queen-tenant", tenant.toString());
    return secret == null ? request : request.header("Authorization", "Bearer " + secret);
  }

  private byte[] send(HttpRequest.Builder request) throws IOException, InterruptedException {
    var built = request.build();
    var response = http.send(built, HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() != OK) {
      throw new IOException(
          "the broker answered %d to %s of %s"
              .formatted(response.statusCode(), built.method(), built.uri().getPath()));
    }
    return response.body();
  }
}
