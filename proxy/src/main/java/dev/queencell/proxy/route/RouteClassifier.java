package dev.queencell.proxy.route;

import java.util.List;

/**
 * Method and path to {@link Route}, closed by default. The lists are the contract's, in its order:
 * operator routes, hard blocks, the tenant's routes, everything else under {@code /api} blocked,
 * everything else (dashboard, assets, health) a read.
 *
 * <p>Segments are matched exactly and by case. A path whose escapes hide a slash is read in both
 * ways that a server could read it, and blocked if the other way means another known route.
 *
 * <p>Stateless.
 */
public final class RouteClassifier {
  private RouteClassifier() {}

  /**
   * Classifies a request.
   *
   * @param rawPath as it came, without the query
   */
  public static Route classify(String method, String rawPath) {
    // What most requests ask for, without taking the path apart.
    if (rawPath.equals("/api/v1/push")) {
      return method.equals("POST") ? Route.PUSH : Route.UNKNOWN;
    }
    var segments = PathSegments.read(rawPath);
    if (segments == null) {
      return Route.BLOCKED;
    }
    var route = match(method, segments);
    if (rawPath.indexOf('%') >= 0 && hidesASlash(segments)) {
      return meansTheSameResplit(method, segments, route) ? route : Route.BLOCKED;
    }
    return route;
  }

  /** The queue that a {@link Route#QUEUE_DELETE} names. */
  public static String deletedQueue(String rawPath) {
    return PathSegments.read(rawPath).getLast();
  }

  /** Only names under the API may hold a slash; the rest of the paths has no names. */
  private static boolean meansTheSameResplit(String method, List<String> segments, Route route) {
    var resplit = PathSegments.resplit(segments);
    if (resplit == null || !segments.getFirst().equals("api")) {
      return false;
    }
    var other = match(method, resplit);
    return other == Route.UNKNOWN || other.routeClass() == route.routeClass();
  }

  private static boolean hidesASlash(List<String> segments) {
    for (var segment : segments) {
      if (segment.indexOf('/') >= 0) {
        return true;
      }
    }
    return false;
  }

  private static Route match(String method, List<String> path) {
    if (path.isEmpty()) {
      return fallback(method);
    }
    var first = path.getFirst();
    return switch (first) {
      case "api" ->
          path.size() >= 3 && path.get(1).equals("v1") ? api(method, path) : Route.UNKNOWN;
      case "streams" -> streams(method, path);
      case "metrics" -> is(path, "metrics", "prometheus") ? Route.OPERATOR : Route.BLOCKED;
      case "status" -> Route.BLOCKED;
      default -> guards(first) ? Route.BLOCKED : fallback(method);
    };
  }

  /** True for what looks like a guarded prefix without being one. */
  private static boolean guards(String first) {
    return first.regionMatches(true, 0, "internal", 0, "internal".length())
        || first.equalsIgnoreCase("api")
        || first.equalsIgnoreCase("streams")
        || first.equalsIgnoreCase("metrics")
        || first.equalsIgnoreCase("status");
  }

  private static Route fallback(String method) {
    return isGet(method) ? Route.READ : Route.UNKNOWN;
  }

  private static Route api(String method, List<String> path) {
    return switch (path.get(2)) {
      case "push" -> only(path.size() == 3 && isPost(method), Route.PUSH);
      case "transaction" -> only(path.size() == 3 && isPost(method), Route.TRANSACTION);
      case "pop" -> pop(method, path);
      case "ack" ->
          only(
              isPost(method)
                  && (path.size() == 3 || (path.size() == 4 && path.get(3).equals("batch"))),
              Route.CONSUME_OTHER);
      case "lease" ->
          only(
              isPost(method) && path.size() == 5 && path.get(4).equals("extend"),
              Route.CONSUME_OTHER);
      case "fetch" -> only(isPost(method) && path.size() == 3, Route.CONSUME_OTHER);
      case "partitions" ->
          only(
              isPost(method) && path.size() == 4 && path.get(3).equals("changed"),
              Route.CONSUME_OTHER);
      case "configure" -> only(isPost(method) && path.size() == 3, Route.CONFIGURE);
      case "resources" -> resources(method, path);
      case "status" -> status(method, path);
      case "analytics" -> analytics(method, path);
      case "consumer-groups" -> consumerGroups(method, path);
      case "messages" -> messages(method, path);
      case "dlq" -> deadLetters(method, path);
      case "traces" -> traces(method, path);
      case "kv" -> keyValue(method, path);
      case "timers" -> timers(method, path);
      case "ephemeral" -> EphemeralRoutes.match(method, path);
      case "system" -> system(path);
      case "migration", "stats" -> Route.BLOCKED;
      default -> Route.UNKNOWN;
    };
  }

  private static Route pop(String method, List<String> path) {
    if (path.size() == 3) {
      return Route.BLOCKED;
    }
    boolean queue = path.size() == 5 && path.get(3).equals("queue");
    boolean partition =
        path.size() == 7 && path.get(3).equals("queue") && path.get(5).equals("partition");
    return only(method.equals("GET") && (queue || partition), Route.POP);
  }

  private static Route resources(String method, List<String> path) {
    if (path.size() == 4) {
      return switch (path.get(3)) {
        case "queues", "overview", "namespaces", "tasks" -> only(isGet(method), Route.READ);
        default -> Route.UNKNOWN;
      };
    }
    if (path.size() < 5) {
      return Route.UNKNOWN;
    }
    if (path.get(3).equals("kv") && path.size() == 5) {
      return switch (path.get(4)) {
        case "namespaces" -> only(isGet(method), Route.READ);
        case "list" -> only(isPost(method), Route.READ);
        default -> Route.UNKNOWN;
      };
    }
    if (!path.get(3).equals("queues")) {
      return Route.UNKNOWN;
    }
    if (path.size() == 5) {
      return method.equals("DELETE") ? Route.QUEUE_DELETE : only(isGet(method), Route.READ);
    }
    return only(path.size() == 6 && path.get(5).equals("depth") && isGet(method), Route.READ);
  }

