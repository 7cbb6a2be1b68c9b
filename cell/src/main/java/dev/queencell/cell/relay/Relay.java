package dev.queencell.cell.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Carries TCP connections from a port of this machine to another one, in the {@link Mode} that it
 * is told. Two threads per connection, one a direction; each asks for the mode before it passes on
 * what it has read, so that a stall holds bytes and never loses or reorders them.
 *
 * <p>Thread-safe.
 */
final class Relay implements AutoCloseable {
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int CONNECTIONS_MAX = 1_000;
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  /**
   * What the way between is like.
   *
   * @param delayMs for which every chunk is held, in {@link Kind#DELAY}
   */
  record Mode(Kind kind, long delayMs) {
    static final Mode PASS = new Mode(Kind.PASS, 0);
    static final Mode STALL = new Mode(Kind.STALL, 0);
    static final Mode CUT = new Mode(Kind.CUT, 0);

    static Mode delay(long delayMs) {
      return new Mode(Kind.DELAY, delayMs);
    }

    enum Kind {
      PASS,
      /** Each chunk arrives later. */
      DELAY,
      /** Connections stay, nothing arrives: as when every packet is lost. */
      STALL,
      /** Connections are reset, new ones too. */
      CUT
    }
  }

  private final ServerSocket listener;
  private final InetSocketAddress to;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Mode mode = Mode.PASS;

  private Relay(ServerSocket listener, InetSocketAddress to) {
    this.listener = listener;
    this.to = to;
  }

  /**
   * Listens on the loopback address.
   *
   * @param port 0 takes a free one
   */
  static Relay open(int port, InetSocketAddress to) throws IOException {
    var listener = new ServerSocket();
    listener.setReuseAddress(true);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    var relay = new Relay(listener, to);
    Thread.ofVirtual().name("relay-accept").start(relay::accept);
    return relay;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Takes effect for all connections before it returns. */
  void set(Mode wanted) {
    lock.lock();
    try {
      mode = wanted;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (wanted.kind() == Mode.Kind.CUT) {
      open.forEach(Relay::reset);
    }
  }

  @Override
  public void close() {
    quietly(listener);
    set(Mode.CUT);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        if (mode().kind() == Mode.Kind.CUT || open.size() >= CONNECTIONS_MAX) {
          reset(client);
        } else {
          Thread.ofVirtual().name("relay-connection").start(() -> connect(client));
        }
      } catch (IOException e) {
        // Closed; or the client went away between the kernel's accept and ours.
      }
    }
  }

  private void connect(Socket client) {
    var server = new Socket();
    open.add(client);
    open.add(server);
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(to, CONNECT_TIMEOUT_MS);
      // The kernel may give a free port that nobody listens on as our own end: we would be the
      // echo.
      if (server.getLocalSocketAddress().equals(server.getRemoteSocketAddress())) {
        throw new IOException("connected to itself");
      }
      // A cut between the accept and here must not leave one connection over.
      if (mode().kind() == Mode.Kind.CUT) {
        throw new IOException("cut");
      }
      var back = Thread.ofVirtual().name("relay-back").start(() -> carry(server, client));
      carry(client, server);
      back.join();
    } catch (IOException e) {
      reset(client);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      quietly(client);
      quietly(server);
      open.remove(client);
      open.remove(server);
    }
  }

  /** One direction, to the end of what is sent; an error ends both. */
  private void carry(Socket from, Socket into) {
    var chunk = new byte[CHUNK_BYTES];
    try {
      var in = from.getInputStream();
      var out = into.getOutputStream();
      int read = in.read(chunk);
      while (read >= 0) {
        awaitPassage();
        out.write(chunk, 0, read);
        read = in.read(chunk);
      }
      awaitPassage();
      into.shutdownOutput();
    } catch (IOException e) {
      reset(from);
      reset(into);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for as long as the mode says; its end by a cut is the connection's, which is reset. */
  private void awaitPassage() throws InterruptedException {
    long delayMs;
    lock.lock();
    try {
      while (mode.kind() == Mode.Kind.STALL) {
        changed.await();
      }
      delayMs = mode.delayMs();
    } finally {
      lock.unlock();
    }
    if (delayMs > 0) {
      TimeUnit.MILLISECONDS.sleep(delayMs);
    }
  }

  private Mode mode() {
    lock.lock();
    try {
      return mode;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a connection the hard way: no FIN that would let the other end think that all was said.
   */
  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed already.
    }
    quietly(socket);
  }

  private static void quietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (IOException | UncheckedIOException e) {
      // There is nothing left to do with it.
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
