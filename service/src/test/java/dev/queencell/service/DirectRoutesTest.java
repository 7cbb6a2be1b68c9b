package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests without a thread, driven byte by byte over sockets. */
@Timeout(60)
class DirectRoutesTest {
  private static final int PIPELINED = 500;

  private final BlockingQueue<DirectExchange> begun = new LinkedBlockingQueue<>();
  private final CountDownLatch broken = new CountDownLatch(1);
  private final CountDownLatch slowEntered = new CountDownLatch(1);
  private final CountDownLatch slowMayEnd = new CountDownLatch(1);
  private HttpServer server;

  @BeforeEach
  void start() {
    server =
        HttpServer.start(
            "127.0.0.1",
            0,
            10_000,
            ClientProbes.DEFAULT,
            routes -> {
              routes.post("/echo", ctx -> HttpServer.json(ctx, 200, HttpServer.body(ctx, 1 << 20)));
              routes.get(
                  "/slow",
                  ctx -> {
                    slowEntered.countDown();
                    slowMayEnd.await();
                    HttpServer.json(ctx, 200, ascii("\"slow\""));
                  });
              routes.get("/route", ctx -> HttpServer.json(ctx, 200, ascii("\"route\"")));
            },
            new HttpServer.Direct(this::begin, null, null));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private boolean begin(DirectExchange exchange) {
    switch (exchange.path()) {
      case "/later" -> begun.add(exchange);
      case "/now" -> exchange.send(new HttpProblem(418, exchange.query(), null));
      case "/soon" -> exchange.execute(() -> answer(exchange, exchange.query()));
      case "/echo" -> {
        if (exchange.bodyBytes() < 0) {
          return false;
        }
        exchange.readBody(
            (int) exchange.bodyBytes(),
            body -> exchange.send(200, body, body.length, () -> {}),
            () -> {
              broken.countDown();
              exchange.abandon();
            });
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void answer(DirectExchange exchange, String text) {
    var body = ascii('"' + text + '"');
    exchange.send(200, body, body.length, () -> {});
  }

  @Test
  void whatIsBegunIsAnsweredLaterFromAnotherThread() throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("GET /later?a HTTP/1.1\r\nHost: x\r\n\r\n");
      answer(begun.take(), "late");
      assertEquals("\"late\"", client.body());
    }
  }

  @Test
  void everyOtherRequestOfTheConnectionTakesTheRoutes() throws Exception {
    try (var client = new RawClient(server.port())) {
      for (int i = 0; i < 3; i++) {
        client.send("GET /soon?" + i + " HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals("\"" + i + '"', client.body());
        client.send("GET /route HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals("\"route\"", client.body());
      }
    }
  }

  @Test
  void requestsThatComeInOnePieceAreAnsweredInTheirOrder() throws Exception {
    for (var path : new String[] {"/soon", "/now"}) {
      try (var client = new RawClient(server.port())) {
        var all = new StringBuilder();
        for (int i = 0; i < PIPELINED; i++) {
          all.append("GET ").append(path).append('?').append(i);
          all.append(" HTTP/1.1\r\nHost: x\r\n\r\n");
        }
        client.send(all.toString());
        for (int i = 0; i < PIPELINED; i++) {
          var body = client.body();
          assertTrue(body.contains("\"" + i + '"'), path + " " + i + ": " + body);
        }
      }
    }
  }

  @Test
  void aRequestThatComesBeforeTheAnswerToTheLastOneIsTakenAfterIt() throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("GET /later?0 HTTP/1.1\r\nHost: x\r\n\r\n");
      for (int i = 0; i < 20; i++) {
        var exchange = begun.take();
        // In two pieces, the first of which the selector sees while nobody wants to read.
        client.send("GET /later?" + (i + 1));
        client.send(" HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals(0, begun.size(), "taken before its turn");
        answer(exchange, exchange.query());
        assertEquals("\"" + i + '"', client.body());
      }
    }
  }

  @Test
  void answersThatAreGivenTogetherAllComeThoughOneFails() throws Exception {
    try (var one = new RawClient(server.port());
        var other = new RawClient(server.port())) {
      one.send("GET /later?1 HTTP/1.1\r\nHost: x\r\n\r\n");
      var first = begun.take();
      other.send("GET /later?2 HTTP/1.1\r\nHost: x\r\n\r\n");
      var second = begun.take();
      HttpServer.together(
          () -> {
            first.execute(
                () -> {
                  throw new IllegalStateException("meant to fail");
                });
            first.execute(() -> answer(first, "1"));
            HttpServer.together(() -> second.execute(() -> answer(second, "2")));
          });
      assertEquals("\"1\"", one.body());
      assertEquals("\"2\"", other.body());
    }
  }

  @Test
  void aLongAnswerToASlowReaderComesWholeAndTheConnectionGoesOn() throws Exception {
    try (var client = new RawClient(server.port())) {
      for (int i = 0; i < 3; i++) {
        client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
        var exchange = begun.take();
        var text = "x".repeat(8 * 1024 * 1024);
        answer(exchange, text);
        // An early request makes the socket readable while it has yet to become writable.
        client.send("GET /route HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals('"' + text + '"', client.body());
        assertEquals("\"route\"", client.body());
      }
    }
  }

  @Test
  void aBodyMayComeByteByByte() throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n");
      for (char c : "\"bytes\"".toCharArray()) {
        client.send(String.valueOf(c));
      }
      assertEquals("\"bytes\"", client.body());
    }
  }

  @Test
  void aBodyOfUnknownLengthAndOneThatWaitsForAGoAheadTakeTheRoutes() throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.send("2\r\n42\r\n0\r\n\r\n");
      assertEquals("42", client.body());
      client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n");
      client.send("Expect: 100-continue\r\n\r\n");
      assertEquals("HTTP/1.1 100 Continue", client.line());
      client.line();
      client.send("43");
      assertEquals("43", client.body());
    }
  }

  @Test
  void aConnectionThatEndsInsideABodyIsNoticed() throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\nhalf");
    }
    assertTrue(broken.await(30, TimeUnit.SECONDS));
  }

  @Test
  void whatIsUnderWayIsAnsweredBeforeTheServerStops() throws Exception {
    try (var client = new RawClient(server.port())) {
      client.send("GET /later?a HTTP/1.1\r\nHost: x\r\n\r\n");
      var exchange = begun.take();
      var stopping = Thread.ofVirtual().start(server::close);
      answer(exchange, "last");
      assertEquals("\"last\"", client.body());
      stopping.join();
    }
  }

  @Test
  void whileTheServerStopsNewRequestsAreRefusedAndThoseThatTheRoutesHaveAreAnswered()
      throws Exception {
    try (var early = new RawClient(server.port());
        var late = new RawClient(server.port())) {
      early.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
      slowEntered.await();
      var stopping = Thread.ofVirtual().start(server::close);
      String answer;
      do {
        late.send("GET /soon?b HTTP/1.1\r\nHost: x\r\n\r\n");
        answer = late.body();
      } while (answer.equals("\"b\""));
      assertEquals("{\"error\":\"the server is stopping\",\"code\":\"stopping\"}", answer);
      assertTrue(late.isEnding());
      slowMayEnd.countDown();
      assertEquals("\"slow\"", early.body());
      stopping.join();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
