package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.eclipse.jetty.util.thread.Scheduler;
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
    BROKEN(7),
    /** The end that says it is there; belongs to no request. */
    ALIVE(8);

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
  private static final int BUFFER_BYTES = 32 * 1024;

  /** A larger one, grown in a burst, is not kept. */
  private static final int BUFFER_BYTES_KEPT = 512 * 1024;

  /** With so much for the other end to take, answers wait where they are. */
  private static final int FULL_BYTES = 1024 * 1024;

  /** An other end that leaves so much untaken is as good as gone. */
  private static final int BACKLOG_BYTES_MAX = 16 * 1024 * 1024;

  /** Each end says that it is there, since a machine that is gone sends no end. */
  private static final long BEAT_MS = 5_000;

  /** A process may be stopped for a while and go on. */
  private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

  /** Then the selector's thread turns to others, even if there is more to read. */
  private static final int READS_PER_TURN = 8;

  private final Executor selector;
  private final Scheduler scheduler;
  private final Callback fillable =
      Callback.from(InvocationType.NON_BLOCKING, this::onFillable, ignored -> broke());
  private final Callback written =
      Callback.from(InvocationType.NON_BLOCKING, this::written, ignored -> broke());
  private ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES).flip();
  private ByteBuffer out = ByteBuffer.allocate(BUFFER_BYTES);
  private ByteBuffer sending = ByteBuffer.allocate(BUFFER_BYTES);

  /** What to do if what is in {@link #out} can't be written, and the same of {@link #sending}. */
  private List<Runnable> outLost = new ArrayList<>();

  private List<Runnable> sendingLost = new ArrayList<>();

  /** What waits for the other end to take something. */
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  /** A flush is to come, or a write is under way. Read by whoever waits for the end of it. */
  private volatile boolean flushing;

  private boolean closed;
  private long heardNanos = System.nanoTime();
  private long beatNanos = System.nanoTime();

  /**
   * @param selector the thread that serves this connection
   */
  LinkEnd(EndPoint endPoint, Executor executor, Executor selector, Scheduler scheduler) {
    super(endPoint, executor);
    this.selector = selector;
    this.scheduler = scheduler;
  }

  /**
   * A frame has come.
   *
   * @param content good until this returns
   * @throws IOException when it breaks the protocol
   */
  abstract void frame(Kind kind, int number, ByteBuffer content) throws IOException;

  /** Frames that were read together follow; what is returned is run after the last one. */
  Runnable burst() {
    return () -> {};
  }

  /** The link has ended, whyever. Once. */
  abstract void ended();

  /** Runs something on the selector's thread. */
  final void onSelector(Runnable task) {
    selector.execute(task);
  }

  final boolean isClosed() {
    return closed;
  }

  /** Whether something that was said may not have been written. From any thread. */
  final boolean isUnwritten() {
    return flushing;
  }

  /** Bytes that the other end has yet to take. */
  final int backlogBytes() {
    return out.position() + sending.remaining();
  }

  /** A frame without content. */
  final void say(Kind kind, int number) {
    say(kind, number, 0);
  }

  /** Does something once the other end has room for it: at once, most often. */
  final void whenRoom(Runnable task) {
    if (closed || out.position() < FULL_BYTES) {
      task.run();
    } else {
      waiting.add(task);
    }
  }

  /** Begins a frame; its content is put into what is returned before anything else is said. */
  final ByteBuffer say(Kind kind, int number, int contentBytes) {
    if (closed) {
      out.clear();
    } else if (out.position() > BACKLOG_BYTES_MAX) {
      LOG.warn("a link's other end takes nothing: {} bytes wait for it", out.position());
      end();
    }
    int needed = Integer.BYTES + INTRODUCTION_BYTES + contentBytes;
    if (out.remaining() < needed) {
      int capacity = Math.max(out.position() + needed, 2 * out.capacity());
      out = ByteBuffer.allocate(capacity).put(out.flip());
    }
    out.putInt(INTRODUCTION_BYTES + contentBytes).put(kind.code).putInt(number);
    if (!flushing && !closed) {
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
    // Its beat tells sooner.
    getEndPoint().setIdleTimeout(0);
    onSelector(this::read);
    scheduler.schedule(() -> onSelector(this::beat), BEAT_MS, TimeUnit.MILLISECONDS);
  }

  private void beat() {
    if (closed) {
      return;
    }
    long now = System.nanoTime();
    if (now - beatNanos >= 2 * TimeUnit.MILLISECONDS.toNanos(BEAT_MS)) {
      // This process was stopped itself; what came meanwhile has yet to be read.
      heardNanos = now;
    }
    beatNanos = now;
    if (now - heardNanos >= SILENCE_NANOS_MAX) {
      LOG.warn("a link's other end is silent");
      end();
      return;
    }
    if (!flushing) {
      say(Kind.ALIVE, 0);
    }
    scheduler.schedule(() -> onSelector(this::beat), BEAT_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void onFillable() {
    SelectorTurn.run(this::read);
  }

  /** From any thread. The other end knows even if the selector has stopped. */
  @Override
  public void close() {
    super.close();
    broke();
  }

  private void read() {
    boolean readable = false;
    try {
      readable = readSome();
      if (readable) {
        fillInterested(fillable);
      }
    } catch (IOException e) {
      LOG.debug("a link broke: {}", e.toString());
      readable = false;
    } catch (RuntimeException e) {
      LOG.error("what came over a link could not be taken", e);
      readable = false;
    } finally {
      // Also after an Error: nobody would read it again.
      if (!readable) {
        end();
      }
    }
  }

  /** Reads what is there, but not for ever; false at the end. */
  private boolean readSome() throws IOException {
    for (int i = 0; i < READS_PER_TURN && !closed; i++) {
      int read = getEndPoint().fill(in);
      if (read < 0) {
        return false;
      }
      if (read == 0) {
        break;
      }
      heardNanos = System.nanoTime();
      boolean tookAll = BufferUtil.space(in) > 0;
      var endOfBurst = burst();
      try {
        takeFrames();
      } finally {
        endOfBurst.run();
      }
      if (tookAll) {
        break;
      }
    }
    return !closed;
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
      int number = in.getInt();
      if (kind != Kind.ALIVE) {
        frame(kind, number, in);
      }
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
    var next = out.flip();
    out = sending.capacity() > BUFFER_BYTES_KEPT ? ByteBuffer.allocate(BUFFER_BYTES) : sending;
    out.clear();
    sending = next;
    var lost = outLost;
    outLost = sendingLost;
    sendingLost = lost;
    getEndPoint().write(written, sending);
  }

  private void broke() {
    onSelector(this::end);
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    flushing = false;
    super.close();
    var lost = new ArrayList<>(sendingLost);
    lost.addAll(outLost);
    lost.addAll(waiting);
    sendingLost.clear();
    outLost.clear();
    waiting.clear();
    lost.forEach(LinkEnd::safely);
    ended();
  }

  /** Runs what others must not suffer from. */
  static void safely(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("the end of a link could not be told", e);
    }
  }

  /** Most often called before the write returns. */
  private void written() {
    sendingLost.clear();
    onRoom();
    if (out.position() == 0) {
      flushing = false;
    } else {
      onSelector(this::flush);
    }
  }

  private void onRoom() {
    while (!closed && !waiting.isEmpty() && out.position() < FULL_BYTES) {
      waiting.poll().run();
    }
  }
}
