package dev.queencell.proxy.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * Every route of the broker's API document, in every odd spelling and under every other method. The
 * class of each is written down here, so that a route that is new at the broker is decided on
 * before it is served, or kept, at the edge.
 */
class RouteWalkTest {
  private static final String DOCUMENT = "/dev/queencell/broker/http/openapi.json";

  private static final Pattern SPACES = Pattern.compile(" +");

  private static final List<String> METHODS =
      List.of(
          "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get");

  private static final String SERVED =
      """
      PRODUCE     POST   /api/v1/push
      PRODUCE     POST   /api/v1/transaction
      CONSUME     GET    /api/v1/pop/queue/{queue}
      CONSUME     GET    /api/v1/pop/queue/{queue}/partition/{partition}
      CONSUME     POST   /api/v1/ack
      CONSUME     POST   /api/v1/ack/batch
      CONSUME     POST   /api/v1/lease/{leaseId}/extend
      QUEUE_ADMIN POST   /api/v1/configure
      QUEUE_ADMIN DELETE /api/v1/resources/queues/{queue}
      QUEUE_ADMIN DELETE /api/v1/consumer-groups/{group}
      QUEUE_ADMIN DELETE /api/v1/consumer-groups/{group}/queues/{queue}
      QUEUE_ADMIN POST   /api/v1/consumer-groups/{group}/subscription
      QUEUE_ADMIN POST   /api/v1/consumer-groups/{group}/queues/{queue}/seek
      QUEUE_ADMIN POST   /api/v1/consumer-groups/{group}/queues/{queue}/partitions/{partition}/seek
      QUEUE_ADMIN DELETE /api/v1/messages/{partitionId}/{transactionId}
      QUEUE_ADMIN POST   /api/v1/messages/{partitionId}/{transactionId}/retry
      QUEUE_ADMIN DELETE /api/v1/dlq
      QUEUE_ADMIN POST   /api/v1/dlq/{id}/replay
      READ        GET    /api/v1/resources/queues
      READ        GET    /api/v1/resources/queues/{queue}
      READ        GET    /api/v1/resources/queues/{queue}/depth
      READ        GET    /api/v1/resources/overview
      READ        GET    /api/v1/resources/namespaces
      READ        GET    /api/v1/resources/tasks
      READ        GET    /api/v1/consumer-groups
      READ        GET    /api/v1/consumer-groups/lagging
      READ        GET    /api/v1/consumer-groups/{group}
      READ        GET    /api/v1/messages
      READ        GET    /api/v1/messages/{partitionId}/{transactionId}
      READ        GET    /api/v1/dlq
      READ        GET    /api/v1/traces/names
      READ        GET    /api/v1/traces/by-name/{traceName}
      READ        GET    /api/v1/traces/{partitionId}/{transactionId}
      READ        GET    /api/v1/status/queues
      READ        GET    /api/v1/status/queues/{queue}
      READ        GET    /api/v1/status/analytics
      READ        GET    /api/v1/analytics/queue-lag
      READ        GET    /api/v1/analytics/queue-ops
      READ        GET    /api/v1/analytics/queue-parked-replicas
      READ        GET    /api/v1/analytics/retention
      READ        GET    /api/v1/analytics/workload
      READ        GET    /api/v1/analytics/dlq-signatures
      READ        GET    /api/v1/analytics/partition-liveness
      READ        GET    /health
      READ        GET    /openapi.json
      READ        GET    /docs
      GATED_WRITE POST   /api/v1/traces
      OPERATOR    GET    /api/v1/status
      OPERATOR    GET    /api/v1/status/buffers
      OPERATOR    GET    /api/v1/analytics/system-metrics
      OPERATOR    GET    /api/v1/analytics/worker-metrics
      OPERATOR    GET    /api/v1/analytics/postgres-stats
      OPERATOR    GET    /api/v1/system/maintenance
      OPERATOR    POST   /api/v1/system/maintenance
      OPERATOR    GET    /api/v1/system/maintenance/pop
      OPERATOR    POST   /api/v1/system/maintenance/pop
      OPERATOR    GET    /metrics/prometheus
      BLOCKED     GET    /api/v1/pop
      BLOCKED     POST   /api/v1/stats/refresh
      BLOCKED     GET    /api/v1/system/shared-state
      BLOCKED     POST   /internal/api/notify
      BLOCKED     GET    /internal/api/shared-state/stats
      BLOCKED     GET    /internal/api/inter-instance/stats
      BLOCKED     POST   /internal/api/spool
      BLOCKED     GET    /metrics
      BLOCKED     GET    /status
      """;

  /** Of the edge's contract alone: families that the broker does not have. */
  private static final String NOT_SERVED =
      """
      CONSUME     POST   /api/v1/fetch
      CONSUME     POST   /api/v1/partitions/changed
      GATED_WRITE POST   /api/v1/kv
      GATED_WRITE POST   /api/v1/timers
      GATED_WRITE POST   /streams/v1/queries
      GATED_WRITE POST   /streams/v1/state/get
      GATED_WRITE POST   /streams/v1/cycle
      GATED_WRITE POST   /api/v1/ephemeral/push
      GATED_READ  GET    /api/v1/ephemeral/queues
      """;

