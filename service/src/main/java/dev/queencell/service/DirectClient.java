package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls other servers on the threads of an {@link HttpServer}: a request goes out on the thread
 * that asks for it, and its answer is handed on by the selector's thread that read it, so that
 * nothing is handed from thread to thread and nothing waits. HTTP/1.1 in the plain, one call at a
 * time on a connection, the one that was used last first.
 *
 * <p>An idle connection is watched, so that one that its server closes is known at once; one that
 * was idle for a minute is closed. When a call finds a server gone, all idle connections to it are
 * closed, since they are most likely dead too. What is left is the instant in which a server closes
 * a connection that is just being used: a call that may be repeated and whose used connection ended
 * without a byte of an answer is sent once more, on a new one.
 *
 * <p>Nothing has a timer of its own: one look, four times a second, ends what is late.
 *
 * <p>Thread-safe. Give it to one server.
 */
public final class DirectClient {
  /** What a call's caller is told, by one thread at a time, which must not be blocked. */
  public interface Receiver {
    /**
     * The answer has begun.
     *
     * @param lengthBytes of its body; -1 when that is not announced
     */
    void begins(int status, HttpFields headers, long lengthBytes);

    /** Bytes of the body, good until this returns. */
    void body(ByteBuffer bytes);

    /**
     * That was all that is here now.
     *
     * @return false to be given no more before {@link Call#resume}
     */
    boolean more();

    /** That was all. The connection is free for others. */
    void ends();

    /** There is no answer, or no more of it. The last that is told. */
    void fails(Failure failure);

    /** It was not answered within a quarter of a second, and goes on. Told at most once. */
    void lasts();
  }

  /** Why there is no answer. */
  public enum Failure {
    /** No connection, or it broke. */
    UNREACHABLE,
    /** Silence for longer than the call had. */
    TIMED_OUT,
    /** {@link Call#cancel} */
    CANCELLED
  }

  record Address(String host, int port) {}

  private static final Logger LOG = LoggerFactory.getLogger(DirectClient.class);
  private static final long LOOK_INTERVAL_MS = 250;

  /** What is read at once, by whichever connection reads. */
  private static final int BUFFER_BYTES = 32 * 1024;

  private final IdleConnections idle = new IdleConnections();

  /** Null: every call goes over HTTP. */
  private final Links links;

  private final AtomicInteger inUse = new AtomicInteger();
  private final AtomicLong repeats = new AtomicLong();
  private final AtomicReference<ByteBuffer> spareBuffer = new AtomicReference<>();
  private final Queue<Call> fresh = new ConcurrentLinkedQueue<>();

  /** Seen by the looking thread alone. */
  private final List<Call> waiting = new ArrayList<>();

  private volatile WatchedConnector server;

  /**
   * @param links whether servers are asked for links
   */
  public DirectClient(boolean links) {
    this.links = links ? new Links(this) : null;
  }

