package dev.queencell.service;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before Javalin: lets {@link DirectRoutes} begin a request on the selector's thread, and
 * gives every other one a virtual thread of its own, on which handlers may block.
 */
final class DirectHandler extends Handler.Wrapper {
  private static final Logger LOG = LoggerFactory.getLogger(DirectHandler.class);
  private static final int LOOK_INTERVAL_MS = 5;

  private final DirectRoutes direct;
  private final Executor virtualThreads;
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean stopping;

  DirectHandler(DirectRoutes direct, Executor virtualThreads) {
    this.direct = direct;
    this.virtualThreads = virtualThreads;
  }

  /** What makes Jetty call this on the selector's thread. */
  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    underWay.incrementAndGet();
    var counted = Callback.from(callback, underWay::decrementAndGet);
    boolean begun;
    try {
      begun = !stopping && direct.begin(new DirectExchange(request, response, counted));
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.getMethod(), request.getHttpURI().getPath(), e);
      Response.writeError(request, response, counted, 500);
      return true;
    }
    if (!begun) {
      underWay.decrementAndGet();
      virtualThreads.execute(() -> route(request, response, callback));
    }
    return true;
  }

  private void route(Request request, Response response, Callback callback) {
    try {
      if (!super.handle(request, response, callback)) {
        Response.writeError(request, response, callback, 404);
      }
    } catch (Exception e) {
      Response.writeError(request, response, callback, e);
    }
  }

  /**
   * Waits until what was begun has been answered, at most for so long. What comes from now on goes
   * the usual way, which the server's own stop waits for.
   */
  void awaitAnswers(long timeoutMs) {
    stopping = true;
    long deadlineNanos = System.nanoTime() + timeoutMs * 1_000_000;
    try {
      while (underWay.get() > 0 && System.nanoTime() - deadlineNanos < 0) {
        Thread.sleep(LOOK_INTERVAL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
