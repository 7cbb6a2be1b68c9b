package dev.queencell.service;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * What is left of a request's body when its answer is ready before it: a refusal needs no body, and
 * many clients send the head and the body apart.
 *
 * <p>By itself Jetty sends such an answer and ends the connection, without a word when the answer
 * has been begun: the client's next request on it is lost, and what it still sends may cost it the
 * answer. So the rest is read and thrown away first, within limits; beyond them the answer says
 * that the connection ends.
 */
final class UnreadBody implements Invocable.Task {
  private static final long BYTES_MAX = 8 * 1024 * 1024;
  private static final long WAIT_MS_MAX = 2_000;

  private final Request request;
  private final HttpFields.Mutable answerHeaders;
  private final Runnable answer;

  /** The body and its end may come while the time is over. */
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private Scheduler.Task timeout;
  private long bytes;
  private boolean over;

  private UnreadBody(Request request, HttpFields.Mutable answerHeaders, Runnable answer) {
    this.request = request;
    this.answerHeaders = answerHeaders;
    this.answer = answer;
  }

  /**
   * Answers once the body has been read, at once when it has been already.
   *
   * @param answerHeaders of the answer, which must not have been begun
   * @param answer begins it, on any thread; must not block
   */
  static void skip(Request request, HttpFields.Mutable answerHeaders, Runnable answer) {
    new UnreadBody(request, answerHeaders, answer).run();
  }

  /** A request whose answer, {@link #before}, looks after what is left of its body. */
  static Request of(Request request) {
    return new LeftToTheAnswer(request);
  }

  /** Does so when the answer begins. */
  static Response before(Request request, Response response) {
    return new Patient(request, response);
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public void run() {
    lock.lock();
    try {
      if (over || !readAvailable()) {
        return;
      }
      over = true;
      if (timeout != null) {
        timeout.cancel();
      }
    } finally {
      lock.unlock();
    }
    answer.run();
  }

  /** False when there is more to come. */
  private boolean readAvailable() {
    while (true) {
      var chunk = request.read();
      if (chunk == null) {
        return !demand();
      }
      bytes += chunk.remaining();
      chunk.release();
      if (chunk.isLast() || Content.Chunk.isFailure(chunk)) {
        return true;
      }
      if (bytes > BYTES_MAX) {
        endConnection();
        return true;
      }
    }
  }

  /** False when it is not to be waited for. */
  private boolean demand() {
    if (request.getHeaders().contains(HttpHeader.EXPECT)) {
      // It is sent after a go-ahead, which asking for it would give.
      endConnection();
      return false;
    }
    if (timeout == null) {
      timeout =
          request
              .getComponents()
              .getScheduler()
              .schedule(this::timedOut, WAIT_MS_MAX, TimeUnit.MILLISECONDS);
    }
    request.demand(this);
    return true;
  }

  private void timedOut() {
    lock.lock();
    try {
      if (over) {
        return;
      }
      over = true;
      endConnection();
    } finally {
      lock.unlock();
    }
    answer.run();
  }

  private void endConnection() {
    answerHeaders.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
  }

  private static final class LeftToTheAnswer extends Request.Wrapper {
    LeftToTheAnswer(Request request) {
      super(request);
    }

    /** Asked by what would end the connection otherwise. */
    @Override
    public boolean consumeAvailable() {
      return true;
    }
  }

  private static final class Patient extends Response.Wrapper {
    private boolean begun;

    Patient(Request request, Response response) {
      super(request, response);
    }

    @Override
    public void write(boolean last, ByteBuffer content, Callback callback) {
      if (begun) {
        super.write(last, content, callback);
      } else {
        begun = true;
        skip(getRequest(), getHeaders(), () -> super.write(last, content, callback));
      }
    }
  }
}
