package dev.queencell.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Brokers as processes: start, stand by, take over, stop. */
@Timeout(180)
class BrokerProcessIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final String MAIN = "dev.queencell.broker.BrokerMain";
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);
  private static final String PUSH = "{\"items\":[{\"queue\":\"q\",\"payload\":\"kept\"}]}";

  /** Has a queue of the same name; everybody else here is the tenant of those who name none. */
  private static final UUID NEIGHBOUR = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");

  private final HttpClient client =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  @Test
  void aStandbySendsClientsToTheOwnerAndTakesOverWhenItStops() throws Exception {
    try (var owner = start(freePort())) {
      var ownerUrl = owner.awaitReady();
      try (var standby = start(freePort())) {
        var standbyUrl = standby.awaitReady();
        assertTrue(get(standbyUrl, "/health").body().contains("\"role\":\"standby\""));
        assertEquals(201, post(standbyUrl, "/api/v1/push", PUSH).statusCode());
        assertTrue(get(ownerUrl, "/health").body().contains("\"role\":\"owner\""));
        var theirs = BodyPublishers.ofString(PUSH.replace("kept", "theirs"));
        assertEquals(201, send(asNeighbour(standbyUrl, "/api/v1/push").POST(theirs)).statusCode());

        owner.terminate();
        owner.exitCode(STOP_DEADLINE);
        Await.until(
            "the standby owns the database",
            () -> get(standbyUrl, "/health").body().contains("\"role\":\"owner\""));
        var popped = get(standbyUrl, "/api/v1/pop/queue/q");
        assertTrue(popped.body().contains("\"data\":\"kept\""), popped.body());
        assertEquals(204, get(standbyUrl, "/api/v1/pop/queue/q").statusCode());
        var neighbours = send(asNeighbour(standbyUrl, "/api/v1/pop/queue/q?batch=9")).body();
        assertTrue(neighbours.contains("\"data\":\"theirs\""), neighbours);
        assertFalse(neighbours.contains("kept"), neighbours);
      }
    }
  }

  @Test
  void theSuccessorOfAKilledBrokerOwnsAtOnceAndNeverBesideALivingOne() throws Exception {
    int port = freePort();
    try (var killed = start(port)) {
      var url = killed.awaitReady();
      assertEquals(201, post(url, "/api/v1/push", PUSH).statusCode());
      // The same address, but the owner lives: this one waits, and finds its port taken.
      try (var second = start(port)) {
        assertEquals(1, second.exitCode(Duration.ofSeconds(60)));
      }
      assertTrue(get(url, "/health").body().contains("\"role\":\"owner\""));
      assertEquals(201, post(url, "/api/v1/push", PUSH).statusCode());
      killed.kill9();
      try (var leftBehind = DATABASE.connect();
          var statement = leftBehind.createStatement()) {
        // By this sign of life alone the dead one would own for another hour.
        statement.execute(
            "SELECT set_config('application_name', 'queencell-owner ' || epoch || ' '"
                + " || (extract(epoch FROM now() + interval '1 hour') * 1000)::bigint, false)"
                + " FROM queen.owner");
        takesOverAtOnce(port);
      }
    }
  }

  private void takesOverAtOnce(int port) {
    try (var next = start(port)) {
      var nextUrl = next.awaitReady();
      Await.until(
          "the successor owns",
          () -> get(nextUrl, "/health").body().contains("\"role\":\"owner\""));
      assertEquals(201, post(nextUrl, "/api/v1/push", PUSH).statusCode());
    }
  }

  @Test
  void aParkedPopDoesNotHoldUpTheStop() throws Exception {
    try (var broker = start(freePort())) {
      var url = broker.awaitReady();
      CompletableFuture<HttpResponse<String>> parked =
          client.sendAsync(
              request(url, "/api/v1/pop/queue/idle?wait=true&timeout=60000").build(),
              BodyHandlers.ofString());
      Await.until(
          "the pop is parked",
          () -> get(url, "/metrics/prometheus").body().contains("queen_parked_long_polls 1.0"));
      broker.terminate();
      // Nothing until now is an answer; the next poll finds another broker.
      assertEquals(204, parked.get().statusCode());
      broker.exitCode(STOP_DEADLINE);
    }
  }

  @Test
  void badSettingsAndATakenPortEndItWithOneReason() throws Exception {
    try (var broker = JavaProcess.ofClass(MAIN).env("PORT", "x").start()) {
      assertEquals(1, broker.exitCode(Duration.ofSeconds(60)));
      var output = String.join("\n", broker.output());
      assertTrue(output.contains("PORT is 'x'; it takes a whole number"), output);
      assertFalse(output.contains("Exception"), output);
    }
    try (var taken = new ServerSocket(0)) {
      try (var broker = start(taken.getLocalPort())) {
        assertEquals(1, broker.exitCode(Duration.ofSeconds(60)));
        var output = String.join("\n", broker.output());
        assertTrue(output.contains("can't listen on 127.0.0.1:" + taken.getLocalPort()), output);
      }
    }
  }

  private static JavaProcess start(int port) {
    return JavaProcess.ofClass(MAIN)
        .env("PORT", Integer.toString(port))
        .env("PG_HOST", DATABASE.host())
        .env("PG_PORT", Integer.toString(DATABASE.port()))
        .env("PG_USER", DATABASE.user())
        .env("PG_PASSWORD", DATABASE.password())
        .env("PG_DB", DATABASE.database())
        .env("QUEENCELL_LANES", "1")
        .env("QUEEN_TENANCY_HEADER", "true")
        .env("QUEEN_KV_TRUSTED_PROXY", "true")
        .start();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private HttpResponse<String> get(URI base, String path) {
    return send(request(base, path));
  }

  private HttpResponse<String> post(URI base, String path, String body) {
    return send(request(base, path).POST(BodyPublishers.ofString(body)));
  }

  private static HttpRequest.Builder request(URI base, String path) {
    return HttpRequest.newBuilder(base.resolve(path));
  }

  private static HttpRequest.Builder asNeighbour(URI base, String path) {
    return request(base, path).header("x-queen-tenant", NEIGHBOUR.toString());
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
