package dev.queencell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.queencell.client.QueenTransportException.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Broken exchanges against bare sockets: each failure keeps its own name. */
class TransportFailureTest {
  private static final QueenTransport.Options SHORT =
      QueenTransport.Options.DEFAULTS.withResponseTimeoutMs(200);

  /** What a peer does with the connection after it has read the request's head. */
  private interface Peer {
    void meet(Socket socket) throws IOException;
  }

  private static QueenTransportException failureAgainst(Peer peer) throws IOException {
    try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var transport =
            new QueenTransport(URI.create("http://127.0.0.1:" + listener.getLocalPort()), SHORT)) {
      var released = new CompletableFuture<Void>();
      var thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (var socket = listener.accept()) {
                      while (socket.getInputStream().read() != '\n') {}
                      peer.meet(socket);
                      released.join();
                    } catch (IOException e) {
                      // The client's end of the story is what the test looks at.
                    }
                  });
      try {
        return assertThrows(
            QueenTransportException.class,
            () -> transport.client(Caller.ANONYMOUS).pop(PopRequest.fromQueue("q")));
      } finally {
        released.complete(null);
        joined(thread);
      }
    }
  }

  private static void joined(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aPortThatNobodyListensOnIsRefused() throws IOException {
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (var transport = new QueenTransport(URI.create("http://127.0.0.1:" + port), SHORT)) {
      var failure =
          assertThrows(
              QueenTransportException.class,
              () -> transport.client(Caller.ANONYMOUS).pop(PopRequest.fromQueue("q")));
      assertEquals(Failure.REFUSED, failure.failure());
      assertEquals(false, failure.outcomeUnknown());
    }
  }

  @Test
  void aConnectionThatEndsBeforeTheAnswerIsReset() throws IOException {
    assertEquals(Failure.RESET, failureAgainst(Socket::close).failure());
  }

  @Test
  void aConnectionThatIsCutHardIsReset() throws IOException {
    var failure =
        failureAgainst(
            socket -> {
              socket.setSoLinger(true, 0);
              socket.close();
            });
    assertEquals(Failure.RESET, failure.failure());
  }

  @Test
  void anAnswerThatStopsInTheMiddleIsReset() throws IOException {
    var failure =
        failureAgainst(
            socket -> {
              socket
                  .getOutputStream()
                  .write(
                      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"mess"
                          .getBytes(StandardCharsets.US_ASCII));
              socket.close();
            });
    assertEquals(Failure.RESET, failure.failure());
  }

  @Test
  void anAnswerThatIsNoHttpIsReset() throws IOException {
    var failure =
        failureAgainst(
            socket -> {
              socket
                  .getOutputStream()
                  .write("nonsense\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
              socket.close();
            });
    assertEquals(Failure.RESET, failure.failure());
  }

  @Test
  void silenceIsATimeoutWhoseOutcomeIsUnknown() throws IOException {
    var failure = failureAgainst(_ -> {});
    assertEquals(Failure.TIMEOUT, failure.failure());
    assertEquals(true, failure.outcomeUnknown());
  }

  @Test
  void whenAllConnectionsStayInUseTheRequestIsNeverSent() throws Exception {
    var parked = new CompletableFuture<Void>();
    var release = new CompletableFuture<Void>();
    try (var server =
            new ScriptedServer(
                _ -> {
                  parked.complete(null);
                  release.join();
                  return ScriptedServer.Reply.json(200, "{}");
                });
        var transport = new QueenTransport(server.url(), SHORT.withConnectionsMax(1))) {
      var client = transport.client(Caller.ANONYMOUS);
      var first =
          CompletableFuture.runAsync(
              () -> client.pop(PopRequest.fromQueue("q").waitUpTo(60_000)),
              r -> Thread.ofVirtual().start(r));
      parked.join();
      var failure = assertThrows(QueenTransportException.class, client::queues);
      assertEquals(Failure.POOL_EXHAUSTED, failure.failure());
      release.complete(null);
      first.join();
    }
  }

  @Test
  void anInterruptEndsABlockedRequest() throws Exception {
    var parked = new CompletableFuture<Void>();
    var release = new CompletableFuture<Void>();
    try (var server =
            new ScriptedServer(
                _ -> {
                  parked.complete(null);
                  release.join();
                  return ScriptedServer.Reply.json(200, "{}");
                });
        var transport = new QueenTransport(server.url())) {
      var caught = new CompletableFuture<QueenTransportException>();
      var thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      transport
                          .client(Caller.ANONYMOUS)
                          .pop(PopRequest.fromQueue("q").waitUpTo(60_000));
                    } catch (QueenTransportException e) {
                      caught.complete(e);
                    }
                  });
      parked.join();
      thread.interrupt();
      assertEquals(Failure.INTERRUPTED, caught.join().failure());
      release.complete(null);
    }
  }
}
