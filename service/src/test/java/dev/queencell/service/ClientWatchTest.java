package dev.queencell.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.javalin.http.Context;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientWatchTest {
  /** Each parked request takes one permit to end, or ends because its client has gone. */
  private final Semaphore answers = new Semaphore(0);

  private final Semaphore parked = new Semaphore(0);
  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private final AtomicInteger goneCalls = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void start() {
    server =
        HttpServer.start(
            "127.0.0.1",
            0,
            1000,
            routes -> {
              routes.get("/park/{name}", this::park);
              routes.get("/echo/{name}", ctx -> answer(ctx, ctx.pathParam("name")));
            });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aClosedConnectionIsNoticedWhileItsRequestWaits() throws Exception {
    var client = connect();
    send(client, "/park/a");
    awaitParked();
    client.close();
    gone.get(1, SECONDS);
    assertEquals(1, goneCalls.get());
  }

  @Test
  void aResetConnectionIsNoticedWhileItsRequestWaits() throws Exception {
    var client = connect();
    send(client, "/park/a");
    awaitParked();
    client.setSoLinger(true, 0);
    client.close();
    gone.get(1, SECONDS);
    assertEquals(1, goneCalls.get());
  }

  @Test
  void aClientThatStaysGetsItsAnswerAndMayAskAgain() throws Exception {
    try (var client = connect()) {
      var in = reader(client);
      for (int i = 0; i < 5; i++) {
        send(client, "/park/" + i);
        awaitParked();
        answers.release();
        assertEquals(Integer.toString(i), readAnswer(in));
        send(client, "/echo/after-" + i);
        assertEquals("after-" + i, readAnswer(in));
      }
    }
    assertFalse(gone.isDone());
  }

  @Test
  void requestsSentEarlyAreAnsweredInOrderHoweverManyTheyAre() throws Exception {
    // 300 requests of about 60 bytes: more than the stash holds, so that some stay in the socket.
    try (var client = connect()) {
      var in = reader(client);
      send(client, "/park/first");
      awaitParked();
      for (int i = 0; i < 300; i++) {
        send(client, "/echo/" + i);
      }
      answers.release();
      assertEquals("first", readAnswer(in));
      for (int i = 0; i < 300; i++) {
        assertEquals(Integer.toString(i), readAnswer(in));
      }
    }
  }

  @Test
  void anEarlyRequestThatWaitsItselfIsWatchedToo() throws Exception {
    var client = connect();
    var in = reader(client);
    send(client, "/park/first");
    awaitParked();
    send(client, "/park/second");
    send(client, "/echo/third");
    answers.release();
    assertEquals("first", readAnswer(in));
    awaitParked();
    answers.release();
    assertEquals("second", readAnswer(in));
    assertEquals("third", readAnswer(in));
    send(client, "/park/last");
    awaitParked();
    client.close();
    gone.get(1, SECONDS);
  }

  @Test
  void aSegmentMayHoldEncodedSlashesAndPercentSigns() throws Exception {
    try (var client = connect()) {
      send(client, "/echo/a%2Fb%25c%20d");
      assertEquals("a/b%c d", readAnswer(reader(client)));
    }
  }

  private void park(Context ctx) throws Exception {
    var left = new CompletableFuture<Void>();
    var watch =
        ClientWatch.open(
            ctx,
            () -> {
              goneCalls.incrementAndGet();
              left.complete(null);
              answers.release();
            });
    try {
      parked.release();
      answers.acquire();
    } finally {
      watch.close();
    }
    if (left.isDone()) {
      gone.complete(null);
    } else {
      answer(ctx, ctx.pathParam("name"));
    }
  }

  private static void answer(Context ctx, String text) throws IOException {
    HttpServer.json(ctx, 200, text.getBytes(ISO_8859_1));
  }

  private void awaitParked() throws InterruptedException {
    assertTrue(parked.tryAcquire(10, SECONDS), "the request never reached its handler");
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.port());
  }

  private static void send(Socket client, String path) throws IOException {
    var request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.getOutputStream().write(request.getBytes(ISO_8859_1));
  }

  private static BufferedReader reader(Socket client) throws IOException {
    client.setSoTimeout(10_000);
    return new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
  }

  /** Reads one answer and returns its body. */
  private static String readAnswer(BufferedReader in) throws IOException {
    int length = 0;
    for (var line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
      if (line.startsWith("Content-Length: ")) {
        length = Integer.parseInt(line.substring(16));
      }
    }
    var body = new char[length];
    for (int read = 0; read < length; ) {
      read += in.read(body, read, length - read);
    }
    return new String(body);
  }
}
