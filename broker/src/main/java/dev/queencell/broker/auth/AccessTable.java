package dev.queencell.broker.auth;

import java.util.List;
import java.util.Set;

/**
 * The level of every path, by prefix. What is not listed asks for read-write, paths that do not
 * exist included: a route that somebody adds and forgets here is never open.
 *
 * <p>Paths are taken as they stand in the request, as the router takes them: an escaped letter
 * makes another path there too.
 */
public final class AccessTable {
  private static final String GROUPS = "/api/v1/consumer-groups/";
  private static final String QUEUES = "/api/v1/resources/queues/";
  private static final String DEAD_LETTERS = "/api/v1/dlq";

  private static final Set<String> PUBLIC =
      Set.of(
          "/",
          "/health",
          "/metrics",
          "/metrics/prometheus",
          "/auth/me",
          "/auth/login",
          "/auth/logout");
  private static final List<String> PUBLIC_PREFIXES = List.of("/assets/", "/favicon");

  private static final List<String> ADMIN_PREFIXES = List.of("/api/v1/system/", "/internal/");
  private static final String ADMIN = "/api/v1/stats/refresh";

  private static final Set<String> WRITE_ONLY_POSTS =
      Set.of("/api/v1/push", "/api/v1/timers", "/api/v1/ephemeral/push");

  private static final Set<String> READ_ONLY_POSTS =
      Set.of(
          "/streams/v1/state/get",
          "/api/v1/resources/kv/list",
          "/api/v1/fetch",
          "/api/v1/partitions/changed");

  /** Each with all that lies below it. */
  private static final List<String> READ_ONLY_GETS =
      List.of(
          "/status",
          "/api/v1/status",
          "/api/v1/analytics",
          "/api/v1/resources",
          "/api/v1/messages",
          "/api/v1/consumer-groups",
          DEAD_LETTERS,
          "/api/v1/traces",
          "/api/v1/kv",
          "/api/v1/timers",
          "/api/v1/ephemeral/queues",
          "/openapi.json",
          "/docs");

  private AccessTable() {}

  /** What a request must be allowed to do. */
  public static AccessLevel levelOf(String method, String path) {
    if (isPublic(method, path)) {
      return AccessLevel.PUBLIC;
    }
    if (path.equals(ADMIN) || ADMIN_PREFIXES.stream().anyMatch(path::startsWith)) {
      return AccessLevel.ADMIN;
    }
    return switch (method) {
      case "GET", "HEAD" ->
          READ_ONLY_GETS.stream().anyMatch(prefix -> isBelow(path, prefix))
              ? AccessLevel.READ_ONLY
              : AccessLevel.READ_WRITE;
      case "POST" -> ofPost(path);
      case "DELETE" -> ofDelete(path);
      default -> AccessLevel.READ_WRITE;
    };
  }

  private static boolean isPublic(String method, String path) {
    // A browser sends no token with its preflight, which touches nothing.
    return method.equals("OPTIONS")
        || PUBLIC.contains(path)
        || PUBLIC_PREFIXES.stream().anyMatch(path::startsWith);
  }

  private static AccessLevel ofPost(String path) {
    if (WRITE_ONLY_POSTS.contains(path)) {
      return AccessLevel.WRITE_ONLY;
    }
    return READ_ONLY_POSTS.contains(path) ? AccessLevel.READ_ONLY : AccessLevel.READ_WRITE;
  }

  private static AccessLevel ofDelete(String path) {
    boolean admin = path.startsWith(GROUPS) || path.startsWith(QUEUES) || path.equals(DEAD_LETTERS);
    return admin ? AccessLevel.ADMIN : AccessLevel.READ_WRITE;
  }

  private static boolean isBelow(String path, String prefix) {
    return path.startsWith(prefix)
        && (path.length() == prefix.length() || path.charAt(prefix.length()) == '/');
  }
}
