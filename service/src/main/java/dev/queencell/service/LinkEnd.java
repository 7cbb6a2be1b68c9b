package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a link: a connection on which two of our own servers have any number of requests under
 * way at once. It begins as an HTTP/1.1 upgrade; then frames go both ways, each a length, a {@link
 * Kind}, the number of the request it belongs to, and what the kind says. A request is the very
 * bytes that HTTP would carry, so that it can go that way instead.
 *
 * <p>What a turn of the selector's thread has to say goes out in one write at the turn's end, and
 * is most often read in one: that, and that nobody parses what the other has just written, is what
 * a link is for. An answer is sent piece by piece, the next one when it is asked for, so that a
 * slow reader of one does not hold up the others.
 *
 * <p>Used by the selector's thread alone.
 */
abstract class LinkEnd extends AbstractConnection {
  /** The protocol that the upgrade names. */
  static final String PROTOCOL = "queencell-link-1";

  /** Where the upgrade is asked for. */
  static final String PATH = "/link";

  /** What a frame says. */
  enum Kind {
    /** Head and body of a request, as in HTTP. */
    REQUEST(1),
    /** Nobody waits for the answer any more. One comes nevertheless, {@link #BROKEN} at least. */
    CANCEL(2),
    /** The next piece may come. */
    MORE(3),
    /** Status, header fields, length of the body and its first piece. */
    ANSWER(4),
    /** The next piece of a body. */
    PIECE(5),
    /** The request is to be sent over HTTP; nothing of it was done. */
    ELSEWHERE(6),
    /** There is no answer. */
    BROKEN(7);

    private static final Map<Byte, Kind> BY_CODE =
        Stream.of(values()).collect(Collectors.toMap(kind -> kind.code, Function.identity()));

    final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    /** Null for no such kind. */
    static Kind of(byte code) {
      return BY_CODE.get(code);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(LinkEnd.class);

  /** Of a body, in one frame. */
  static final int PIECE_BYTES_MAX = 32 * 1024;

  /** Kind and number. */
  private static final int INTRODUCTION_BYTES = 1 + Integer.BYTES;

  /** A request and some more than a head that HTTP would take. */
  static final int REQUEST_BYTES_MAX = 256 * 1024;

  private static final int FRAME_BYTES_MAX = REQUEST_BYTES_MAX + INTRODUCTION_BYTES;
  private static final int BUFFER_BYTES = 64 * 1024;

  /** A larger one, grown in a burst, is not kept. */
  private static final int BUFFER_BYTES_KEPT = 512 * 1024;

  /** An other end that reads so little is as good as gone. */
  private static final int BACKLOG_BYTES_MAX = 64 * 1024 * 1024;

  /** Then the selector's thread turns to others, even if there is more to read. */
  private static final int READS_PER_TURN = 8;

  private final Executor selector;
  private final Callback fillable = new Fillable();
  private final Callback written = new Written();
  private ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES).flip();
  private ByteBuffer out = ByteBuffer.allocate(BUFFER_BYTES);
  private ByteBuffer sending = ByteBuffer.allocate(BUFFER_BYTES);

  /** What to do if what is in {@link #out} can't be written, and the same of {@link #sending}. */
  private List<Runnable> outLost = new ArrayList<>();

  private List<Runnable> sendingLost = new ArrayList<>();

  /** A flush is to come, or a write is under way. */
  private boolean flushing;

  private boolean closed;
  private long heardNanos = System.nanoTime();

  /**
   * @param selector the thread that serves this connection
   */
  LinkEnd(EndPoint endPoint, Executor executor, Executor selector) {
    super(endPoint, executor);
    this.selector = selector;
  }

  /**
   * A frame has come.
   *
   * @param content good until this returns
   * @throws IOException when it breaks the protocol
   */
  abstract void frame(Kind kind, int number, ByteBuffer content) throws IOException;

  /** The link has ended, whyever. Once. */
  abstract void ended();

  /** Runs something on the selector's thread. */
  final void onSelector(Runnable task) {
    selector.execute(task);
  }

  final boolean isClosed() {
    return closed;
  }

  /** When something last came from the other end, in {@link System#nanoTime}. */
  final long heardNanos() {
    return heardNanos;
  }

  /** Bytes that the other end has yet to take. */
  final int backlogBytes() {
    return out.position() + sending.remaining();
  }

