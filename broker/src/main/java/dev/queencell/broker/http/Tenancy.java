package dev.queencell.broker.http;

import dev.queencell.service.DirectExchange;
import dev.queencell.service.HttpProblem;
import io.javalin.http.Context;
import java.util.UUID;

/**
 * Whose request it is. Without tenancy the header is never read, so that nobody can name a tenant;
 * with it, the proxy in front is trusted to set it.
 */
final class Tenancy {
  static final String HEADER = "x-queen-tenant";

  /** The tenant of requests that name none. */
  static final UUID DEFAULT_TENANT = new UUID(0, 1);

  private final boolean enabled;

  Tenancy(boolean enabled) {
    this.enabled = enabled;
  }

  /** Whether requests say whose they are. */
  boolean isEnabled() {
    return enabled;
  }

  /**
   * Whose sums a request may see: null, which is everybody's, for the operator, whose requests name
   * no tenant; else the tenant.
   */
  UUID cellWide(Context ctx) {
    var tenant = of(ctx);
    return tenant.equals(DEFAULT_TENANT) ? null : tenant;
  }

  /**
   * The tenant of a request.
   *
   * @throws HttpProblem 400 when the header is there and names none
   */
  UUID of(Context ctx) {
    if (!enabled) {
      return DEFAULT_TENANT;
    }
    var headers = ctx.req().getHeaders(HEADER);
    if (!headers.hasMoreElements()) {
      return DEFAULT_TENANT;
    }
    var value = headers.nextElement();
    // Of two headers one may be the client's own.
    if (headers.hasMoreElements()) {
      throw invalid();
    }
    return parse(value);
  }

  /** The same for a request that has no thread of its own. */
  UUID of(DirectExchange exchange) {
    var value = enabled ? exchange.header(HEADER) : null;
    if (value == null) {
      return DEFAULT_TENANT;
    }
    if (exchange.repeats(HEADER)) {
      throw invalid();
    }
    return parse(value);
  }

  static UUID parse(String value) {
    if (value.isBlank()) {
      return DEFAULT_TENANT;
    }
    var tenant = Uuids.parse(value);
    if (tenant == null) {
      throw invalid();
    }
    return tenant;
  }

  private static HttpProblem invalid() {
    return HttpProblem.badRequest("invalid x-queen-tenant header (must be a UUID)");
  }
}
