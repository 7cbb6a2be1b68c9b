package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionLimitTest {
  private static final int CONNECTIONS_MAX = 2;
  private static final int ROUNDS = 100;

  @Test
  void aServerThatIsAtItsLimitAgainAndAgainGoesOnListening() throws Exception {
    try (var server =
        HttpServer.start(
            "127.0.0.1",
            0,
            1000,
            CONNECTIONS_MAX,
            ClientProbes.DEFAULT,
            routes -> routes.get("/", ctx -> HttpServer.json(ctx, 200, new byte[] {'1'})),
            HttpServer.Direct.NONE)) {
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
