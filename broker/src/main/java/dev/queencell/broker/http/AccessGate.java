package dev.queencell.broker.http;

import dev.queencell.broker.auth.AccessControl;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.HttpProblem;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;

/** Asks {@link AccessControl} before any route is looked for, and remembers who was let in. */
final class AccessGate {
  private static final String SUBJECT = "queencell.subject";

  private final AccessControl access;

  AccessGate(AccessControl access) {
    this.access = access;
  }

  void register(RoutesConfig routes) {
    if (access.enabled()) {
      routes.before(this::admit);
    }
  }

  private void admit(Context ctx) {
    var request = ctx.req();
    try {
      var subject =
          access.admit(
              request.getMethod(), request.getRequestURI(), request.getHeader("Authorization"));
      if (subject != null) {
        ctx.attribute(SUBJECT, Slice.utf8(subject));
      }
    } catch (HttpProblem e) {
      if (e.status() == 401) {
        ctx.res().setHeader("WWW-Authenticate", "Bearer");
      }
      throw e;
    }
  }

  /** Whose token the request came with, as UTF-8; null without one. */
  static Slice subject(Context ctx) {
    return ctx.attribute(SUBJECT);
  }
}
