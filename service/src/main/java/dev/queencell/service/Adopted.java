package dev.queencell.service;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/** A connection to another server, opened here, that a {@link WatchedConnector} is to serve. */
interface Adopted {
  int CONNECT_TIMEOUT_MS = 2_000;

  /** Opens one, blocking still. Takes as long as the name and the other side need. */
  static SocketChannel connect(DirectClient.Address address) throws IOException {
    var channel = SocketChannel.open();
    try {
      var target = new InetSocketAddress(address.host(), address.port());
      channel.socket().connect(target, CONNECT_TIMEOUT_MS);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** What reads it. */
  Connection connection(EndPoint endPoint, Executor executor);

  /** It is served. */
  void opened();

  /** It could not be taken in. */
  void failed();
}