  /** A path with its classes by method. */
  record Walk(String path, NavigableMap<String, RouteClass> classes) {
    /** A name in every place for one. */
    String sample() {
      return path.replaceAll("\\{(\\w)\\w*}", "$1");
    }
  }

  @Test
  void everyRouteOfTheBrokersDocumentHasAClassHere() throws IOException {
    assertEquals(documented(), classified(SERVED));
    for (var route : classified(NOT_SERVED)) {
      assertFalse(documented().contains(route), route + " is served now; move it");
    }
  }

  @ParameterizedTest
  @MethodSource("walks")
  void aRouteHasItsClassInOneSpellingAndUnderItsMethodsAlone(Walk walk) {
    var path = walk.sample();
    var classes = walk.classes();
    boolean pops = path.contains("/pop/");
    for (var method : METHODS) {
      var known = method.equals("HEAD") && !pops ? classes.get("GET") : classes.get(method);
      var found = RouteClassifier.classify(method, path).routeClass();
      if (known == null) {
        assertTrue(isClosed(found), method + " " + path + " is " + found);
      } else {
        assertEquals(known, found, method + " " + path);
      }
    }
    if (isFallback(path)) {
      return;
    }
    for (var odd : oddSpellings(path)) {
      for (var method : METHODS) {
        var found = RouteClassifier.classify(method, odd).routeClass();
        assertTrue(isClosed(found), method + " " + odd + " is " + found);
      }
    }
  }

  static List<Walk> walks() {
    var byPath = new TreeMap<String, NavigableMap<String, RouteClass>>();
    for (var line : (SERVED + NOT_SERVED).lines().toList()) {
      var words = SPACES.split(line, 0);
      byPath
          .computeIfAbsent(words[2], _ -> new TreeMap<>())
          .put(words[1], RouteClass.valueOf(words[0]));
    }
    for (var walk : byPath.entrySet()) {
      // A name may be spelled like a route's word: the group "lagging" can be deleted.
      byPath.forEach(
          (template, classes) -> {
            if (walk.getKey().matches(template.replaceAll("\\{\\w+}", "[^/]+"))) {
              classes.forEach(walk.getValue()::putIfAbsent);
            }
          });
    }
    return byPath.entrySet().stream().map(e -> new Walk(e.getKey(), e.getValue())).toList();
  }

  private static SortedSet<String> classified(String table) {
    var routes = new TreeSet<String>();
    for (var line : table.lines().toList()) {
      var words = SPACES.split(line, 0);
      assertTrue(routes.add(words[1] + " " + words[2]), () -> line + " is there twice");
    }
    return routes;
  }

  private static SortedSet<String> documented() throws IOException {
    var routes = new TreeSet<String>();
    try (var in = RouteWalkTest.class.getResourceAsStream(DOCUMENT)) {
      for (Map.Entry<String, JsonNode> path :
          Json.mapper().readTree(in).get("paths").properties()) {
        for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
          routes.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
        }
      }
    }
    return routes;
  }

  /** For nobody, or for operators alone. */
  private static boolean isClosed(RouteClass found) {
    return found == RouteClass.BLOCKED || found == RouteClass.OPERATOR;
  }

  /** A page outside of the API, where every path is a read. */
  private static boolean isFallback(String path) {
    return RouteClassifier.classify("GET", path + "x").routeClass() == RouteClass.READ
        && !path.startsWith("/api/");
  }

  private static List<String> oddSpellings(String path) {
    var odd = new ArrayList<String>();
    odd.add(path + "/");
    odd.add(path + "//");
    odd.add(path + "/.");
    odd.add(path + "/..");
    odd.add(path + ";x=1");
    odd.add(path + "%00");
    odd.add(path + "\\");
    odd.add("/." + path);
    odd.add("/x/.." + path);
    odd.add("/%2e%2e" + path);
    odd.add("/" + path);
    odd.add(path.substring(1));
    odd.add(path.replaceFirst("/v1/", "/v1//"));
    odd.add(path.replaceFirst("/v1/", "/v1/./"));
    odd.add(path.replaceFirst("/v1/", "/V1/"));
    odd.add(path.replaceFirst("/v1/", "%2Fv1/"));
    odd.add(path.replaceFirst("/v1/", "/v1%2f"));
    odd.add(path.replaceFirst("/v1/", "/v1%5c"));
    odd.add(path.replaceFirst("/v1/", "/v1/x/%2e%2e/"));
    odd.add(path.replaceFirst("/v1/", "/v2/"));
    odd.add("/" + path.substring(1, 4).toUpperCase(Locale.ROOT) + path.substring(4));
    return odd;
  }
}