  private static Route status(String method, List<String> path) {
    if (path.size() == 3 || (path.size() == 4 && path.get(3).equals("buffers"))) {
      return Route.OPERATOR;
    }
    boolean listed =
        switch (path.get(3)) {
          case "queues" -> path.size() <= 5;
          case "analytics" -> path.size() == 4;
          default -> false;
        };
    return only(listed && isGet(method), Route.READ);
  }

  private static Route analytics(String method, List<String> path) {
    if (path.size() != 4) {
      return Route.UNKNOWN;
    }
    return switch (path.get(3)) {
      case "system-metrics", "worker-metrics", "postgres-stats" -> Route.OPERATOR;
      case "queue-lag",
          "queue-ops",
          "queue-parked-replicas",
          "retention",
          "workload",
          "dlq-signatures",
          "partition-liveness" ->
          only(isGet(method), Route.READ);
      default -> Route.UNKNOWN;
    };
  }

  private static Route consumerGroups(String method, List<String> path) {
    boolean ofQueue = path.size() >= 6 && path.get(4).equals("queues");
    return switch (path.size()) {
      case 3 -> only(isGet(method), Route.READ);
      case 4 -> method.equals("DELETE") ? Route.QUEUE_ADMIN_OTHER : only(isGet(method), Route.READ);
      case 5 -> only(isPost(method) && path.get(4).equals("subscription"), Route.QUEUE_ADMIN_OTHER);
      case 6 -> only(method.equals("DELETE") && ofQueue, Route.QUEUE_ADMIN_OTHER);
      case 7 ->
          only(isPost(method) && ofQueue && path.get(6).equals("seek"), Route.QUEUE_ADMIN_OTHER);
      case 9 ->
          only(
              isPost(method)
                  && ofQueue
                  && path.get(6).equals("partitions")
                  && path.get(8).equals("seek"),
              Route.QUEUE_ADMIN_OTHER);
      default -> Route.UNKNOWN;
    };
  }

  private static Route messages(String method, List<String> path) {
    return switch (path.size()) {
      case 3 -> only(isGet(method), Route.READ);
      case 5 -> method.equals("DELETE") ? Route.QUEUE_ADMIN_OTHER : only(isGet(method), Route.READ);
      case 6 -> only(isPost(method) && path.get(5).equals("retry"), Route.DLQ_RETRY);
      default -> Route.UNKNOWN;
    };
  }

  private static Route deadLetters(String method, List<String> path) {
    return switch (path.size()) {
      case 3 -> method.equals("DELETE") ? Route.QUEUE_ADMIN_OTHER : only(isGet(method), Route.READ);
      case 5 -> only(isPost(method) && path.get(4).equals("replay"), Route.DLQ_REPLAY);
      default -> Route.UNKNOWN;
    };
  }

  private static Route traces(String method, List<String> path) {
    return switch (path.size()) {
      case 3 -> only(isPost(method), Route.TRACES_WRITE);
      case 4 -> only(isGet(method) && path.get(3).equals("names"), Route.READ);
      case 5 -> only(isGet(method), Route.READ);
      default -> Route.UNKNOWN;
    };
  }

  private static Route keyValue(String method, List<String> path) {
    if (path.size() == 3) {
      return only(isPost(method), Route.KV_BATCH);
    }
    if (path.size() < 5) {
      return Route.UNKNOWN;
    }
    return switch (method) {
      case "PUT" -> Route.KV_PUT;
      case "DELETE" -> Route.KV_DELETE;
      default -> only(isGet(method), Route.KV_READ);
    };
  }

  private static Route timers(String method, List<String> path) {
    if (path.size() == 3) {
      return only(isPost(method), Route.TIMERS_BATCH);
    }
    if (method.equals("DELETE") && path.size() >= 5) {
      return Route.TIMERS_CANCEL;
    }
    return only(isGet(method), Route.TIMERS_READ);
  }

  private static Route streams(String method, List<String> path) {
    if (path.size() < 3 || !path.get(1).equals("v1") || !isPost(method)) {
      return Route.UNKNOWN;
    }
    if (path.size() == 3) {
      return switch (path.get(2)) {
        case "queries" -> Route.STREAMS_OTHER;
        case "cycle" -> Route.STREAMS_CYCLE;
        default -> Route.UNKNOWN;
      };
    }
    return only(
        path.size() == 4 && path.get(2).equals("state") && path.get(3).equals("get"),
        Route.STREAMS_OTHER);
  }

  private static Route system(List<String> path) {
    boolean maintenance =
        path.size() >= 4
            && path.get(3).equals("maintenance")
            && (path.size() == 4 || (path.size() == 5 && path.get(4).equals("pop")));
    return maintenance ? Route.OPERATOR : Route.BLOCKED;
  }

  static Route only(boolean condition, Route route) {
    return condition ? route : Route.UNKNOWN;
  }

  static boolean isGet(String method) {
    return method.equals("GET") || method.equals("HEAD");
  }

  static boolean isPost(String method) {
    return method.equals("POST");
  }

  private static boolean is(List<String> path, String... wanted) {
    return path.equals(List.of(wanted));
  }
}
