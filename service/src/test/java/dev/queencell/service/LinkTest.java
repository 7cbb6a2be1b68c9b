package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls over a link between two real servers. */
@Timeout(60)
class LinkTest {
  private static final Charset ASCII = StandardCharsets.US_ASCII;
  private static final int CALLS = 500;
  private static final int LARGE_BYTES = 5_000_000;
  private static final long TIMEOUT_MS = 30_000;

  private final BlockingQueue<DirectExchange> held = new LinkedBlockingQueue<>();
  private final AtomicInteger linked = new AtomicInteger();
  private final AtomicInteger overHttp = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final byte[] large = new byte[LARGE_BYTES];
  private final DirectClient client = new DirectClient(true);
  private HttpServer server;
  private HttpServer own;

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) ('a' + i % 26);
    }
    server = server(0);
    own =
        HttpServer.start(
            "127.0.0.1",
            0,
            1_000,
            ClientProbes.DEFAULT,
            routes -> {},
            new HttpServer.Direct(null, null, client));
    awaitLink();
  }

  @AfterEach
  void stop() {
    own.close();
    server.close();
  }

  private HttpServer server(int port) {
    return HttpServer.start(
        "127.0.0.1",
        port,
        1_000,
        ClientProbes.DEFAULT,
        routes ->
            routes.get("/route", ctx -> HttpServer.json(ctx, 200, "\"route\"".getBytes(ASCII))),
        new HttpServer.Direct(exchange -> begin(exchange, overHttp), this::overLink, null));
  }

  private boolean overLink(DirectExchange exchange) {
    return begin(exchange, linked);
  }

  private boolean begin(DirectExchange exchange, AtomicInteger count) {
    count.incrementAndGet();
    boolean mine = true;
    switch (exchange.path()) {
      case "/echo" ->
          exchange.readBody(
              (int) exchange.bodyBytes(), body -> answer(exchange, body), exchange::abandon);
      case "/query" -> answer(exchange, exchange.query().getBytes(ASCII));
      case "/header" -> {
        var value = exchange.header("x-Asked") + exchange.repeats("X-ASKED");
        answer(exchange, value.getBytes(ASCII));
      }
      case "/large" -> exchange.send(200, large, large.length, lost::incrementAndGet);
      case "/nothing" -> exchange.sendNothing();
      case "/refused" ->
          exchange
              .answerHeader("Location", "http://elsewhere/")
              .send(new HttpProblem(503, "not now", "away", 7));
      case "/held" -> held.add(exchange);
      default -> mine = false;
    }
    if (!mine) {
      count.decrementAndGet();
    }
    return mine;
  }

  private static void answer(DirectExchange exchange, byte[] body) {
    exchange.send(200, body, body.length, () -> {});
  }

  /** The first calls go over HTTP while the link is being opened. */
  private void awaitLink() throws Exception {
    int before = linked.get();
    while (linked.get() == before) {
      call("GET", "/nothing", "", "").outcome.handle((a, b) -> 0).get();
    }
  }

  private CollectedAnswer call(String method, String target, String headers, String body) {
    return call(method, target, headers, body, TIMEOUT_MS, false);
  }

  private CollectedAnswer call(
      String method, String target, String headers, String body, long timeoutMs, boolean holds) {
    return call(server.port(), method, target, headers, body, timeoutMs, holds);
  }

  private CollectedAnswer call(int port, String method, String target, String body) {
    return call(port, method, target, "", body, TIMEOUT_MS, false);
  }

  private CollectedAnswer call(
      int port,
      String method,
      String target,
      String headers,
      String body,
      long timeoutMs,
      boolean holds) {
    var request =
        "%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s"
            .formatted(method, target, headers, body.length(), body);
    var answer = new CollectedAnswer(holds);
    answer.call =
        client.call(
            "127.0.0.1",
            port,
            ByteBuffer.wrap(request.getBytes(ASCII)),
            method.equals("GET"),
            timeoutMs,
            answer);
    answer.call.send();
    return answer;
  }

  @Test
  void manyCallsAtOnceEachGetTheirOwnAnswerOverOneConnection() throws Exception {
    int before = linked.get();
    var answers = new ArrayList<CollectedAnswer>();
    for (int i = 0; i < CALLS; i++) {
      answers.add(call("POST", "/echo", "", "body " + i));
    }
    for (int i = 0; i < CALLS; i++) {
      assertEquals("body " + i, answers.get(i).text());
      assertEquals("application/json", answers.get(i).fields.get("Content-Type"));
      assertEquals(answers.get(i).announced, answers.get(i).fields.getLongField("Content-Length"));
    }
    assertEquals(before + CALLS, linked.get());
    assertEquals(0, client.connectionsInUse());
  }

  @Test
  void anAnswerMayComeInAnyOrder() throws Exception {
    var first = call("GET", "/held", "", "");
    var second = call("GET", "/query?second", "", "");
    assertEquals("second", second.text());
    answer(held.take(), "first".getBytes(ASCII));
    assertEquals("first", first.text());
  }

  @Test
  void headerFieldsAreFoundByNameInAnyCaseAndRepetitionsAreSeen() throws Exception {
    assertEquals("afalse", call("GET", "/header", "X-Asked: a\r\n", "").text());
    assertEquals("atrue", call("GET", "/header", "X-Asked: a\r\nx-asked:b\r\n", "").text());
    assertEquals("nullfalse", call("GET", "/header", "X-Asked-Not: a\r\n", "").text());
  }

  @Test
  void refusalsAndEmptyAnswersKeepTheirStatusAndFields() throws Exception {
    var nothing = call("GET", "/nothing", "", "");
    assertEquals("", nothing.text());
    assertEquals(204, nothing.status);
    assertNull(nothing.fields.get("Content-Type"));
    var refused = call("GET", "/refused", "", "");
    assertTrue(refused.text().contains("not now"), refused.text());
    assertEquals(503, refused.status);
    assertEquals("7", refused.fields.get("Retry-After"));
    assertEquals("http://elsewhere/", refused.fields.get("Location"));
  }

  @Test
  void whatTheLinkDoesNotTakeGoesOverHttp() throws Exception {
    assertEquals("\"route\"", call("GET", "/route", "", "").text());
    int before = overHttp.get();
    var body = "x".repeat(300_000);
    assertEquals(body, call("POST", "/echo", "", body).text());
    assertEquals(before + 1, overHttp.get());
  }

  @Test
  void aSlowReaderOfALargeAnswerHoldsOnePieceAndNobodyElse() throws Exception {
    var slow = call("GET", "/large", "", "", TIMEOUT_MS, true);
    assertEquals(LinkEnd.PIECE_BYTES_MAX, slow.pieces.take());
    assertEquals("meanwhile", call("GET", "/query?meanwhile", "", "").text());
    assertArrayEquals(large, call("GET", "/large", "", "").outcome.get());
    assertTrue(slow.pieces.isEmpty(), "nothing came unasked");
    while (!slow.outcome.isDone()) {
      slow.call.resume();
      slow.pieces.poll(100, TimeUnit.MILLISECONDS);
    }
    assertArrayEquals(large, slow.outcome.get());
  }

  @Test
  void aCallThatIsCancelledIsKnownAtTheOtherEndAndTheLinkGoesOn() throws Exception {
    var parked = call("GET", "/held", "", "");
    var exchange = held.take();
    var gone = new CompletableFuture<Void>();
    exchange.execute(() -> exchange.watch(() -> gone.complete(null)));
    parked.call.cancel();
    gone.get();
    assertEquals("CANCELLED", parked.failure());
    exchange.abandon();
    assertEquals("still", call("GET", "/query?still", "", "").text());
  }

  @Test
  void aWatchThatBeginsAfterTheCancellationIsToldAtOnceAndAnEndedOneNever() throws Exception {
    var parked = call("GET", "/held", "", "");
    var exchange = held.take();
    var told = new AtomicInteger();
    exchange.watch(told::incrementAndGet).close();
    parked.call.cancel();
    assertEquals("CANCELLED", parked.failure());
    // One more there and back, so that the cancellation has come.
    assertEquals("a", call("GET", "/query?a", "", "").text());
    assertEquals(0, told.get());
    exchange.watch(told::incrementAndGet);
    assertEquals(1, told.get());
    var lost = new CompletableFuture<Void>();
    exchange.send(200, new byte[1], 1, () -> lost.complete(null));
    lost.get();
  }

  @Test
  void aLinkThatBreaksFailsWhatMayHaveBeenDoneAndRepeatsWhatIsHarmless() throws Exception {
    try (var broken = new BreakingServer()) {
      while (!broken.isLinked.await(10, TimeUnit.MILLISECONDS)) {
        call(broken.port(), "GET", "/before", "");
      }
      var push = call(broken.port(), "POST", "/push", "a push");
      var pop = call(broken.port(), "GET", "/pop", "");
      assertEquals("UNREACHABLE", push.failure());
      assertEquals("", pop.text());
      assertTrue(broken.overHttp.contains("GET /pop HTTP/1.1"), broken.overHttp::toString);
      assertFalse(broken.overHttp.contains("POST /push HTTP/1.1"), broken.overHttp::toString);
    }
  }

  @Test
  void aServerThatStopsEndsItsLinksAndAnotherOneIsFound() throws Exception {
    int port = server.port();
    var push = call("POST", "/held", "", "a push");
    held.take();
    server.close();
    assertEquals("UNREACHABLE", push.failure());
    server = server(port);
    awaitLink();
  }

  @Test
  void theOtherEndKnowsWhenALinkBreaks() throws Exception {
    var gone = new CompletableFuture<Void>();
    DirectExchange exchange;
    try (var raw = link()) {
      raw.getOutputStream().write(request(1, "GET /held HTTP/1.1\r\nHost: x\r\n\r\n"));
      exchange = held.take();
      exchange.watch(() -> gone.complete(null));
      raw.setSoLinger(true, 0);
    }
    gone.get();
    exchange.abandon();
  }

  @Test
  void whoReadsNothingIsFedNoMoreThanItTakesAndAllIsGivenBackWhenItLeaves() throws Exception {
    int before = linked.get();
    try (var raw = link()) {
      for (int i = 0; i < CALLS; i++) {
        raw.getOutputStream().write(request(i, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
      }
      // Each there and back counts too.
      int more = 0;
      while (linked.get() < before + CALLS + more) {
        assertEquals("", call("GET", "/nothing", "", "").text());
        more++;
      }
      assertEquals("served", call("GET", "/query?served", "", "").text());
      assertEquals(0, lost.get());
      raw.setSoLinger(true, 0);
    }
    while (lost.get() < CALLS) {
      assertEquals("", call("GET", "/nothing", "", "").text());
    }
    assertEquals(CALLS, lost.get());
  }

  @Test
  void anEndThatIsSilentForLongIsGivenUp() throws Exception {
    try (var raw = link()) {
      var in = new DataInputStream(raw.getInputStream());
      int beats = 0;
      for (int length = in.read(); length >= 0; length = in.read()) {
        assertEquals(LinkEnd.Kind.ALIVE.code, in.readNBytes(8)[3]);
        beats++;
      }
      assertTrue(beats > 1, "the other end said that it is there");
    }
    assertEquals("still", call("GET", "/query?still", "", "").text());
  }

  @Test
  void whatIsNoFrameEndsTheLinkAndNothingElse() throws Exception {
    var bad =
        List.of(
            ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array(),
            ByteBuffer.allocate(4).putInt(-1).array(),
            ByteBuffer.allocate(4).putInt(0).array(),
            ByteBuffer.allocate(9).putInt(5).put((byte) 99).array(),
            ByteBuffer.allocate(9).putInt(5).put(LinkEnd.Kind.ANSWER.code).array(),
            twice(request(1, "GET /held HTTP/1.1\r\n\r\n")));
    for (var bytes : bad) {
      try (var raw = link()) {
        raw.getOutputStream().write(bytes);
        assertEquals(-1, raw.getInputStream().read());
      }
    }
    for (var text : new String[] {"", "GET", "GET /held", "GET /held HTTP/1.1\r\n", "\r\n\r\n"}) {
      try (var raw = link()) {
        raw.getOutputStream().write(request(1, text));
        assertEquals(LinkEnd.Kind.ELSEWHERE.code, raw.getInputStream().readNBytes(9)[4]);
      }
    }
    assertEquals("still", call("GET", "/query?still", "", "").text());
  }

  private static byte[] twice(byte[] bytes) {
    return ByteBuffer.allocate(2 * bytes.length).put(bytes).put(bytes).array();
  }

  private static byte[] request(int number, String text) {
    return ByteBuffer.allocate(9 + text.length())
        .putInt(5 + text.length())
        .put(LinkEnd.Kind.REQUEST.code)
        .putInt(number)
        .put(text.getBytes(ASCII))
        .array();
  }

  /** A link by hand. */
  private Socket link() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    var ask =
        "GET %s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"
            .formatted(LinkEnd.PATH, LinkEnd.PROTOCOL);
    socket.getOutputStream().write(ask.getBytes(ASCII));
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) socket.getInputStream().read());
    }
    assertTrue(head.toString().startsWith("HTTP/1.1 101 "), head.toString());
    return socket;
  }
}
