package dev.queencell.broker.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.queencell.service.ClientProbes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/**
 * A program that wants a network of its own: parks a pop at an API, shuts the network down, so that
 * neither side hears of the other any more, and prints after how many milliseconds the pop was
 * given up. Its arguments are those of {@link ClientProbes}.
 */
final class SilentClient {
  /** Far more than any probes take, far less than the pop waits. */
  private static final int GIVE_UP_SECONDS = 60;

  private SilentClient() {}

  public static void main(String[] args) throws Exception {
    var probes =
        new ClientProbes(
            Integer.parseInt(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    loopback("up");
    var engine = new FixtureEngine();
    try (var api = new ApiFixture(engine, probes);
        var client = new Socket(InetAddress.getLoopbackAddress(), api.port())) {
      var request =
          "GET /api/v1/pop/queue/q?wait=true&timeout=600000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
      client.getOutputStream().write(request.getBytes(ISO_8859_1));
      var parked = engine.pops.poll(GIVE_UP_SECONDS, TimeUnit.SECONDS);
      loopback("down");
      long from = System.nanoTime();
      parked.gone().get(GIVE_UP_SECONDS, TimeUnit.SECONDS);
      System.out.println("given up after " + (System.nanoTime() - from) / 1_000_000 + " ms");
    }
  }

  private static void loopback(String state) throws IOException, InterruptedException {
    int exit = new ProcessBuilder("ip", "link", "set", "lo", state).inheritIO().start().waitFor();
    if (exit != 0) {
      throw new IOException("ip link set lo " + state + " failed");
    }
  }
}
