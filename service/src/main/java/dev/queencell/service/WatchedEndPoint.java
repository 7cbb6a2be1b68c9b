package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A connection's socket that can be looked at while a handler blocks, and that asks the kernel no
 * more than it must.
 *
 * <p>Jetty takes a socket out of the selector's interest when it has become readable, puts it in
 * again for the next request, and reads once more to learn that nothing is there: three system
 * calls a request. Here it stays in while the selector's own thread reads, and is taken out when it
 * becomes readable again while nobody wants to read: then the client is early, or has gone. (Left
 * in for another thread, it would be selected over and over until that one has read.) And a read
 * that had room for more has taken all there was, until the selector says otherwise, which it does
 * as long as there is something.
 *
 * <p>Jetty's HTTP connection asks the selector for readability only between requests, so that while
 * a handler runs the slot for that interest is free. A watch takes the slot: when the socket
 * becomes readable it reads. The end of the stream means that the client has gone; bytes are an
 * early next request and go to a stash that {@link #fill} serves first. {@link #unwatch()} empties
 * the slot again, and since it takes the same lock as the look, no look runs beside the connection.
 */
final class WatchedEndPoint extends SocketChannelEndPoint {
  /** An early request beyond this stays in the socket; its client is alive, which is enough. */
  private static final int STASH_BYTES_MAX = 4096;

  private final ManagedSelector selector;
  private SelectionKey selectionKey;
  private final Executor executor;
  private final long idleTimeoutMs;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by {@link #lock}; null while nobody watches. */
  private Look look;

  /** In flush mode; null while empty. Written under {@link #lock}. */
  private volatile ByteBuffer stash;

  /** The interest stays as it is, see above. Of the selector's thread alone. */
  private boolean kept;

  /** The last read took all there was. */
  private volatile boolean drained;

  /** An answer waits for the socket to take more, so that the interest must follow. */
  private volatile boolean writing;

  WatchedEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      Executor executor,
      long idleTimeoutMs) {
    super(channel, selector, key, scheduler);
    this.selector = selector;
    this.selectionKey = key;
    this.executor = executor;
    this.idleTimeoutMs = idleTimeoutMs;
    setIdleTimeout(idleTimeoutMs);
  }

  static WatchedEndPoint of(Request request) {
    return (WatchedEndPoint) request.getConnectionMetaData().getConnection().getEndPoint();
  }

  /** Runs something on the thread that serves this connection, see {@link SelectorTurn}. */
  void onSelector(Runnable task) {
    SelectorTurn.submit(selector, task);
  }

  void watch(Runnable onGone) {
    setIdleTimeout(0);
    lock.lock();
    try {
      look = new Look(onGone);
      fillInterested(look);
    } finally {
      lock.unlock();
    }
  }

  void unwatch() {
    lock.lock();
    try {
      if (look == null) {
        return;
      }
      look = null;
      // The slot holds the look or nothing; failing it is Jetty's way to empty the slot.
      getFillInterest().onFail(new CancellationException("no longer watched"));
    } finally {
      lock.unlock();
    }
    notIdle();
    setIdleTimeout(idleTimeoutMs);
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    if (stash == null) {
      return fillFromSocket(buffer);
    }
    lock.lock();
    try {
      int position = BufferUtil.flipToFill(buffer);
      int moved = BufferUtil.put(stash, buffer);
      BufferUtil.flipToFlush(buffer, position);
      if (!stash.hasRemaining()) {
        stash = null;
      }
      return moved;
    } finally {
      lock.unlock();
    }
  }

  private int fillFromSocket(ByteBuffer buffer) throws IOException {
    if (drained && !isInputShutdown()) {
      return 0;
    }
    int space = BufferUtil.space(buffer);
    int filled = super.fill(buffer);
    drained = filled >= 0 && filled < space;
    return filled;
  }

  @Override
  public Runnable onSelected() {
    int ready = selectionKey.readyOps();
    if ((ready & SelectionKey.OP_READ) != 0) {
      drained = false;
    }
    if ((ready & SelectionKey.OP_WRITE) != 0) {
      writing = false;
    }
    var task = super.onSelected();
    if (ready != SelectionKey.OP_READ) {
      kept = false;
      return task;
    }
    // Asked after the interest is noted as served: who wants to read from here on notes it anew.
    boolean wanted = isFillInterested();
    kept = wanted && Invocable.getInvocationType(task) == Invocable.InvocationType.NON_BLOCKING;
    return wanted ? task : null;
  }

  @Override
  public void updateKey() {
    if (!kept || writing) {
      super.updateKey();
    }
  }

  @Override
  protected void onIncompleteFlush() {
    writing = true;
    super.onIncompleteFlush();
    // Jetty relies on the update that was left out.
    selector.submit(ignored -> updateKey());
  }

  @Override
  public void replaceKey(SelectionKey newKey) {
    selectionKey = newKey;
    super.replaceKey(newKey);
  }

  @Override
  protected void needsFillInterest() {
    // Stashed bytes are no news to the selector. On another thread, since the connection registers
    // its interest from inside the loop that the notice would enter.
    if (stash != null && look == null) {
      executor.execute(() -> getFillInterest().fillable());
    } else {
      super.needsFillInterest();
    }
  }

  /** Reads once; true when the client has gone. */
  private boolean readOnce() throws IOException {
    var kept = stash;
    var buffer = ByteBuffer.allocate(STASH_BYTES_MAX);
    if (kept != null) {
      buffer.put(kept.duplicate());
    }
    buffer.flip();
    int before = buffer.remaining();
    boolean ended = fillFromSocket(buffer) < 0;
    if (buffer.remaining() > before) {
      stash = buffer;
    }
    return ended;
  }

  /** What is called when the socket has something to tell. */
  private final class Look implements Callback {
    private final Runnable onGone;

    Look(Runnable onGone) {
      this.onGone = onGone;
    }

    // The client is reported under the lock, so that nothing is reported after unwatch().

    @Override
    public void succeeded() {
      lock.lock();
      try {
        if (look != this) {
          return;
        }
        if (readOnce()) {
          gone();
        } else if (stash == null || stash.remaining() < STASH_BYTES_MAX) {
          fillInterested(this);
        }
      } catch (IOException e) {
        gone();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void failed(Throwable cause) {
      lock.lock();
      try {
        if (look == this) {
          gone();
        }
      } finally {
        lock.unlock();
      }
    }

    private void gone() {
      look = null;
      onGone.run();
    }
  }
}
