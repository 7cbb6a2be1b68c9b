package dev.queencell.proxy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** Answers 200 to everything, has no links, and closes without a word when it is told to. */
final class FlakyBroker implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicBoolean drop = new AtomicBoolean();

  FlakyBroker() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** The next request that arrives gets no answer. */
  void dropNext() {
    drop.set(true);
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  private void accept() {
    try {
      while (true) {
        var socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      while (true) {
        var first = in.readLine();
        for (var line = first; line != null && !line.isEmpty(); line = in.readLine()) {
          // Nothing else of it matters.
        }
        // The question for a link is none of a test's requests.
        boolean link = first != null && first.startsWith("GET /link ");
        if (first == null || (!link && drop.compareAndSet(true, false))) {
          return;
        }
        var answer =
            "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n".formatted(link ? "404 No" : "200 OK");
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      // The client is gone.
    }
  }
}
