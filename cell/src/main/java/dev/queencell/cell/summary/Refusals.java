package dev.queencell.cell.summary;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the loader's record says about messages that a quota refused. */
final class Refusals {
  private Refusals() {}

  /**
   * Refused messages per second: the errors of status 429 and 403 over the seconds that the record
   * spans; 0 when it has none.
   */
  static double perSecond(ObjectNode record) {
    double refused = count(record.path("errors"));
    double seconds = record.path("steadySeconds").asDouble(Double.NaN);
    return refused == 0 ? 0 : refused / seconds;
  }

  private static double count(JsonNode errors) {
    double sum = 0;
    for (var entry : errors.properties()) {
      if (entry.getValue().isNumber() && isRefusal(entry.getKey())) {
        sum += entry.getValue().doubleValue();
      } else if (entry.getValue().isObject()) {
        sum += count(entry.getValue());
      }
    }
    return sum;
  }

  private static boolean isRefusal(String kind) {
    return kind.contains("429") || kind.contains("403");
  }
}
