package dev.queencell.service;

import io.javalin.http.Context;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;

/**
 * Tells a blocked handler that its client went away (FIN or RST), which the server by itself would
 * notice only when it writes the answer. Open one around a long wait, close it before answering.
 *
 * <p>A client that sends its next request early loses nothing: bytes that the watch meets are kept
 * for the connection. While watched, a connection is exempt from the idle timeout.
 */
public final class ClientWatch implements AutoCloseable {
  private final Runnable end;

  ClientWatch(Runnable end) {
    this.end = end;
  }

  /**
   * Starts watching the connection of {@code ctx}. The request's body must have been read.
   *
   * @param onGone called at most once when the client has gone; never after {@link #close()} has
   *     returned
   */
  public static ClientWatch open(Context ctx, Runnable onGone) {
    return open(ServletContextRequest.getServletContextRequest(ctx.req()), onGone);
  }

  static ClientWatch open(Request request, Runnable onGone) {
    var endPoint = WatchedEndPoint.of(request);
    endPoint.watch(onGone);
    return new ClientWatch(endPoint::unwatch);
  }

  /** Gives the connection back to the server. Idempotent. */
  @Override
  public void close() {
    end.run();
  }
}
