package dev.queencell.service;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of a {@link DirectClient}, one to each server that offers them. A link is opened beside
 * the calls, which go over HTTP until it is there.
 *
 * <p>Used by the selector's thread alone.
 */
final class Links {
  private static final Logger LOG = LoggerFactory.getLogger(Links.class);
  private static final int HANDSHAKE_TIMEOUT_MS = 2_000;
  private static final int HANDSHAKE_BYTES_MAX = 4 * 1024;

  /** After a failure: a server that starts or stops is there again soon. */
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After a refusal: that is another kind of server. */
  private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final DirectClient client;
  private final Map<DirectClient.Address, Way> ways = new HashMap<>();

  Links(DirectClient client) {
    this.client = client;
  }

  /** The link to a server; null while there is none. */
  LinkClient to(DirectClient.Address address) {
    var way = ways.computeIfAbsent(address, Way::new);
    if (way.link != null && !way.link.isClosed()) {
      return way.link;
    }
    way.link = null;
    if (!way.opening && System.nanoTime() - way.notBeforeNanos >= 0) {
      way.opening = true;
      Thread.ofVirtual().name("link").start(way::open);
    }
    return null;
  }

  /** Where one server's link stands. */
  private final class Way implements Adopted {
    private final DirectClient.Address address;
    private LinkClient link;
    private boolean opening;

    /** Made on another thread, and {@link #link} once the selector serves it. */
    private volatile LinkClient made;

    private long notBeforeNanos = System.nanoTime();

    Way(DirectClient.Address address) {
      this.address = address;
    }

    private void open() {
      try {
        var channel = Adopted.connect(address);
        var status = asked(channel);
        if (status.startsWith("101 ")) {
          channel.configureBlocking(false);
          client.adopt(channel, this);
        } else {
          channel.close();
          long pauseNanos = status.startsWith("503 ") ? AGAIN_NANOS : REFUSED_NANOS;
          client.later(() -> notBefore(pauseNanos));
        }
      } catch (IOException | RuntimeException e) {
        LOG.debug("no link to {}: {}", address, e.toString());
        failed();
      }
    }

    /** What the server says to an upgrade: a status and its reason. */
    private String asked(SocketChannel channel) throws IOException {
      try {
        var socket = channel.socket();
        socket.setSoTimeout(HANDSHAKE_TIMEOUT_MS);
        ask(socket);
        var head = head(socket.getInputStream());
        return head.substring(head.indexOf(' ') + 1);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    }

    private void ask(Socket socket) throws IOException {
      var request =
          "GET %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"
              .formatted(LinkEnd.PATH, address.host(), address.port(), LinkEnd.PROTOCOL);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Byte by byte, so that nothing behind it is read. */
    private static String head(InputStream in) throws IOException {
      var head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0 || head.length() == HANDSHAKE_BYTES_MAX) {
          throw new IOException("no answer to an upgrade");
        }
        head.append((char) next);
      }
      return head.toString();
    }

    @Override
    public Connection connection(EndPoint endPoint, Executor executor) {
      made = new LinkClient(endPoint, executor, client);
      return made;
    }

    @Override
    public void opened() {
      client.later(
          () -> {
            link = made;
            opening = false;
          });
    }

    @Override
    public void failed() {
      client.later(() -> notBefore(AGAIN_NANOS));
    }

    private void notBefore(long nanos) {
      opening = false;
      notBeforeNanos = System.nanoTime() + nanos;
    }
  }
}
