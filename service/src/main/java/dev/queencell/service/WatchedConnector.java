package dev.queencell.service;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener with one selector, whose clients' connections can be watched and are probed while they
 * are silent. The selector also serves the connections of a {@link DirectClient}; they don't count
 * for the limit on those of clients.
 */
final class WatchedConnector extends ServerConnector {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedConnector.class);

  /**
   * A thread that accepts. Without one Jetty accepts in its selector, and there a limit that is
   * reached and left again within one turn of the selector closes the listener for good.
   */
  private static final int ACCEPTORS = 1;

  private static final int SELECTORS = 1;

  private final ClientProbes probes;

  /** Null for none. */
  private final DirectClient client;

  WatchedConnector(
      Server server, HttpConnectionFactory factory, ClientProbes probes, DirectClient client) {
    this.probes = probes;
    this.client = client;
    super(server, ACCEPTORS, SELECTORS, factory);
  }

  /** Has the selector's thread do something soon. */
  void later(Runnable task) {
    SelectorTurn.submit(manager().selector(), task);
  }

  /** Has the selector serve a connection that was opened here. */
  void adopt(SocketChannel channel, Adopted adopted) {
    manager().adopt(channel, adopted);
  }

  @Override
  protected void doStart() throws Exception {
    super.doStart();
    if (client != null) {
      client.attach(this);
    }
  }

  @Override
  protected SelectorManager newSelectorManager(
      Executor executor, Scheduler scheduler, int selectors) {
    return new Manager(executor, scheduler, selectors);
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    if (key.attachment() instanceof Adopted) {
      return new SocketChannelEndPoint(channel, selector, key, getScheduler());
    }
    probeWhenSilent(channel);
    return new WatchedEndPoint(
        channel, selector, key, getScheduler(), getExecutor(), getIdleTimeout());
  }

  private Manager manager() {
    return (Manager) getSelectorManager();
  }

  /**
   * Has the kernel probe a client that stays silent: one whose machine or network is gone sends
   * neither an end nor a reset, and its parked request would keep its place until its own timeout.
   */
  private void probeWhenSilent(SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, probes.afterSeconds());
      channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, probes.intervalSeconds());
      channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, probes.probes());
    } catch (IOException | UnsupportedOperationException e) {
      // It has gone already, or the system has no such probes: its own timeout ends it.
      LOG.debug("no probes on {}: {}", channel, e.toString());
    }
  }

  private final class Manager extends ServerConnectorManager {
    /** Connections of the client that the selector has yet to take. */
    private final Map<SelectableChannel, Adopted> adopting = new ConcurrentHashMap<>();

    Manager(Executor executor, Scheduler scheduler, int selectors) {
      super(executor, scheduler, selectors);
    }

    ManagedSelector selector() {
      return chooseSelector();
    }

    void adopt(SocketChannel channel, Adopted adopted) {
      adopting.put(channel, adopted);
      accept(channel, adopted);
    }

    @Override
    public Connection newConnection(SelectableChannel channel, EndPoint endPoint, Object attachment)
        throws IOException {
      return attachment instanceof Adopted adopted
          ? adopted.connection(endPoint, getExecutor())
          : super.newConnection(channel, endPoint, attachment);
    }

    @Override
    public void connectionOpened(Connection connection, Object attachment) {
      super.connectionOpened(connection, attachment);
      if (attachment instanceof Adopted adopted) {
        adopting.remove(((SocketChannelEndPoint) connection.getEndPoint()).getChannel());
        adopted.opened();
      }
    }

    /** Clients' connections alone are counted, and so their ends. */
    @Override
    protected void endPointClosed(EndPoint endPoint) {
      if (endPoint instanceof WatchedEndPoint) {
        super.endPointClosed(endPoint);
      } else {
        onEndPointClosed(endPoint);
      }
    }

    @Override
    protected void onAccepting(SelectableChannel channel) {
      if (!adopting.containsKey(channel)) {
        super.onAccepting(channel);
      }
    }

    @Override
    protected void onAccepted(SelectableChannel channel) {
      if (!adopting.containsKey(channel)) {
        super.onAccepted(channel);
      }
    }

    @Override
    protected void onAcceptFailed(SelectableChannel channel, Throwable cause) {
      var adopted = adopting.remove(channel);
      if (adopted == null) {
        super.onAcceptFailed(channel, cause);
      } else {
        adopted.failed();
      }
    }
  }
}
