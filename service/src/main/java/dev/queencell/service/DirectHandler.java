package dev.queencell.service;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before Javalin: lets {@link DirectRoutes} begin a request on the selector's thread, makes
 * the connection a link where one is asked for, and gives every other request a virtual thread of
 * its own, on which handlers may block.
 */
final class DirectHandler extends Handler.Wrapper {
  private static final Logger LOG = LoggerFactory.getLogger(DirectHandler.class);
  private static final int LOOK_INTERVAL_MS = 5;

  /** One for each proxy, and some that are about to end. */
  private static final int LINKS_MAX = 64;

  /** Null: none over HTTP. */
  private final DirectRoutes<? super HttpExchange> direct;

  /** Null: no links. */
  private final DirectRoutes<DirectExchange> linked;

  private final int requestsMax;
  private final Executor virtualThreads;
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<LinkServer> links = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /**
   * @param requestsMax that may be under way over links, together with those over HTTP
   */
  DirectHandler(
      DirectRoutes<? super HttpExchange> direct,
      DirectRoutes<DirectExchange> linked,
      int requestsMax,
      Executor virtualThreads) {
    this.direct = direct;
    this.linked = linked;
    this.requestsMax = requestsMax;
    this.virtualThreads = virtualThreads;
  }

  /** What makes Jetty call this on the selector's thread. */
  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (linked != null && LinkServer.isAskedFor(request)) {
      if (stopping || links.size() >= LINKS_MAX) {
        Response.writeError(request, response, callback, 503);
      } else {
        LinkServer.upgrade(request, response, callback, this);
      }
      return true;
    }
    underWay.incrementAndGet();
    var counted = Callback.from(callback, underWay::decrementAndGet);
    var exchange = new HttpExchange(request, response, counted);
    if (stopping) {
      // Nothing of it is done: what would be begun now might be cut before its answer.
      exchange
          .answerHeader("Connection", "close")
          .send(new HttpProblem(503, "the server is stopping", "stopping", 1));
      return true;
    }
    boolean begun;
    try {
      begun = direct != null && direct.begin(exchange);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.getMethod(), request.getHttpURI().getPath(), e);
      Response.writeError(request, response, counted, 500);
      return true;
    }
    if (!begun) {
      virtualThreads.execute(() -> route(request, response, counted));
    }
    return true;
  }

  /** Begins a request of a link; {@link #ended} is called when it has been answered. */
  boolean begin(LinkExchange exchange) {
    underWay.incrementAndGet();
    boolean begun = false;
    try {
      begun = !stopping && underWay.get() <= requestsMax && linked.begin(exchange);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", exchange.method(), exchange.path(), e);
      exchange.send(new HttpProblem(500, "internal error", "internal"));
      return true;
    }
    if (!begun) {
      ended();
    }
    return begun;
  }

  /** See {@link DirectRoutes#burst}. */
  Runnable burst() {
    return linked.burst();
  }

  /** A request of a link has been answered. */
  void ended() {
    underWay.decrementAndGet();
  }

  void opened(LinkServer link) {
    links.add(link);
  }

  void closed(LinkServer link) {
    links.remove(link);
  }

  private void route(Request bareRequest, Response bareResponse, Callback callback) {
    var request = UnreadBody.of(bareRequest);
    var response = UnreadBody.before(request, bareResponse);
    try {
      if (!super.handle(request, response, callback)) {
        Response.writeError(request, response, callback, 404);
      }
    } catch (Exception e) {
      Response.writeError(request, response, callback, e);
    }
  }

  /**
   * Refuses what comes from now on, waits until all that was begun has been answered, at most for
   * so long, and ends the links.
   */
  void awaitAnswers(long timeoutMs) {
    stopping = true;
    long deadlineNanos = System.nanoTime() + timeoutMs * 1_000_000;
    try {
      while ((underWay.get() > 0 || links.stream().anyMatch(LinkEnd::isUnwritten))
          && System.nanoTime() - deadlineNanos < 0) {
        Thread.sleep(LOOK_INTERVAL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      links.forEach(LinkServer::close);
    }
  }
}
