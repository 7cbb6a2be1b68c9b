package dev.queencell.service;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link DirectExchange} that came over HTTP on a connection of its own. Writing never blocks:
 * what a slow client does not take yet is sent later.
 */
public final class HttpExchange implements DirectExchange {
  private static final Logger LOG = LoggerFactory.getLogger(HttpExchange.class);

  private static final HttpField JSON =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, MimeTypes.Type.APPLICATION_JSON.asString());

  private static final int NO_CONTENT = 204;

  private final Request request;
  private final Response response;
  private final Callback callback;

  HttpExchange(Request request, Response response, Callback callback) {
    this.request = request;
    this.response = response;
    this.callback = callback;
  }

  @Override
  public void execute(Runnable task) {
    WatchedEndPoint.of(request).onSelector(task);
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    return request.getHttpURI().getPath();
  }

  @Override
  public String query() {
    return request.getHttpURI().getQuery();
  }

  @Override
  public long bodyBytes() {
    if (waitsForGoAhead()) {
      return -1;
    }
    long announced = request.getLength();
    return announced >= 0 || request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)
        ? announced
        : 0;
  }

  /** True when the body is not sent before a go-ahead. */
  public boolean waitsForGoAhead() {
    return request.getHeaders().contains(HttpHeader.EXPECT);
  }

  @Override
  public String header(String name) {
    return request.getHeaders().get(name);
  }

  @Override
  public boolean repeats(String name) {
    int count = 0;
    for (var field : request.getHeaders()) {
      count += field.is(name) ? 1 : 0;
    }
    return count > 1;
  }

  @Override
  public void readBody(int bytes, Consumer<byte[]> whole, Runnable onBroken) {
    if (bytes == 0) {
      whole.accept(new byte[0]);
    } else {
      new Body(bytes, whole, onBroken).run();
    }
  }

  private final class Body implements Invocable.Task {
    private final byte[] bytes;
    private final Consumer<byte[]> whole;
    private final Runnable onBroken;
    private int read;

    Body(int length, Consumer<byte[]> whole, Runnable onBroken) {
      this.bytes = new byte[length];
      this.whole = whole;
      this.onBroken = onBroken;
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void run() {
      while (read < bytes.length) {
        var chunk = request.read();
        if (chunk == null) {
          request.demand(this);
          return;
        }
        if (Content.Chunk.isFailure(chunk)) {
          onBroken.run();
          return;
        }
        int length = Math.min(chunk.remaining(), bytes.length - read);
        chunk.getByteBuffer().get(bytes, read, length);
        read += length;
        chunk.release();
        if (chunk.isLast() && read < bytes.length) {
          onBroken.run();
          return;
        }
      }
      whole.accept(bytes);
    }
  }

  /** All header fields of the request. */
  public HttpFields headers() {
    return request.getHeaders();
  }

  public HttpURI uri() {
    return request.getHttpURI();
  }

  /** The header fields of the answer, until it begins. */
  public HttpFields.Mutable answerHeaders() {
    return response.getHeaders();
  }

  /** The status of an answer that is written piece by piece. */
  public void answerStatus(int status) {
    response.setStatus(status);
  }

  /**
   * Writes a piece of an answer, the last one instead of {@link #send}.
   *
   * @param piece must be left alone until it has been written
   * @param last ends the answer
   * @param onWritten is called when the client's side has taken it, perhaps before this returns
   * @param onFailed is called instead when the connection has broken, which ends the exchange
   */
  public void write(ByteBuffer piece, boolean last, Runnable onWritten, Runnable onFailed) {
    var ended = new Written(callback, onFailed);
    response.write(last, piece, last ? ended : new Passed(ended, onWritten));
  }

  /** A piece is on its way; what fails ends the request. */
  private record Passed(Callback ended, Runnable onWritten) implements Callback {
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void succeeded() {
      onWritten.run();
    }

    @Override
    public void failed(Throwable cause) {
      ended.failed(cause);
    }
  }

  @Override
  public HttpExchange answerHeader(String name, String value) {
    response.getHeaders().put(name, value);
    return this;
  }

  @Override
  public void send(int status, byte[] json, int length, Runnable onFailed) {
    response.setStatus(status);
    response.getHeaders().put(JSON).put(HttpHeader.CONTENT_LENGTH, length);
    write(ByteBuffer.wrap(json, 0, length), onFailed);
  }

  @Override
  public void send(HttpProblem problem) {
    if (problem.retryAfterSeconds() > 0) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, problem.retryAfterSeconds());
    }
    var body = problem.body();
    UnreadBody.skip(
        request, response.getHeaders(), () -> send(problem.status(), body, body.length, () -> {}));
  }

  @Override
  public void sendNothing() {
    response.setStatus(NO_CONTENT);
    write(null, () -> {});
  }

  @Override
  public void abandon() {
    callback.failed(new EofException("the client has gone"));
  }

  @Override
  public ClientWatch watch(Runnable onGone) {
    return ClientWatch.open(request, onGone);
  }

  private void write(ByteBuffer body, Runnable onFailed) {
    response.write(true, body, new Written(callback, onFailed));
  }

  /** The request ends when its answer has been written. */
  private record Written(Callback request, Runnable onFailed) implements Callback {
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void succeeded() {
      request.succeeded();
    }

    @Override
    public void failed(Throwable cause) {
      LOG.debug("client left before its answer: {}", cause.toString());
      try {
        onFailed.run();
      } finally {
        request.failed(cause);
      }
    }
  }
}
