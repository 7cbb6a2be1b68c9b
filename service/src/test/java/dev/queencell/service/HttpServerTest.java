package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.javalin.config.RoutesConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HttpServerTest {
  private static final int BODY_BYTES_MAX = 1_000;
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private static void routes(RoutesConfig routes, CountDownLatch entered) {
    routes.post("/echo", ctx -> HttpServer.json(ctx, 200, HttpServer.body(ctx, BODY_BYTES_MAX)));
    routes.get(
        "/busy",
        ctx -> {
          throw new HttpProblem(429, "too busy", "rate_limited", 7);
        });
    routes.get(
        "/broken",
        ctx -> {
          throw new IllegalArgumentException("a secret of the house");
        });
    routes.get(
        "/stuck",
        ctx -> {
          entered.countDown();
          NEVER.await();
        });
  }

  private static HttpServer start(long stopTimeoutMs) {
    return HttpServer.start("127.0.0.1", 0, stopTimeoutMs, r -> routes(r, new CountDownLatch(1)));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(request.build(), BodyHandlers.ofString());
    }
  }

  private static HttpRequest.Builder to(HttpServer server, String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path)));
  }

  @Test
  void aBodyWithinTheCapComesWholeAndOneBeyondItIsRefused() throws Exception {
    try (var server = start(100)) {
      var fits = "x".repeat(BODY_BYTES_MAX);
      assertEquals(fits, send(to(server, "/echo").POST(BodyPublishers.ofString(fits))).body());
      var announced = send(to(server, "/echo").POST(BodyPublishers.ofString(fits + "x")));
      assertEquals(413, announced.statusCode());
      assertTrue(announced.body().contains("\"code\":\"payload_too_large\""), announced.body());
      var chunked =
          send(
              to(server, "/echo")
                  .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString(fits + "x"))));
      assertEquals(413, chunked.statusCode());
    }
  }

  @Test
  void aRefusalHasOneShapeAndAFaultTellsNothing() throws Exception {
    try (var server = start(100)) {
      var refusal = send(to(server, "/busy"));
      assertEquals(429, refusal.statusCode());
      assertEquals("{\"error\":\"too busy\",\"code\":\"rate_limited\"}", refusal.body());
      assertEquals("7", refusal.headers().firstValue("Retry-After").orElseThrow());
      assertEquals("application/json", refusal.headers().firstValue("Content-Type").orElseThrow());
      var fault = send(to(server, "/broken"));
      assertEquals(500, fault.statusCode());
      assertEquals("{\"error\":\"internal error\",\"code\":\"internal\"}", fault.body());
    }
  }

  @Test
  void stoppingCutsWhatIsStillRunningAtTheDeadline() throws Exception {
    var entered = new CountDownLatch(1);
    var server = HttpServer.start("127.0.0.1", 0, 50, r -> routes(r, entered));
    try (var http = HttpClient.newHttpClient()) {
      var answer = http.sendAsync(to(server, "/stuck").build(), BodyHandlers.ofString());
      assertTrue(entered.await(20, TimeUnit.SECONDS));
      server.close();
      assertThrows(ExecutionException.class, () -> answer.get(20, TimeUnit.SECONDS));
    }
  }

  @Test
  void aTakenPortIsSaidInOneLine() {
    try (var first = start(100)) {
      var refusal =
          assertThrows(
              IllegalStateException.class,
              () -> HttpServer.start("127.0.0.1", first.port(), 100, r -> {}).close());
      assertTrue(
          refusal.getMessage().startsWith("can't listen on 127.0.0.1:" + first.port()),
          refusal.getMessage());
    }
  }
}
