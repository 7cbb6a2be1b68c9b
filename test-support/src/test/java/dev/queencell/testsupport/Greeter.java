package dev.queencell.testsupport;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A tiny service that answers with {@code $GREETING}. */
final class Greeter {
  private Greeter() {}

  public static void main(String[] args) throws IOException {
    System.out.println("starting");
    var greeting = System.getenv("GREETING");
    if (greeting == null) {
      System.err.println("GREETING is not set");
      System.exit(1);
    }
    var answer = greeting.getBytes(StandardCharsets.UTF_8);
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    System.out.println("ready on http://127.0.0.1:" + server.getAddress().getPort());
  }
}
