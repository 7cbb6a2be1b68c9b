package dev.queencell.service;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Takes requests over its link, and breaks it at a pop; over HTTP it answers. */
final class BreakingServer implements AutoCloseable {
  final CountDownLatch isLinked = new CountDownLatch(1);
  final List<String> overHttp = new CopyOnWriteArrayList<>();
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

  BreakingServer() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        // The test is over.
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = new DataInputStream(socket.getInputStream());
      var head = head(in);
      while (!head.contains(LinkEnd.PROTOCOL)) {
        overHttp.add(head.lines().findFirst().orElseThrow());
        socket
            .getOutputStream()
            .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        head = head(in);
      }
      socket
          .getOutputStream()
          .write("HTTP/1.1 101 Switching Protocols\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      while (!new String(in.readNBytes(in.readInt()), StandardCharsets.US_ASCII)
          .contains("GET /pop")) {
        isLinked.countDown();
      }
    } catch (IOException e) {
      // The other side has gone.
    }
  }

  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("ended");
      }
      head.append((char) next);
    }
    return head.toString();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
