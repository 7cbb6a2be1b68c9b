package dev.queencell.proxy.route;

import static dev.queencell.proxy.route.RouteClassifier.isGet;
import static dev.queencell.proxy.route.RouteClassifier.isPost;
import static dev.queencell.proxy.route.RouteClassifier.only;

import java.util.List;

/**
 * The eight routes under {@code /api/v1/ephemeral}. A pop takes messages away, so that it needs the
 * authority to write whatever its method.
 */
final class EphemeralRoutes {
  private EphemeralRoutes() {}

  static Route match(String method, List<String> path) {
    return switch (path.size()) {
      case 4 -> top(method, path.get(3));
      case 5 -> path.get(3).equals("queue") ? queue(method) : Route.UNKNOWN;
      case 6 ->
          only(
              path.get(3).equals("queues") && path.get(5).equals("depth") && isGet(method),
              Route.EPHEMERAL_READ);
      default -> Route.UNKNOWN;
    };
  }

  private static Route top(String method, String name) {
    return switch (name) {
      case "push" -> only(isPost(method), Route.EPHEMERAL_PUSH);
      case "pop" -> only(isPost(method) || method.equals("GET"), Route.EPHEMERAL_POP);
      case "ack", "configure", "reset" -> only(isPost(method), Route.EPHEMERAL_WRITE);
      case "queues" -> only(isGet(method), Route.EPHEMERAL_READ);
      default -> Route.UNKNOWN;
    };
  }

  private static Route queue(String method) {
    return method.equals("DELETE")
        ? Route.EPHEMERAL_WRITE
        : only(isGet(method), Route.EPHEMERAL_READ);
  }
}
