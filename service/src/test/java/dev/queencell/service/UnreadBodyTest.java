package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are ready before the request's body has come. */
@Timeout(60)
class UnreadBodyTest {
  private static final String REFUSED = "{\"error\":\"no\",\"code\":\"no\"}";

  private HttpServer server;

  @BeforeEach
  void start() {
    server =
        HttpServer.start(
            "127.0.0.1",
            0,
            2_000,
            ClientProbes.DEFAULT,
            routes -> {
              routes.post(
                  "/route",
                  ctx -> {
                    throw refusal();
                  });
              routes.post("/unread", ctx -> HttpServer.json(ctx, 200, ascii(REFUSED)));
              routes.post("/empty", ctx -> ctx.status(204));
              routes.get("/next", ctx -> HttpServer.json(ctx, 200, ascii("\"next\"")));
            },
            new HttpServer.Direct(UnreadBodyTest::begin, null, null));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static HttpProblem refusal() {
    return new HttpProblem(401, "no", "no");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static boolean begin(DirectExchange exchange) {
    boolean direct = exchange.path().equals("/direct");
    if (direct) {
      exchange.send(refusal());
    }
    return direct;
  }

  private static void assertNextIsAnswered(RawClient client) throws IOException {
    assertFalse(client.isEnding(), "said that the connection ends");
    client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
    assertEquals("\"next\"", client.body());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/route", "/unread", "/empty", "/none", "/direct"})
  void theBodyIsWaitedForAndTheConnectionGoesOn(String path) throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n");
      assertTrue(client.isQuiet(), "answered before the body came");
      client.send("x".repeat(19_999));
      assertTrue(client.isQuiet(), "answered inside the body");
      client.send("x");
      client.body();
      assertNextIsAnswered(client);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/route", "/unread", "/empty", "/none", "/direct"})
  void aBodyOfUnknownLengthIsWaitedForLikewise(String path) throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      assertTrue(client.isQuiet(), "answered before the body came");
      client.send("2\r\n42\r\n0\r\n\r\n");
      client.body();
      assertNextIsAnswered(client);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/route", "/unread", "/empty", "/none", "/direct"})
  void aBodyThatNeverComesCostsTheConnectionButNotTheAnswer(String path) throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n");
      assertTrue(client.line().startsWith("HTTP/1.1 "));
      client.body();
      assertTrue(client.isEnding(), "did not say that the connection ends");
      assertTrue(client.isEnded());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/route", "/direct"})
  void aBodyThatWaitsForAGoAheadIsNotAskedFor(String path) throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n");
      client.send("Expect: 100-continue\r\n\r\n");
      assertEquals("HTTP/1.1 401 Unauthorized", client.line());
      assertEquals(REFUSED, client.body());
      assertTrue(client.isEnding(), "did not say that the connection ends");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/route", "/direct"})
  void aBodyWithoutEndIsNotReadForEver(String path) throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n");
      client.send("x".repeat(9_000_000));
      assertEquals(REFUSED, client.body());
      assertTrue(client.isEnding(), "did not say that the connection ends");
    }
  }
}
