package dev.queencell.proxy.edge;

import dev.queencell.proxy.route.Route;
import io.javalin.http.Context;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;

/** A request that has a thread of its own, on which bodies are read and answers written. */
final class ServletExchange extends Exchange {
  private final Context ctx;
  private final ServletContextRequest request;

  ServletExchange(Context ctx, ServletContextRequest request, Route route) {
    super(
        request.getMethod(),
        request.getHttpURI(),
        request.getHeaders(),
        request.getServletContextResponse().getHeaders(),
        route);
    this.ctx = ctx;
    this.request = request;
  }

  Context ctx() {
    return ctx;
  }

  ServletContextRequest request() {
    return request;
  }
}
