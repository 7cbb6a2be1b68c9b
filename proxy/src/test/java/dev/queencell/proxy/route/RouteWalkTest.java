package dev.queencell.proxy.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every route of the broker's index, in every odd spelling and under every other method. */
class RouteWalkTest {
  private static final List<String> METHODS =
      List.of(
          "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /api/v1/push",
        "GET /api/v1/pop/queue/q",
        "GET /api/v1/pop/queue/q/partition/p",
        "POST /api/v1/ack",
        "POST /api/v1/ack/batch",
        "POST /api/v1/lease/l/extend",
        "POST /api/v1/transaction",
        "POST /api/v1/configure",
        "GET DELETE /api/v1/resources/queues/q",
        "GET /api/v1/resources/queues",
        "GET /api/v1/resources/queues/q/depth",
        "GET /api/v1/resources/overview",
        "GET /api/v1/resources/namespaces",
        "GET /api/v1/resources/tasks",
        "GET /api/v1/consumer-groups",
        "GET DELETE /api/v1/consumer-groups/lagging",
        "GET DELETE /api/v1/consumer-groups/g",
        "POST /api/v1/consumer-groups/g/subscription",
        "POST /api/v1/consumer-groups/g/queues/q/seek",
        "POST /api/v1/consumer-groups/g/queues/q/partitions/p/seek",
        "DELETE /api/v1/consumer-groups/g/queues/q",
        "GET /api/v1/messages",
        "GET DELETE /api/v1/messages/p/t",
        "POST /api/v1/messages/p/t/retry",
        "GET DELETE /api/v1/dlq",
        "POST /api/v1/dlq/7/replay",
        "POST /api/v1/traces",
        "GET /api/v1/traces/p/t",
        "GET /api/v1/traces/by-name/n",
        "GET /api/v1/traces/names",
        "GET /api/v1/status/queues",
        "GET /api/v1/status/queues/q",
        "GET /api/v1/status/analytics",
        "GET /api/v1/analytics/queue-lag",
        "GET /api/v1/analytics/queue-ops",
        "GET /api/v1/analytics/queue-parked-replicas",
        "GET /api/v1/analytics/retention",
        "GET /api/v1/analytics/workload",
        "GET /api/v1/analytics/dlq-signatures",
        "GET /api/v1/analytics/partition-liveness",
        "POST /api/v1/fetch",
        "POST /api/v1/partitions/changed",
        "POST /api/v1/kv",
        "POST /api/v1/timers",
        "POST /streams/v1/queries",
        "POST /streams/v1/state/get",
        "POST /streams/v1/cycle",
        "POST /api/v1/ephemeral/push",
        "GET /api/v1/ephemeral/queues",
      })
  void aRouteIsOpenInOneSpellingAndUnderItsMethodsAlone(String route) {
    int space = route.lastIndexOf(' ');
    var allowed = Set.of(route.substring(0, space).split(" "));
    var path = route.substring(space + 1);
    for (var method : METHODS) {
      boolean head = method.equals("HEAD") && allowed.contains("GET") && !path.contains("/pop/");
      var routeClass = RouteClassifier.classify(method, path).routeClass();
      if (allowed.contains(method) || head) {
        assertNotEquals(RouteClass.BLOCKED, routeClass, method + " " + path);
      } else {
        assertEquals(RouteClass.BLOCKED, routeClass, method + " " + path);
      }
    }
    for (var odd : oddSpellings(path)) {
      for (var method : METHODS) {
        var routeClass = RouteClassifier.classify(method, odd).routeClass();
        assertTrue(routeClass == RouteClass.BLOCKED, method + " " + odd + " is " + routeClass);
      }
    }
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
