package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionLimitTest {
  private static final int CONNECTIONS_MAX = 2;
  private static final int ROUNDS = 100;

  /** Long enough to see that nothing comes; what does come is never waited for this way. */
  private static final int SILENCE_MS = 300;

  @Test
  void aServerThatIsAtItsLimitAgainAndAgainGoesOnListening() throws Exception {
    try (var server = server(CONNECTIONS_MAX, HttpServer.Direct.NONE)) {
      for (int round = 0; round < ROUNDS; round++) {
        var crowd = new ArrayList<Socket>();
        for (int i = 0; i < 2 * CONNECTIONS_MAX; i++) {
          crowd.add(connect(server));
        }
        for (var one : crowd) {
          one.setSoLinger(true, 0);
          one.close();
        }
        assertEquals("HTTP/1.1 200 OK", ask(server), "round " + round);
      }
    }
  }

  @Test
  void theEndsOfConnectionsToOthersLeaveTheLimitOnClientsAlone() throws Exception {
    var client = new DirectClient(false);
    try (var other = server(CONNECTIONS_MAX, HttpServer.Direct.NONE);
        var server = server(CONNECTIONS_MAX, new HttpServer.Direct(null, null, client))) {
      var request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      for (int i = 0; i < ROUNDS; i++) {
        var answer = new CollectedAnswer(false);
        var bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
        client.call("127.0.0.1", other.port(), bytes, true, 10_000, answer).send();
        assertEquals("1", answer.text());
      }
      var crowd = new ArrayList<Socket>();
      for (int i = 0; i < CONNECTIONS_MAX; i++) {
        crowd.add(connect(server));
        crowd
            .getLast()
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertEquals('H', crowd.getLast().getInputStream().read());
      }
      try (var late = connect(server)) {
        late.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        late.setSoTimeout(SILENCE_MS);
        assertThrows(SocketTimeoutException.class, () -> late.getInputStream().read());
        crowd.removeFirst().close();
        late.setSoTimeout(0);
        assertEquals('H', late.getInputStream().read());
      }
      crowd.getFirst().close();
    }
  }

  @Test
  void oneConnectionMayCarryMoreRequestsThanThereMayBeConnections() throws Exception {
    var held = new LinkedBlockingQueue<DirectExchange>();
    try (var server = server(1, new HttpServer.Direct(null, held::add, null));
        var link = connect(server)) {
      write(
          link,
          "GET %s HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"
              .formatted(LinkEnd.PATH, LinkEnd.PROTOCOL));
      assertEquals('H', link.getInputStream().read());
      var request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
      var frame = ByteBuffer.allocate(9 + request.length).putInt(5 + request.length);
      frame.put(LinkEnd.Kind.REQUEST.code).putInt(0).put(request);
      for (int number = 0; number < ROUNDS; number++) {
        link.getOutputStream().write(frame.putInt(5, number).array());
      }
      for (int number = 0; number < ROUNDS; number++) {
        assertEquals("/", held.take().path());
      }
    }
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static HttpServer server(int connectionsMax, HttpServer.Direct direct) {
    return HttpServer.start(
        "127.0.0.1",
        0,
        1000,
        connectionsMax,
        ClientProbes.DEFAULT,
        routes -> routes.get("/", ctx -> HttpServer.json(ctx, 200, new byte[] {'1'})),
        direct);
  }

  private static Socket connect(HttpServer server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.port());
  }

  private static String ask(HttpServer server) {
    try (var client = connect(server)) {
      client
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      var answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.lines().findFirst().orElse("no answer");
    } catch (IOException e) {
      return e.toString();
    }
  }
}
