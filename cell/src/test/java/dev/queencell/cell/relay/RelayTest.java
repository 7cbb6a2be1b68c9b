package dev.queencell.cell.relay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real sockets: a server that sends back what it gets, seen through the relay. */
@Timeout(60)
class RelayTest {
  /** Long enough to see that nothing comes; what does come is never waited for this way. */
  private static final int SILENCE_MS = 200;

  private ServerSocket server;
  private Relay relay;

  @BeforeEach
  void open() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::serve);
    relay = Relay.open(0, (InetSocketAddress) server.getLocalSocketAddress());
  }

  @AfterEach
  void close() throws IOException {
    relay.close();
    server.close();
  }

  @Test
  void whatIsSentComesBackWholeAndAnEndIsPassedOn() throws IOException {
    var sent = new byte[1_000_000];
    new Random(7).nextBytes(sent);
    try (var client = client()) {
      Thread.ofVirtual().start(() -> send(client, sent));
      assertArrayEquals(sent, client.getInputStream().readAllBytes());
    }
  }

  @Test
  void aCutResetsWhatIsOpenAndWhatComesNew() throws IOException {
    try (var client = client()) {
      talk(client, "before");
      relay.set(Relay.Mode.CUT);
      assertThrows(IOException.class, () -> talk(client, "after"));
    }
    assertThrows(
        IOException.class,
        () -> {
          try (var late = client()) {
            talk(late, "late");
          }
        });
    relay.set(Relay.Mode.PASS);
    try (var client = client()) {
      talk(client, "again");
    }
  }

  @Test
  void aStallHoldsWhatIsUnderWayAndLosesNothing() throws IOException {
    try (var client = client();
        var idle = client()) {
      talk(client, "before");
      relay.set(Relay.Mode.STALL);
      client.getOutputStream().write("one".getBytes(StandardCharsets.UTF_8));
      client.setSoTimeout(SILENCE_MS);
      assertThrows(SocketTimeoutException.class, () -> client.getInputStream().read());
      try (var late = client()) {
        late.getOutputStream().write("two".getBytes(StandardCharsets.UTF_8));
        late.setSoTimeout(SILENCE_MS);
        assertThrows(SocketTimeoutException.class, () -> late.getInputStream().read());
        relay.set(Relay.Mode.PASS);
        late.setSoTimeout(0);
        client.setSoTimeout(0);
        assertEquals("two", read(late, 3));
      }
      assertEquals("one", read(client, 3));
      talk(idle, "idle");
    }
  }

  @Test
  void aDelayHoldsEveryChunkInBothDirections() throws IOException {
    try (var client = client()) {
      talk(client, "before");
      relay.set(Relay.Mode.delay(50));
      long began = System.nanoTime();
      talk(client, "later");
      long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      assertTrue(tookMs >= 100, () -> "came back after " + tookMs + " ms");
    }
  }

  /** Bound and never listening: refuses whoever connects, and nobody else can take the port. */
  @Test
  void aServerThatIsAwayIsAResetToTheClient() throws IOException {
    try (var away = new Socket()) {
      away.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      relay.close();
      relay = Relay.open(0, (InetSocketAddress) away.getLocalSocketAddress());
      assertThrows(
          IOException.class,
          () -> {
            try (var client = client()) {
              talk(client, "nobody");
            }
          });
    }
  }

  private Socket client() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), relay.port());
  }

  private static void talk(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    assertEquals(text, read(client, text.length()));
  }

  /** An end before that many bytes is an error, as a reset is. */
  private static String read(Socket client, int bytes) throws IOException {
    var got = client.getInputStream().readNBytes(bytes);
    if (got.length < bytes) {
      throw new IOException("ended after %d bytes".formatted(got.length));
    }
    return new String(got, StandardCharsets.UTF_8);
  }

  private static void send(Socket client, byte[] bytes) {
    try {
      client.getOutputStream().write(bytes);
      client.shutdownOutput();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void serve() {
    while (!server.isClosed()) {
      try {
        var client = server.accept();
        Thread.ofVirtual().start(() -> echo(client));
      } catch (IOException e) {
        // The test is over.
      }
    }
  }

  private static void echo(Socket client) {
    try (client) {
      client.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException e) {
      // The relay reset it.
    }
  }
}
