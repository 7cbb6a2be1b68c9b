package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of a {@link DirectClient}. Read by the selector's thread alone, which also watches
 * it while it is idle: what comes then, bytes or an end, ends it.
 */
final class DirectConnection extends AbstractConnection
    implements HttpParser.ResponseHandler, Carrier {
  private static final Logger LOG = LoggerFactory.getLogger(DirectConnection.class);

  /** In {@link #current} once the connection has ended. */
  private static final Object GONE = new Object();

  private static final int HEAD_BYTES_MAX = 32 * 1024;
  private static final int INTERIM_STATUS_MAX = 199;

  /** Then the selector's thread turns to others, even if there is more to read. */
  private static final int READS_PER_TURN = 8;

  private final DirectClient client;
  private final DirectClient.Address address;
  private final HttpParser parser = new HttpParser(this, HEAD_BYTES_MAX);
  private final Callback fillable =
      Callback.from(InvocationType.NON_BLOCKING, this::onFillable, ignored -> ended());

  /** The call that it carries; null while idle; {@link #GONE}. */
  private final AtomicReference<Object> current = new AtomicReference<>();

  private volatile boolean rested;
  private volatile long restsSinceNanos;

  // What the parser has found, for the selector's thread.
  private HttpFields.Mutable headers = HttpFields.build();
  private int status;
  private boolean persistent;
  private boolean complete;
  private boolean bad;

  DirectConnection(
      EndPoint endPoint, Executor executor, DirectClient client, DirectClient.Address address) {
    super(endPoint, executor);
    this.client = client;
    this.address = address;
    parser.setHeaderCacheSize(0);
  }

  DirectClient.Address address() {
    return address;
  }

  /** Has it carry a call; false when it has ended. */
  boolean begin(DirectClient.Call call) {
    if (!current.compareAndSet(null, call)) {
      return false;
    }
    // What the other side does not take at once is sent when it does.
    getEndPoint()
        .write(
            Callback.from(InvocationType.NON_BLOCKING, () -> {}, ignored -> notSent(call)),
            call.request());
    return true;
  }

  private void notSent(DirectClient.Call call) {
    if (current.get() == call) {
      ended();
    }
  }

  @Override
  public boolean hasRested() {
    return rested;
  }

  @Override
  public void resume(DirectClient.Call call) {
    fillMore();
  }

  @Override
  public void drop(DirectClient.Call call) {
    close();
  }

  void rests() {
    rested = true;
    restsSinceNanos = System.nanoTime();
  }

  long restsSinceNanos() {
    return restsSinceNanos;
  }

  /** Has what comes next read. */
  void fillMore() {
    fillInterested(fillable);
  }

  @Override
  public void onFillable() {
    SelectorTurn.run(this::read);
  }

  @Override
  public void close() {
    current.set(GONE);
    super.close();
  }

  private void read() {
    var buffer = client.takeBuffer();
    try {
      for (int i = 0; i < READS_PER_TURN; i++) {
        int read = getEndPoint().fill(buffer);
        if (read < 0) {
          atEnd();
          return;
        }
        if (read == 0) {
          break;
        }
        if (!take(buffer)) {
          return;
        }
      }
      fillMore();
    } catch (IOException e) {
      ended();
    } catch (RuntimeException e) {
      LOG.error("an answer could not be handed on", e);
      ended();
    } finally {
      client.giveBack(buffer);
    }
  }

  /** Parses what was read; false when nothing more is to be read for now. */
  private boolean take(ByteBuffer buffer) {
    if (!(current.get() instanceof DirectClient.Call call)) {
      ended();
      return false;
    }
    do {
      parser.parseNext(buffer);
    } while (!complete && !bad && buffer.hasRemaining());
    if (bad) {
      ended();
      return false;
    }
    if (complete) {
      completed(call, persistent && !buffer.hasRemaining());
      return false;
    }
    return call.more();
  }

  private void completed(DirectClient.Call call, boolean reusable) {
    complete = false;
    parser.reset();
    if (current.compareAndSet(call, null)) {
      call.ends(this, reusable);
    }
  }

  /** The other side has ended it, which may be the end of an answer. */
  private void atEnd() {
    parser.atEOF();
    if (current.get() instanceof DirectClient.Call call) {
      parser.parseNext(BufferUtil.EMPTY_BUFFER);
      if (complete && !bad) {
        completed(call, false);
        return;
      }
    }
    ended();
  }

  private void ended() {
    var was = current.getAndSet(GONE);
    if (was instanceof DirectClient.Call call) {
      client.later(() -> call.broke(this));
    } else if (was == null) {
      client.ended(this);
    }
    close();
  }

  @Override
  public void startResponse(HttpVersion version, int code, String reason) {
    status = code;
    headers = HttpFields.build();
    persistent = version == HttpVersion.HTTP_1_1;
  }

  @Override
  public void parsedHeader(HttpField field) {
    headers.add(field);
    if (field.getHeader() == HttpHeader.CONNECTION
        && field.contains(HttpHeaderValue.CLOSE.asString())) {
      persistent = false;
    }
  }

  @Override
  public boolean headerComplete() {
    if (status > INTERIM_STATUS_MAX && current.get() instanceof DirectClient.Call call) {
      call.begins(status, headers, parser.isChunking() ? -1 : parser.getContentLength());
    }
    return false;
  }

  @Override
  public boolean content(ByteBuffer bytes) {
    if (current.get() instanceof DirectClient.Call call) {
      call.body(bytes);
    }
    return false;
  }

  @Override
  public boolean contentComplete() {
    return false;
  }

  @Override
  public boolean messageComplete() {
    if (status > INTERIM_STATUS_MAX) {
      complete = true;
    } else {
      parser.reset();
    }
    return true;
  }

  @Override
  public void earlyEOF() {
    bad = true;
  }

  @Override
  public void badMessage(HttpException failure) {
    bad = true;
  }
}