  /** A frame without content. */
  final void say(Kind kind, int number) {
    say(kind, number, 0);
  }

  /** Begins a frame; its content is put into what is returned before anything else is said. */
  final ByteBuffer say(Kind kind, int number, int contentBytes) {
    int needed = Integer.BYTES + INTRODUCTION_BYTES + contentBytes;
    if (out.remaining() < needed) {
      int capacity = Math.max(out.position() + needed, 2 * out.capacity());
      out = ByteBuffer.allocate(capacity).put(out.flip());
    }
    out.putInt(INTRODUCTION_BYTES + contentBytes).put(kind.code).putInt(number);
    if (!flushing) {
      flushing = true;
      onSelector(this::flush);
    }
    return out;
  }

  /** What to do when what has just been said turns out not to have been written. */
  final void ifLost(Runnable onLost) {
    outLost.add(onLost);
  }

  @Override
  public void onOpen() {
    super.onOpen();
    getEndPoint().setIdleTimeout(0);
    onSelector(this::read);
  }

  @Override
  public void onFillable() {
    SelectorTurn.run(this::read);
  }

  /** From any thread. The other end knows even if the selector has stopped. */
  @Override
  public void close() {
    super.close();
    onSelector(this::end);
  }

  private void read() {
    try {
      for (int i = 0; i < READS_PER_TURN && !closed; i++) {
        int read = getEndPoint().fill(in);
        if (read < 0) {
          end();
          return;
        }
        if (read == 0) {
          break;
        }
        heardNanos = System.nanoTime();
        takeFrames();
      }
      if (!closed) {
        fillInterested(fillable);
      }
    } catch (IOException e) {
      LOG.debug("a link broke: {}", e.toString());
      end();
    } catch (RuntimeException e) {
      LOG.error("what came over a link could not be taken", e);
      end();
    }
  }

  private void takeFrames() throws IOException {
    while (in.remaining() >= Integer.BYTES && !closed) {
      int length = in.getInt(in.position());
      if (length < INTRODUCTION_BYTES || length > FRAME_BYTES_MAX) {
        throw new IOException("a frame of %d bytes".formatted(length));
      }
      if (in.remaining() < Integer.BYTES + length) {
        makeRoom(Integer.BYTES + length);
        return;
      }
      int end = in.position() + Integer.BYTES + length;
      int limit = in.limit();
      in.position(in.position() + Integer.BYTES).limit(end);
      byte code = in.get();
      var kind = Kind.of(code);
      if (kind == null) {
        throw new IOException("a frame of kind %d".formatted(code));
      }
      frame(kind, in.getInt(), in);
      in.limit(limit).position(end);
    }
    BufferUtil.compact(in);
  }

  /** For a frame that has begun to come. */
  private void makeRoom(int bytes) {
    if (in.capacity() < bytes) {
      in = ByteBuffer.allocate(bytes + BUFFER_BYTES).put(in).flip();
    } else {
      BufferUtil.compact(in);
    }
  }

  private void flush() {
    if (closed || out.position() == 0) {
      flushing = false;
      return;
    }
    if (out.position() > BACKLOG_BYTES_MAX) {
      LOG.warn("a link's other end reads nothing: {} bytes wait for it", out.position());
      end();
      return;
    }
    var next = out.flip();
    out = sending.capacity() > BUFFER_BYTES_KEPT ? ByteBuffer.allocate(BUFFER_BYTES) : sending;
    out.clear();
    sending = next;
    var lost = outLost;
    outLost = sendingLost;
    sendingLost = lost;
    getEndPoint().write(written, sending);
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    super.close();
    var lost = new ArrayList<>(sendingLost);
    lost.addAll(outLost);
    sendingLost.clear();
    outLost.clear();
    try {
      lost.forEach(Runnable::run);
    } finally {
      ended();
    }
  }

  private final class Fillable implements Callback {
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void succeeded() {
      onFillable();
    }

    @Override
    public void failed(Throwable cause) {
      onSelector(LinkEnd.this::end);
    }
  }

  /** Most often called before the write returns. */
  private final class Written implements Callback {
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void succeeded() {
      sendingLost.clear();
      if (out.position() == 0) {
        flushing = false;
      } else {
        onSelector(LinkEnd.this::flush);
      }
    }

    @Override
    public void failed(Throwable cause) {
      onSelector(LinkEnd.this::end);
    }
  }
}
