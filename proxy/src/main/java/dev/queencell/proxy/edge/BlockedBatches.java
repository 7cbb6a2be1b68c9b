package dev.queencell.proxy.edge;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.body.UnreadableBodyException;
import dev.queencell.proxy.route.Route;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.Json;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Whether a batch makes the tenant's data grow, asked only while pushes are blocked. Closed by
 * default: an operation that isn't known to leave the data as it is, or to shrink it, grows it.
 */
final class BlockedBatches {
  private static final Set<String> KV_HARMLESS = Set.of("get", "getMany", "getPrefix", "delete");
  private static final Set<String> TIMERS_HARMLESS = Set.of("cancel");

  private BlockedBatches() {}

  /** True when a cycle carries messages, or can't be read. */
  static boolean pushes(byte[] body) {
    try {
      var found = PushScan.scan(body, PushScan.Shape.CYCLE, false);
      return found == null || found.items() > 0;
    } catch (UnreadableBodyException e) {
      return true;
    }
  }

  /** True when one operation of a batch grows something, or it can't be read. */
  static boolean grows(Route route, byte[] body) {
    var harmless = route == Route.KV_BATCH ? KV_HARMLESS : TIMERS_HARMLESS;
    JsonNode batch;
    try {
      batch = Json.readObject(body);
    } catch (HttpProblem e) {
      return true;
    }
    boolean any = false;
    for (var list : batch) {
      for (var operation : list) {
        any = true;
        if (!harmless.contains(operation.path("op").asString(""))) {
          return true;
        }
      }
    }
    return !any;
  }
}
