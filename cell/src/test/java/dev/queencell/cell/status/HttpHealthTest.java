package dev.queencell.cell.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HttpHealthTest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);

  private static Health answered(int status, String body) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/health",
        exchange -> {
          var bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    try (var health = new HttpHealth(DEADLINE)) {
      return health.ask("http://127.0.0.1:%d/health".formatted(server.getAddress().getPort()));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void twoHundredIsWell() throws IOException {
    assertEquals(Health.well(""), answered(200, "{\"status\":\"healthy\"}"));
    assertEquals(Health.well(""), answered(200, "ok"));
  }

  @Test
  void aStandbySaysSo() throws IOException {
    assertEquals(Health.well("standby"), answered(200, "{\"role\":\"standby\"}"));
  }

  @Test
  void anythingElseIsNotWellAndKeepsTheReasonShort() throws IOException {
    var health = answered(503, "{\"error\":\n  \"database down\"}" + "x".repeat(500));
    assertFalse(health.isHealthy());
    assertTrue(health.detail().startsWith("answered 503 {\"error\": \"database down\"}"));
    assertTrue(health.detail().length() < 160, health.detail());
  }

  @Test
  void whoTakesACallAndSaysNothingIsNotWell() throws IOException {
    try (var silent = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var health = new HttpHealth(Duration.ofMillis(200))) {
      var answer = health.ask("http://127.0.0.1:%d/health".formatted(silent.getLocalPort()));
      assertEquals(Health.unwell("no answer (HttpTimeoutException)"), answer);
    }
  }

  @Test
  void nobodyThereIsNotWell() throws IOException {
    int port;
    try (var probe = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = probe.getLocalPort();
    }
    try (var health = new HttpHealth(DEADLINE)) {
      var answer = health.ask("http://127.0.0.1:%d/health".formatted(port));
      assertEquals(Health.unwell("no answer (ConnectException)"), answer);
    }
  }
}