  /** The server whose threads are used. */
  void attach(WatchedConnector used) {
    server = used;
    used.getScheduler().schedule(this::look, LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * A request that {@link Call#send} sends.
   *
   * @param request head and body
   * @param repeatable whether it may be sent once more
   * @param timeoutMs how long the other side may be silent
   */
  public Call call(
      String host,
      int port,
      ByteBuffer request,
      boolean repeatable,
      long timeoutMs,
      Receiver receiver) {
    return new Call(new Address(host, port), request, repeatable, timeoutMs, receiver);
  }

  /** Connections that carry a call, or will. */
  public int connectionsInUse() {
    return inUse.get();
  }

  /** Connections kept for later. */
  public int connectionsIdle() {
    return idle.count();
  }

  /** Calls that were sent once more. */
  public long repeats() {
    return repeats.get();
  }

  /** A request and what has become of it. */
  public final class Call {
    private final Address address;
    private final ByteBuffer request;
    private final boolean repeatable;
    private final long timeoutNanos;
    private final Receiver receiver;
    private final AtomicReference<Carrier> connection = new AtomicReference<>();
    private int number;
    private volatile long deadlineNanos;
    private volatile boolean held;
    private volatile boolean answered;
    private volatile boolean over;
    private boolean repeated;

    /** Seen by the looking thread alone. */
    private boolean lasts;

    private Call(
        Address address,
        ByteBuffer request,
        boolean repeatable,
        long timeoutMs,
        Receiver receiver) {
      this.address = address;
      this.request = request;
      this.repeatable = repeatable;
      this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      this.receiver = receiver;
      this.deadlineNanos = System.nanoTime() + timeoutNanos;
    }

    /** Sends it. Once; the receiver may be told of its answer before this returns. */
    public void send() {
      inUse.incrementAndGet();
      fresh.add(this);
      if (SelectorTurn.isOne()) {
        DirectClient.this.send(this);
      } else {
        later(() -> DirectClient.this.send(this));
      }
    }

    /** Ends it with {@link Failure#CANCELLED} soon, unless it has ended before. Idempotent. */
    public void cancel() {
      later(() -> fail(Failure.CANCELLED));
    }

    /** The receiver takes more. */
    public void resume() {
      deadlineNanos = System.nanoTime() + timeoutNanos;
      held = false;
      var used = connection.get();
      if (used != null && !over) {
        used.resume(this);
      }
    }

    Address address() {
      return address;
    }

    /** A link carries it under this number. */
    void carriedBy(LinkClient link, int asNumber) {
      number = asNumber;
      connection.set(link);
    }

    int number() {
      return number;
    }

    ByteBuffer request() {
      return request.duplicate();
    }

    void begins(int status, HttpFields headers, long lengthBytes) {
      answered = true;
      receiver.begins(status, headers, lengthBytes);
    }

    void body(ByteBuffer bytes) {
      receiver.body(bytes);
    }

    boolean more() {
      deadlineNanos = System.nanoTime() + timeoutNanos;
      // Said before it is asked: the answer may be taken back on another thread at once.
      held = true;
      boolean goesOn = receiver.more();
      if (goesOn) {
        held = false;
      }
      return goesOn;
    }

    /** The whole answer was read. */
    void ends(DirectConnection used, boolean reusable) {
      if (reusable) {
        idle.keep(used);
      } else {
        used.close();
      }
      ended();
    }

    /** The whole answer was read from a link. */
    void ended() {
      over = true;
      inUse.decrementAndGet();
      receiver.ends();
    }

    /** What carried it broke. On the selector's thread. */
    void broke(Carrier broken) {
      if (over || connection.get() != broken) {
        return;
      }
      if (!answered) {
        idle.closeAll(address);
      }
      if (!answered && repeatable && !repeated && broken.hasRested()) {
        repeated = true;
        repeats.incrementAndGet();
        deadlineNanos = System.nanoTime() + timeoutNanos;
        connection.set(null);
        connect(this);
      } else {
        fail(Failure.UNREACHABLE);
      }
    }

    private void fail(Failure failure) {
      if (over) {
        return;
      }
      over = true;
      inUse.decrementAndGet();
      var used = connection.get();
      if (used != null) {
        used.drop(this);
      }
      receiver.fails(failure);
    }

    /** True once nothing more is to be done about it. */
    private boolean look(long nanoTime) {
      if (over) {
        return true;
      }
      if (!held && nanoTime - deadlineNanos >= 0) {
        later(
            () -> {
              if (!held && System.nanoTime() - deadlineNanos >= 0) {
                fail(Failure.TIMED_OUT);
              }
            });
      } else if (!lasts && !answered) {
        lasts = true;
        later(
            () -> {
              if (!over && !answered) {
                receiver.lasts();
              }
            });
      }
      return false;
    }
  }

  ByteBuffer takeBuffer() {
    var buffer = spareBuffer.getAndSet(null);
    return buffer == null ? ByteBuffer.allocate(BUFFER_BYTES).flip() : buffer;
  }

  void giveBack(ByteBuffer buffer) {
    spareBuffer.set(buffer.clear().flip());
  }

  /** Has the selector's thread do something soon. */
  void later(Runnable task) {
    server.later(task);
  }

  /** An idle connection has ended. */
  void ended(DirectConnection connection) {
    idle.remove(connection);
  }

  /** The scheduler of the server whose threads are used. */
  Scheduler scheduler() {
    return server.getScheduler();
  }

  /** Has the selector serve a connection that was opened here. */
  void adopt(SocketChannel channel, Adopted adopted) {
    server.adopt(channel, adopted);
  }

  /** On the selector's thread. */
  private void send(Call call) {
    if (call.over) {
      return;
    }
    var link = links == null ? null : links.to(call.address);
    if (link == null || !link.begin(call)) {
      sendAlone(call);
    }
  }

  /** Sends a call over HTTP. */
  void sendAlone(Call call) {
    for (var kept = idle.take(call.address); kept != null; kept = idle.take(call.address)) {
      if (begin(kept, call)) {
        return;
      }
    }
    connect(call);
  }

  private static boolean begin(DirectConnection connection, Call call) {
    call.connection.set(connection);
    return connection.begin(call);
  }

  /** On a thread of its own: the name may have to be asked for. */
  private void connect(Call call) {
    Thread.ofVirtual()
        .name("connect")
        .start(
            () -> {
              var carrying = new Carrying(call);
              try {
                var channel = Adopted.connect(call.address);
                channel.configureBlocking(false);
                server.adopt(channel, carrying);
              } catch (IOException | RuntimeException e) {
                LOG.debug("no connection to {}: {}", call.address, e.toString());
                idle.closeAll(call.address);
                carrying.failed();
              }
            });
  }

  /** A connection that is opened for a call. */
  private final class Carrying implements Adopted {
    private final Call call;
    private DirectConnection connection;

    Carrying(Call call) {
      this.call = call;
    }

    @Override
    public Connection connection(EndPoint endPoint, Executor executor) {
      connection = new DirectConnection(endPoint, executor, DirectClient.this, call.address);
      return connection;
    }

    @Override
    public void opened() {
      later(
          () -> {
            if (call.over) {
              idle.keep(connection);
            } else if (begin(connection, call)) {
              connection.fillMore();
            } else {
              call.fail(Failure.UNREACHABLE);
            }
          });
    }

    @Override
    public void failed() {
      later(() -> call.fail(Failure.UNREACHABLE));
    }
  }

  private void look() {
    try {
      for (var call = fresh.poll(); call != null; call = fresh.poll()) {
        if (!call.over) {
          waiting.add(call);
        }
      }
      long now = System.nanoTime();
      waiting.removeIf(call -> call.look(now));
      idle.closeRested(now);
    } finally {
      server.getScheduler().schedule(this::look, LOOK_INTERVAL_MS, TimeUnit.MILLISECONDS);
    }
  }
}
